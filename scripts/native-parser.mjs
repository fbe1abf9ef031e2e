/**
 * Builds node-tree-sitter where the library that npm brings does not load and there is a compiler. Everything works without it, in
 * WebAssembly; the command line and the server from source start faster with it. `node scripts/native-parser.mjs`
 */
import { ensureNativeParser } from "./support/native-parser.mjs";

console.log(await ensureNativeParser());
