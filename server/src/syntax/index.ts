export { FileParser, type ParsedFile } from "./parse-file.ts";
export type { Parser } from "./parser/parser.ts";
export { loadWasmParser, type WasmAssets } from "./parser/wasm.ts";
export { read } from "./preprocess/preprocess.ts";
export type { FileHost, ReadOptions } from "./preprocess/types.ts";
