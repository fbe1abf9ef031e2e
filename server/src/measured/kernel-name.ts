/** The names of kernels in reports: `void scale<(int)4>(float *, int)` is `scale<4>`. */
import { demangleKernel, type KernelSymbol } from "../nvcc/demangle.ts";

const open: ReadonlySet<string> = new Set("<([{");
const close: ReadonlySet<string> = new Set(">)]}");

/** A kernel's name and template arguments; a mangled one that cannot be read stays as it is. */
export function kernelSymbol(printed: string): KernelSymbol {
  if (printed.startsWith("_Z")) return demangleKernel(printed) ?? { name: printed, templateArguments: [] };
  const text = printed.replaceAll(/(?:<unnamed>|\(anonymous namespace\))::/g, "").replace(/^void /, "");
  let depth = 0;
  let arguments_: number | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "(" && depth === 0) return symbolOf(text.slice(0, at), arguments_);
    if (character === "<" && depth === 0) arguments_ = at;
    if (open.has(character)) depth++;
    if (close.has(character)) depth--;
  }
  return symbolOf(text, arguments_);
}

/** @param from where the last list of template arguments begins: they are the kernel's where nothing stands behind them */
function symbolOf(head: string, from: number | undefined): KernelSymbol {
  const name = head.trim();
  if (from === undefined || !name.endsWith(">")) return { name, templateArguments: [] };
  return { name: name.slice(0, from).trim(), templateArguments: listOf(name.slice(from + 1, -1)) };
}

/** What commas part at the outermost level. */
function listOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (open.has(character)) depth++;
    if (close.has(character)) depth--;
    if (character !== "," || depth > 0) continue;
    parts.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return [...parts, text.slice(from).trim()];
}
