/** What the panel's page and the extension say to each other. */
import type { GpuSummary, PanelModel, WarpSeen, WhatIfAnswer } from "@warplens/server/protocol";

export type ToPage =
  | { readonly type: "model"; readonly model: PanelModel }
  /** The model is of the text before the last edit. */
  | { readonly type: "stale" }
  /** Nothing to show: why. */
  | { readonly type: "empty"; readonly message: string }
  /** What a question came to: nothing where the text is another one by now, or it was not wanted any more. */
  | { readonly type: "imagined"; readonly id: number; readonly answer: WhatIfAnswer | null }
  | { readonly type: "watched"; readonly id: number; readonly answer: WarpSeen | null }
  | { readonly type: "gpus"; readonly gpus: readonly GpuSummary[] }
  /** Values were written into the source; or why they were not. */
  | { readonly type: "applied"; readonly why?: string };

/** A launch of a model, and values for it: the server reads them before it believes them. */
export interface Asked {
  readonly uri: string;
  readonly version: number;
  readonly launch: number;
  readonly overrides: unknown;
}

export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "launch"; readonly index: number }
  /** A click on a line (1-based) of the model's source. Of which file, the extension knows. */
  | { readonly type: "reveal"; readonly line: number }
  | { readonly type: "selectGpu" }
  /** The models to choose from are wanted. */
  | { readonly type: "gpus" }
  /** What a launch would do otherwise; `id` is the answer's. */
  | { readonly type: "imagine"; readonly id: number; readonly asked: Asked }
  /** What a warp does: the server reads which before it believes it. */
  | { readonly type: "watch"; readonly id: number; readonly asked: Asked; readonly warp: object }
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "apply"; readonly asked: Asked }
  /** Texts of a report that was dropped. */
  | { readonly type: "report"; readonly texts: readonly { readonly name: string; readonly text: string }[] }
  /** Files of a report that were dropped from within the editor. */
  | { readonly type: "reportFiles"; readonly uris: readonly string[] }
  /** What was dropped is not taken. */
  | { readonly type: "reportRefused"; readonly why: string }
  | { readonly type: "loadReport" }
  | { readonly type: "showReport"; readonly id: string }
  | { readonly type: "removeReport"; readonly id: string }
  /** The figures of the launch, for those who work on the simulator. */
  | { readonly type: "outlier" }
  /** The GPU of a report. */
  | { readonly type: "gpu"; readonly id: string }
  /** A drawing as a file of its own. */
  | { readonly type: "export"; readonly title: string; readonly svg: string };

/** Characters of a drawing. */
const mostOfDrawing = 1_000_000;
/** Files of one report, and characters of one: the server reads no more. */
export const mostFiles = 16;
export const longestReport = 64_000_000;

/** What the page said, if it is something that a page may say: nothing is taken over unread. */
export function readFromPage(message: unknown): FromPage | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { type, index, line, id, asked, warp, title, svg, texts, uris, why } = message as Readonly<Record<string, unknown>>;
  switch (type) {
    case "ready":
    case "selectGpu":
    case "gpus":
    case "loadReport":
    case "outlier":
      return { type };
    case "report": {
      const read = readTexts(texts);
      return read && { type, texts: read };
    }
    case "reportFiles": {
      const isSound = Array.isArray(uris) && uris.length <= mostFiles && uris.every((uri) => typeof uri === "string" && uri.length <= 4096);
      return isSound ? { type, uris } : undefined;
    }
    case "reportRefused":
      return typeof why === "string" && why.length <= 1000 ? { type, why } : undefined;
    case "showReport":
    case "removeReport":
      return typeof id === "string" ? { type, id } : undefined;
    case "gpu":
      return isGpuName(id) ? { type, id } : undefined;
    case "imagine": {
      const question = readAsked(asked);
      return isCount(id) && question ? { type, id, asked: question } : undefined;
    }
    case "watch": {
      const question = readAsked(asked);
      return isCount(id) && question && typeof warp === "object" && warp ? { type, id, asked: question, warp } : undefined;
    }
    case "cancel":
      return isCount(id) ? { type, id } : undefined;
    case "export": {
      const isDrawing = typeof title === "string" && typeof svg === "string" && svg.startsWith("<svg ") && svg.length <= mostOfDrawing;
      return isDrawing ? { type, title, svg } : undefined;
    }
    case "apply": {
      const question = readAsked(asked);
      return question && { type, asked: question };
    }
    case "launch":
      return isCount(index) ? { type, index } : undefined;
    case "reveal":
      return isCount(line) && line > 0 ? { type, line } : undefined;
    default:
      return undefined;
  }
}

function readAsked(value: unknown): Asked | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { uri, version, launch, overrides } = value as Readonly<Record<string, unknown>>;
  if (typeof uri !== "string" || !isCount(version) || !isCount(launch) || typeof overrides !== "object" || overrides === null)
    return undefined;
  // A name of a GPU is written into the settings: it is nothing else than a name.
  const { gpu } = overrides as Readonly<Record<string, unknown>>;
  return gpu === undefined || isGpuName(gpu) ? { uri, version, launch, overrides } : undefined;
}

function readTexts(value: unknown): { readonly name: string; readonly text: string }[] | undefined {
  if (!Array.isArray(value) || value.length > mostFiles) return undefined;
  const read = value.flatMap((each: unknown) => {
    const { name, text } = { ...(each as { readonly name?: unknown; readonly text?: unknown } | null) };
    return typeof name === "string" && name.length <= 4096 && typeof text === "string" && text.length <= longestReport
      ? [{ name, text }]
      : [];
  });
  return read.length === value.length ? read : undefined;
}

/** What the extension said, if it is something that it may say. */
export function readToPage(message: unknown): ToPage | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { type, model, message: text, id, answer, gpus, why } = message as Readonly<Record<string, unknown>>;
  switch (type) {
    case "stale":
      return { type };
    case "empty":
      return typeof text === "string" ? { type, message: text } : undefined;
    case "imagined":
      return isCount(id) && typeof answer === "object" ? { type, id, answer: answer as WhatIfAnswer | null } : undefined;
    case "watched":
      return isCount(id) && typeof answer === "object" ? { type, id, answer: answer as WarpSeen | null } : undefined;
    case "gpus":
      return Array.isArray(gpus) ? { type, gpus: gpus as GpuSummary[] } : undefined;
    case "applied":
      return typeof why === "string" ? { type, why } : { type };
    case "model":
      // It comes from the server through the extension; whatever of it could not be drawn is said where it is drawn.
      return typeof model === "object" && model !== null ? { type, model: model as PanelModel } : undefined;
    default:
      return undefined;
  }
}

const isGpuName = (value: unknown): value is string => typeof value === "string" && /^[\w.-]{1,64}$/.test(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
