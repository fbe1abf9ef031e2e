/** What a workspace that is not trusted may not switch on, whoever did. */

/**
 * Configuration sections as the server gets them: without a compiler and a profiler where the workspace is not trusted, because they
 * would run on what is there.
 */
export function withoutPrograms<Section>(sections: readonly Section[]): (Section | (Section & typeof off))[] {
  return sections.map((section) =>
    typeof section === "object" && section !== null && !Array.isArray(section) ? { ...section, ...off } : section,
  );
}

const off = { nvcc: "off", ncu: "off" } as const;
