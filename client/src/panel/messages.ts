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
  /** A click on a line. `line` is 1-based. */
  | { readonly type: "reveal"; readonly uri: string; readonly line: number }
  | { readonly type: "selectGpu" };
