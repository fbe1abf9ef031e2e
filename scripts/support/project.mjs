/** The repository and how to run things in it. Nothing but Node at the top: these scripts run before anything is installed. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const cache = path.join(root, ".cache");

/**
 * Runs a command with its output shown.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string> }} [options]
 * @returns {Promise<number>} the exit code; 127 when it cannot be started
 */
export function run(command, args, { cwd = root, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "inherit", "inherit"] });
    child.once("error", () => resolve(127));
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/** Runs a program of node_modules/.bin. */
export const runBin = (name, args, options) => run(process.execPath, [binOf(name), ...args], options);

function binOf(name) {
  const manifest = JSON.parse(readFileSync(path.join(root, "node_modules", name, "package.json"), "utf8"));
  const bin = typeof manifest.bin === "string" ? manifest.bin : (manifest.bin[path.basename(name)] ?? Object.values(manifest.bin)[0]);
  return path.join(root, "node_modules", name, bin);
}

/** Whether node_modules holds what the lock file asks for; what another platform needs may be missing. */
function installed() {
  const held = path.join(root, "node_modules/.package-lock.json");
  if (!existsSync(held)) return false;
  const packagesOf = (file) => JSON.parse(readFileSync(file, "utf8")).packages;
  const present = packagesOf(held);
  return Object.entries(packagesOf(path.join(root, "package-lock.json"))).every(
    ([where, { version, link, optional, devOptional, peer }]) =>
      !where.startsWith("node_modules/") ||
      link ||
      present[where]?.version === version ||
      (!present[where] && (optional || devOptional || peer)),
  );
}

/** Installs the dependencies where they are missing or not those of the lock file. Ends the process where that fails. */
export async function ensureInstalled() {
  if (installed()) return;
  console.log("Installing dependencies (npm ci)…");
  const code = await run("npm", ["ci", "--no-audit", "--no-fund"]);
  if (code === 0) return;
  console.error("npm ci failed: is the npm registry reachable?");
  process.exit(code);
}
