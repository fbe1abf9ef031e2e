/** Lets the runner skip iterations of loops that advance steadily. */
import type { AccessCounter } from "../execute/accesses.ts";
import type { CompiledBlock } from "../execute/program.ts";
import { newState } from "../execute/skip.ts";
import type { Loop } from "../ir/graph.ts";
import type { Op } from "../ir/kernel.ts";
import { meetsOthers } from "../ir/operations.ts";
import type { Work } from "../work.ts";
import { loopVariation, type Subject } from "./variation.ts";

/** Iterations that are looked at before those after them are taken to cost the same on average. */
const irregularWindow = 12;

/** Marks the headers of loops that may be skipped; the loops in which skipping gives an estimate, not exact counts. */
export function markSkips(subject: Subject, work: Work): Loop[] {
  const { program } = subject;
  const compiled = new Map(program.blocks.map((each) => [each.block, each]));
  const estimated: Loop[] = [];
  for (const loop of program.loops) {
    const blocks = [...loop.blocks].flatMap((block) => compiled.get(block) ?? []);
    const header = compiled.get(loop.header);
    if (!header || hasEffects(subject, loop)) continue;
    const variation = loopVariation(subject, loop, work);
    if (!variation || variation.irregularFlow) continue;
    const regular = variation.irregularAddresses.size === 0 && !variation.approximate;
    if (!regular) estimated.push(loop);
    const counters: AccessCounter[] = [];
    for (const block of loop.blocks) for (const op of block.ops) counters.push(...(program.counters.get(op) ?? []));
    header.skip = {
      window: regular ? variation.period : Math.ceil(irregularWindow / variation.period) * variation.period,
      values: [
        ...loop.header.phis
          .filter((phi) => program.slice.needs(phi))
          .map((phi) => ({
            slot: program.registers.slot(phi),
            uniform: !program.divergence.isVarying(phi) || program.patterns.of(phi) !== undefined,
            ...(variation.goingRound.has(phi) ? { goesRound: true } : {}),
          })),
        ...[...program.clocks].flatMap(([op, { time }]) =>
          [...loop.blocks].some(({ ops }) => ops.includes(op)) ? [{ slot: time, uniform: true }] : [],
        ),
      ],
      blocks: new Set<CompiledBlock>(blocks),
      counters,
      state: newState(),
    };
    // Between two iterations in which all comparisons of steady values have the same outcome, they have it throughout.
    for (const block of loop.blocks) {
      const each = compiled.get(block);
      if (each) each.watches = block.ops.filter((op) => program.slice.needs(op) && compares(op)).map((op) => program.isBelow(op));
    }
  }
  return estimated;
}

const compares = ({ action, args }: Op): boolean =>
  (action.kind === "icmp" && args[0]?.type !== "i1") || (action.kind === "int" && /^[su](min|max)$/.test(action.op));

/** Something in the loop changes memory or tells other warps: every iteration must be run. */
function hasEffects({ program }: Subject, loop: Loop): boolean {
  return [...loop.blocks].some((block) =>
    block.ops.some((op) => program.slice.acts(op) || meetsOthers(op) || (op.action.kind === "barrier" && program.slice.needs(op))),
  );
}
