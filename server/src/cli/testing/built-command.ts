/** The command line in processes of its own, bundled as it ships. */
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Bundles it. @returns runs a command line in a folder */
export async function builtCommand(): Promise<(cwd: string, ...argv: readonly string[]) => Promise<Ended>> {
  const outdir = path.join(root, "node_modules/.cache/warplens-command");
  await build({
    absWorkingDir: root,
    outdir,
    entryPoints: { cli: "server/src/cli/main.ts", inspector: "server/src/cli/inspector.ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2023",
    mainFields: ["module", "main"],
    banner: { js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);` },
    logLevel: "error",
  });
  return (cwd, ...argv) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [path.join(outdir, "cli.js"), ...argv], { cwd, stdio: ["ignore", "pipe", "pipe"] });
      let out = "";
      let err = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        out += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        err += text;
      });
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, out, err }));
    });
}
