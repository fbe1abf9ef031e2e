/** One colour for each thing that warps wait for, in the gutter and in the panel. */
import type { WaitKind } from "@warplens/server/protocol";

export type WaitColour = "blue" | "purple" | "red" | "orange" | "green";

export const waitColours: Readonly<Record<WaitKind, WaitColour>> = {
  memory: "blue",
  shared: "purple",
  constant: "purple",
  atomics: "red",
  barrier: "orange",
  call: "orange",
  pipe: "green",
  dependence: "green",
  issue: "green",
  code: "green",
};
