/** What a server needs with many files open, and how long its other answers wait while settings change. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./bundle.mjs";
import { generate } from "./generate.mjs";
import { LanguageServer } from "./language-server.mjs";

const openFiles = 20;
const folder = path.join(root, "sim-engine/validation/h200/kernels");

/**
 * Opens 20 files and waits for their simulations.
 * @param {readonly string[]} command of the server
 * @returns {Promise<{ files: number, ms: number, memory: number | undefined }>} the memory in MB of 2^20 bytes
 */
export async function manyFiles(command) {
  const names = readdirSync(folder).sort();
  const server = await LanguageServer.start(command, { folder });
  try {
    const files = Array.from({ length: openFiles }, (_, k) => {
      const name = names[k % names.length];
      return { uri: pathToFileURL(path.join(folder, `${k}-${name}`)).toString(), text: readFileSync(path.join(folder, name), "utf8") };
    });
    const start = performance.now();
    const done = files.map(({ uri }) => server.simulatedToEnd(uri, 1));
    for (const { uri, text } of files) server.open(uri, text);
    await Promise.all(done);
    return { files: openFiles, ms: performance.now() - start, memory: server.memory() };
  } finally {
    server.stop();
  }
}

/**
 * Chooses another GPU with a long file open, and asks for something else again and again until that file's findings are there.
 * @param {readonly string[]} command of the server
 * @param {number} lines of the file
 * @returns {Promise<{ lines: number, waits: number, ms: number }>} the longest that another request waited, and the whole, in milliseconds
 */
export async function otherSetting(command, lines) {
  const server = await LanguageServer.start(command, { folder });
  try {
    const uri = pathToFileURL(path.join(folder, "long.cu")).toString();
    const found = server.diagnosed(uri, 1);
    server.open(uri, generate(lines));
    await found;
    const start = performance.now();
    const chosen = server.next(({ kind, gpu }) => kind === "status" && gpu.id === "t4");
    server.configure({ gpu: "t4" });
    let done = false;
    const again = chosen.then(() => server.diagnosed(uri, 1)).then(() => (done = true));
    let waits = 0;
    while (!done) {
      const asked = performance.now();
      await server.request("warplens/rules");
      waits = Math.max(waits, performance.now() - asked);
      await Promise.race([again, new Promise((resolve) => setTimeout(resolve, 10))]);
    }
    return { lines, waits, ms: performance.now() - start };
  } finally {
    server.stop();
  }
}
