/**
 * What the panel's page may do: load the bundled script and style. No other code, no image, no connection, no frame, no form, and nothing that
 * changes what addresses are relative to.
 * @param source the origin of the extension's own files
 */
export const contentPolicy = (source: string, nonce: string): string =>
  `default-src 'none'; base-uri 'none'; form-action 'none'; style-src ${source}; script-src 'nonce-${nonce}'`;
