/** For tests of edits: what an analysis says, and edits made of random numbers. */
import { findGpu } from "@warplens/sim-engine";
import { capabilityNumber, devicePropertiesOf } from "../../simulate/device-properties.ts";
import type { Configuration, TextEdit } from "../messages.ts";
import type { JobRunner } from "../run.ts";

/** @param id of a GPU */
export function configuration(id: string, revision: number): Configuration {
  const gpu = findGpu(id);
  if (!gpu) throw new Error(`no model of ${id}`);
  const device = devicePropertiesOf(gpu);
  const computeCapability = capabilityNumber(gpu.computeCapability);
  return {
    revision,
    gpu,
    lint: {},
    analysis: { computeCapability, defines: [], includeDirs: [], launches: [], assume: [], argv: [], device },
  };
}

/**
 * All it says of a file once nobody types in it, but for what tells when and how long; undefined where it was cancelled. What it says of a
 * broken text before that is not looked at: see `AnalysisWorker.settle`.
 */
export function said(made: JobRunner, path: string, isCancelled: () => boolean = () => false): unknown {
  const first = made.find(path);
  const found = first.isSettled ? first : made.settle(path, isCancelled);
  const told = [found, ...made.simulate(path, {}, isCancelled)];
  if (isCancelled()) return undefined;
  return JSON.parse(JSON.stringify(told, (key, value: unknown) => (key === "about" || key === "ms" ? undefined : value)));
}

/** An edit, made from numbers so that it fits whatever the text has become. */
export type Step = readonly [
  kind: "token" | "delete" | "line" | "swap" | "comment" | "digit" | "blank" | "type",
  at: number,
  choice: number,
];

const tokens = [
  "1",
  "+ 1",
  "n",
  ";",
  "{",
  "}",
  "(",
  ")",
  "unsigned ",
  "* 0.5",
  "float q = 1;",
  "__syncthreads();",
  "// warplens: n=64\n",
  "i",
  "\n",
  "const ",
];

export function editFor([kind, at, choice]: Step, text: string): TextEdit {
  const lines = text.split("\n");
  const starts = lines.map((_, index) => lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0));
  const line = at % lines.length;
  const start = starts[line] ?? 0;
  const length = lines[line]?.length ?? 0;
  switch (kind) {
    case "token": {
      const words = [...(lines[line] ?? "").matchAll(/\b/g)].map(({ index }) => index);
      const offset = start + (words[choice % Math.max(1, words.length)] ?? 0);
      return { start: offset, end: offset, text: tokens[choice % tokens.length] ?? "" };
    }
    case "delete": {
      const offset = start + (choice % Math.max(1, length));
      return { start: offset, end: Math.min(text.length, offset + 1 + (choice % 7)), text: "" };
    }
    case "line":
      return { start, end: Math.min(text.length, start + length + 1), text: "" };
    case "swap": {
      const other = choice % lines.length;
      return { start: starts[other] ?? 0, end: starts[other] ?? 0, text: `${lines[line]}\n` };
    }
    case "comment":
      return { start: start + length, end: start + length, text: choice % 2 ? " // why" : "\n  /* more\n words */" };
    case "digit": {
      const digit = /\d/.exec(text.slice(start));
      const offset = start + (digit?.index ?? 0);
      return { start: offset, end: Math.min(text.length, offset + 1), text: String(1 + (choice % 9)) };
    }
    case "type": {
      const types = [...text.matchAll(/\b(?:float|double|int|unsigned)\b/g)];
      const { index = 0, 0: word = "" } = types[at % Math.max(1, types.length)] ?? {};
      const other = { float: "double", double: "float", int: "unsigned", unsigned: "int" }[word] ?? "";
      return { start: index, end: index + word.length, text: other };
    }
    case "blank":
      return { start, end: start, text: choice % 2 ? " " : "\n" };
  }
}

/** The text after an edit. */
export const apply = (text: string, { start, end, text: by }: TextEdit): string => text.slice(0, start) + by + text.slice(end);

/** Kinds of steps, the ones that people do most more often. */
export const stepKinds: readonly Step[0][] = ["token", "delete", "line", "swap", "comment", "comment", "digit", "blank", "blank", "type"];
