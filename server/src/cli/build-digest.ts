import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/**
 * Tells one build of what inspects files from another; undefined where it is not built.
 * @param folder of the bundle
 */
export function buildDigest(folder: URL): string | undefined {
  const names = readdirSync(folder).filter((name) => /^(?:inspector|shared-.*)\.js$|\.wasm$/.test(name));
  if (!names.includes("inspector.js")) return undefined;
  const digest = createHash("sha256").update(`${process.version} ${process.arch}`);
  for (const name of names.sort()) digest.update(name).update(readFileSync(new URL(name, folder)));
  return digest.digest("hex");
}
