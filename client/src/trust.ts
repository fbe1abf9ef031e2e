/** What a workspace that is not trusted may not switch on, whoever did. */

/**
 * Configuration sections as the server gets them: without a compiler where the workspace is not trusted, because it would run on
 * what is there.
 */
export function withoutCompiler<Section>(sections: readonly Section[]): (Section | (Section & { readonly nvcc: "off" }))[] {
  return sections.map((section) =>
    typeof section === "object" && section !== null && !Array.isArray(section) ? { ...section, nvcc: "off" as const } : section,
  );
}
