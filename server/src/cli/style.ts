/** Colours for terminals. https://no-color.org is respected. */
import type { Severity } from "../rules/rule.ts";
import type { Io } from "./io.ts";
import type { Given } from "./options.ts";

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const;
export type Colour = keyof typeof codes;

/** Paints a text, or leaves it as it is. */
export type Style = (text: string, ...colours: readonly Colour[]) => string;

const plain: Style = (text) => text;
const painted: Style = (text, ...colours) =>
  text === "" ? "" : `\u001B[${colours.map((colour) => codes[colour]).join(";")}m${text}\u001B[0m`;

export function styleOf({ env, isTerminal }: Io, given: Given): Style {
  if (given["no-color"]) return plain;
  if (given.color) return painted;
  if ((env.NO_COLOR ?? "") !== "" || env.TERM === "dumb") return plain;
  return isTerminal || (env.FORCE_COLOR ?? "0") !== "0" ? painted : plain;
}

export const severityColour: Readonly<Record<Severity, Colour>> = { error: "red", warning: "yellow", information: "blue", hint: "cyan" };
