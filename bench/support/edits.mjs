/**
 * What people do to a file, as scripts of single steps: each leaves the text as it found it. A step is one `didChange`; some texts
 * in between do not parse, as while one types.
 */
import { outline, statements } from "./functions.mjs";

/**
 * @typedef {readonly [start: number, end: number, text: string]} Edit
 * @typedef {{ kind: string, where: string, edits: readonly Edit[], kernel?: number, fresh: boolean, broken?: true }} Step
 *   `kernel`: the offset of the name of the kernel that is edited, after the step; `fresh`: the code is none that was there before,
 *   so that its simulation cannot be remembered; `broken`: it does not parse after the step
 */

/** Puts a text in and takes it out again. */
const inAndOut = (at, put, fresh) => [
  { edits: [[at, at, put]], fresh },
  { edits: [[at, at + put.length, ""]], fresh: false },
];

const another = (digit) => String((Number(digit) % 9) + 1);

/** Kinds of edits in a function: its text, itself, and the offset of a statement in it. */
const inFunctions = {
  constant: (text, { body: [start, end] }) => {
    const found = /(?<![\w.#"])\d+(?![\w.]*")/.exec(text.slice(start, end));
    if (!found) return undefined;
    const at = start + found.index + found[0].length - 1;
    const digit = text[at];
    return [
      { edits: [[at, at + 1, another(digit)]], fresh: true },
      { edits: [[at, at + 1, digit]], fresh: false },
    ];
  },
  whitespace: (_text, _fn, at) => inAndOut(at, " ", false),
  line: (text, _fn, at) => {
    const indent = /[ \t]*$/.exec(text.slice(0, at))?.[0] ?? "";
    return inAndOut(at, `int added = 1; (void)added;\n${indent}`, true);
  },
  token: (_text, _fn, at) => inAndOut(at, "; ", false),
  "half-typed": (_text, _fn, at) => {
    const [half, rest] = ["float half = (", "1.0f + 2.0f); "];
    return [
      { edits: [[at, at, half]], fresh: false, broken: true },
      { kind: "completed", edits: [[at + half.length, at + half.length, rest]], fresh: true },
      { edits: [[at, at + half.length + rest.length, ""]], fresh: false },
    ];
  },
  rename: (text, { span: [start, end], parameter }) => {
    if (parameter === undefined) return undefined;
    const places = [...text.slice(start, end).matchAll(new RegExp(String.raw`(?<![\w.]|->)${parameter}\b`, "g"))].map(
      ({ index }) => start + index,
    );
    const to = `${parameter}_renamed`;
    const back = places.map((at, k) => at + k * (to.length - parameter.length));
    return [
      { edits: places.map((at) => [at, at + parameter.length, to]), fresh: true },
      { edits: back.map((at) => [at, at + to.length, parameter]), fresh: false },
    ];
  },
};

/** Spread over a list: the same numbers give the same members. */
const spread = (list, k) => list[(k * 7919) % list.length];

/**
 * Scripts of edits, of all kinds in turn and spread over the file.
 * @param {string} text
 * @param {number} count scripts
 * @returns {Step[][]}
 */
export function scripts(text, count) {
  const { kernels, hosts, comments, defines } = outline(text);
  const makers = [];
  for (const kind of Object.keys(inFunctions))
    for (const [where, functions] of Object.entries({ kernel: kernels, host: hosts }))
      if (functions.length > 0) makers.push((k) => inFunction(text, kind, where, spread(functions, k), k));
  if (comments.length > 0) makers.push((k) => tagged(inAndOut(spread(comments, k), "s", false), "comment", "comment"));
  if (defines.length > 0) makers.push((k) => define(text, spread(defines, k)));
  makers.push(() => tagged(inAndOut(0, "// Read me first.\n", false), "line", "top"));
  makers.push(() => tagged(inAndOut(afterComment(text), "#include <cstddef>\n", false), "include", "top"));
  const made = [];
  // A file may have no place for some: others take their turn.
  for (let k = 0; made.length < count && k < count * 4; k++) {
    const script = makers[k % makers.length](k);
    if (script) made.push(script);
  }
  return made;
}

const tagged = (steps, kind, where, kernel) => steps.map((step) => ({ kind, where, ...step, ...(kernel === undefined ? {} : { kernel }) }));

function inFunction(text, kind, where, fn, k) {
  const at = spread(statements(text, fn.body), k);
  const steps = at === undefined ? undefined : inFunctions[kind](text, fn, at);
  return steps && tagged(steps, kind, where, where === "kernel" ? fn.nameAt : undefined);
}

function define(text, at) {
  const digit = text[at];
  const steps = [
    { edits: [[at, at + 1, another(digit)]], fresh: true },
    { edits: [[at, at + 1, digit]], fresh: false },
  ];
  return tagged(steps, "define", "top");
}

/** After the comment that a file begins with. */
const afterComment = (text) => /^(?:\s*\/\/[^\n]*\n|\s*\/\*[\s\S]*?\*\/[^\n]*\n)*/.exec(text)?.[0].length ?? 0;

/**
 * What somebody types without a pause, character by character, in kernels and host code; each burst ends with a step that takes all
 * out again.
 * @param {string} text
 * @param {number} count
 * @returns {{ typed: readonly Step[], undo: Step }[]}
 */
export function bursts(text, count) {
  const { kernels, hosts } = outline(text);
  const functions = [...kernels, ...hosts].filter(({ body }) => statements(text, body).length > 0);
  if (functions.length === 0) return [];
  const words = "float typed = (1.0f + 2.0f) * 3.0f; ";
  return Array.from({ length: count }, (_, k) => {
    const at = spread(statements(text, spread(functions, k + 1).body), k);
    const typed = [...words].map((character, n) => ({ kind: "typing", where: "burst", edits: [[at + n, at + n, character]], fresh: true }));
    return { typed, undo: { kind: "typing", where: "burst", edits: [[at, at + words.length, ""]], fresh: false } };
  });
}
