/** What the panel's page and the extension say to each other. */
import type { PanelModel } from "@warplens/server/protocol";

export type ToPage =
  | { readonly type: "model"; readonly model: PanelModel }
  /** The model is of the text before the last edit. */
  | { readonly type: "stale" }
  /** Nothing to show: why. */
  | { readonly type: "empty"; readonly message: string };

export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "launch"; readonly index: number }
  /** A click on a line (1-based) of the model's source. Of which file, the extension knows. */
  | { readonly type: "reveal"; readonly line: number }
  | { readonly type: "selectGpu" };

/** What the page said, if it is something that a page may say: nothing is taken over unread. */
export function readFromPage(message: unknown): FromPage | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { type, index, line } = message as Readonly<Record<string, unknown>>;
  switch (type) {
    case "ready":
    case "selectGpu":
      return { type };
    case "launch":
      return isCount(index) ? { type, index } : undefined;
    case "reveal":
      return isCount(line) && line > 0 ? { type, line } : undefined;
    default:
      return undefined;
  }
}

/** What the extension said, if it is something that it may say. */
export function readToPage(message: unknown): ToPage | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { type, model, message: text } = message as Readonly<Record<string, unknown>>;
  switch (type) {
    case "stale":
      return { type };
    case "empty":
      return typeof text === "string" ? { type, message: text } : undefined;
    case "model":
      // It comes from the server through the extension; whatever of it could not be drawn is said where it is drawn.
      return typeof model === "object" && model !== null ? { type, model: model as PanelModel } : undefined;
    default:
      return undefined;
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
