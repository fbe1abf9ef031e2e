import type { Kind } from "../kind.ts";
import { edits } from "./edits.ts";
import { messages } from "./messages.ts";
import { programs } from "./programs.ts";
import { projects } from "./projects.ts";
import { together } from "./together.ts";

// Each takes its own inputs alone: whoever runs one hands it what it has made.
export const kinds: Readonly<Record<"programs" | "edits" | "together" | "messages" | "projects", Kind<never>>> = {
  programs: programs as Kind<never>,
  edits: edits as Kind<never>,
  together: together as Kind<never>,
  messages: messages as Kind<never>,
  projects: projects as Kind<never>,
};

export type KindName = keyof typeof kinds;

export const isKind = (name: string): name is KindName => Object.hasOwn(kinds, name);
