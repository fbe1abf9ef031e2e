/** Where the functions, comments and constants of a CUDA file stand, as far as a search by pattern tells: enough to choose edits. */

const blank = (found) => found.replace(/[^\n]/g, " ");

/** Comments, strings and launch bounds made spaces, so that what is searched for is code, and what is called is a function. */
function codeOnly(text) {
  return text
    .replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'/g, blank)
    .replace(/\b__launch_bounds__\s*\([^()]*(?:\([^()]*\)[^()]*)*\)/g, blank);
}

/** The offset of the brace that closes one; the end of a text that is cut off. */
function closing(code, open) {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === "{") depth++;
    else if (code[at] === "}" && --depth === 0) return at;
  }
  return code.length;
}

/**
 * @param {string} text
 * @returns {{ kernels: Func[], hosts: Func[], comments: number[], defines: number[] }} functions at the top level; offsets into comments'
 * words, and of the last digit of each `#define NAME 123`
 * @typedef {{ name: string, nameAt: number, body: readonly [start: number, end: number], parameter?: string, span: readonly [number, number] }} Func
 */
export function outline(text) {
  const code = codeOnly(text);
  const kernels = [];
  const hosts = [];
  const head = /^(?!#)[ \t]*(?:[\w:&*<>,~]+(?:\([^;{}()]*\))?[ \t\n]+|[&*])*?([A-Za-z_]\w*)\s*\(([^;{}]*?)\)\s*(?:const\s*)?\{/gm;
  for (let found = head.exec(code); found; found = head.exec(code)) {
    const [whole, name, parameters] = found;
    const open = found.index + whole.length - 1;
    const close = closing(code, open);
    head.lastIndex = close;
    if (/^(if|for|while|switch|do|else|namespace|struct|class)$/.test(name)) continue;
    const before =
      code
        .slice(Math.max(0, found.index - 200), found.index)
        .split(/[;}]/)
        .at(-1) ?? "";
    const intro = before + whole.slice(0, whole.indexOf(name));
    const nameAt = found.index + whole.search(new RegExp(String.raw`\b${name}\s*\(`));
    const parameter = /\b([A-Za-z_]\w*)\s*$/.exec(parameters.split(",")[0] ?? "")?.[1];
    const made = { name, nameAt, body: [open + 1, close], span: [nameAt, close], ...(parameter ? { parameter } : {}) };
    if (intro.includes("__global__")) kernels.push(made);
    else if (!intro.includes("__device__")) hosts.push(made);
  }
  const comments = [...text.matchAll(/\/\/[ \t]*[A-Za-z]{3,}/g)].map(({ index, 0: { length } }) => index + length);
  const defines = [...code.matchAll(/^#define[ \t]+\w+[ \t]+\(?\d+/gm)].map(({ index, 0: { length } }) => index + length - 1);
  return { kernels, hosts, comments, defines };
}

/** Statements of a body that stand on lines of their own: offsets of their first characters. */
export function statements(text, [start, end]) {
  const found = [...text.slice(start, end).matchAll(/^[ \t]+(?=[A-Za-z_][^\n{}]*;[ \t]*$)/gm)];
  return found.map(({ index, 0: { length } }) => start + index + length);
}
