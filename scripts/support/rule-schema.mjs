/**
 * The JSON schema of how a rule is set: its level, or an object of that and its options.
 * @param {{ summary: string, severity: string, offByDefault?: boolean }} rule
 * @param {Record<string, { unit: string, default: number, most: number, says: string }>} options
 * @param {readonly string[]} levels
 */
export function ruleSchema({ summary, severity, offByDefault }, options, levels) {
  const level = { enum: levels, default: offByDefault ? "off" : severity };
  const said = Object.entries(options).map(([name, { unit, default: initial, most, says }]) => [
    name,
    { type: "number", minimum: 0, maximum: most, default: initial, description: `${says} In ${unit}.` },
  ]);
  if (said.length === 0) return { ...level, description: summary };
  const object = { type: "object", properties: { level, ...Object.fromEntries(said) }, additionalProperties: false };
  return { anyOf: [level, object], default: level.default, description: summary };
}
