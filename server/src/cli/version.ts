import { readFileSync } from "node:fs";

/** The version in the package this module belongs to, bundled or not. */
export function version(): string {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
      if (isManifest(manifest)) return manifest.version;
    } catch {
      // No package.json here, or not one of ours: further up.
    }
    if (folder.pathname === "/" || new URL("..", folder).href === folder.href) return "unknown";
  }
}

const isManifest = (value: unknown): value is { readonly version: string } =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  value.name === "warplens" &&
  "version" in value &&
  typeof value.version === "string";
