/** Divisions by what is known only when the kernel is launched, though it is the same for all threads. */
import type { Program } from "../execute/program.ts";
import { isConstant } from "../ir/constants.ts";
import type { Kernel, Op } from "../ir/kernel.ts";
import { isPure } from "../ir/operations.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Cause } from "./costs.ts";

/** Executions of a warp below which a division is no part of what a launch takes. */
const fewExecutions = 32;
/** Cycles that a division takes a warp at most, whoever else is resident: one of 64 bits is 130 instructions. */
const longest = 2000;
/** Arithmetic that a divisor is looked through. */
const deepest = 8;

/**
 * All are one cause: who hands the kernel constants, or indices of more dimensions, makes them cheap together.
 * @param cycles of all warps of the launch; those that come to less in all are no cause
 */
export function runtimeDivisions(program: Program, { totals, counts }: Sample, cycles: number): Cause[] {
  const found: { readonly op: Op; readonly divisor: Op; readonly executions: number }[] = [];
  for (const compiled of program.blocks) {
    const { executions } = counts.flow(totals, compiled);
    if (executions < fewExecutions) continue;
    for (const op of compiled.block.ops) {
      const [, divisor] = op.args;
      if (op.action.kind !== "int" || !/^[su](div|rem)$/.test(op.action.op) || !divisor) continue;
      if (!isConstant(divisor) && isOfLaunch(divisor, 0)) found.push({ op, divisor, executions });
    }
  }
  if (found.reduce((sum, { executions }) => sum + executions, 0) * longest <= cycles) return [];
  found.sort((a, b) => b.executions - a.executions);
  const names = [...new Set(found.flatMap(({ divisor }) => nameOf(program.kernel, divisor) ?? []))];
  const [only] = names.length === 1 ? names : [];
  return [{ kind: "division", ...(only === undefined ? {} : { object: only }), ops: found.map(({ op }) => op) }];
}

/** It follows from parameters and the launch's size alone. */
function isOfLaunch(op: Op, depth: number): boolean {
  const { action, args } = op;
  if (action.kind === "param" || action.kind === "const") return true;
  if (action.kind === "special") return /^(ntid|nctaid)/.test(action.register);
  if (action.kind === "load") return action.space === "param";
  return depth < deepest && isPure(op) && args.length > 0 && args.every((arg) => isOfLaunch(arg, depth + 1));
}

function nameOf(kernel: Kernel, divisor: Op): string | undefined {
  let op: Op | undefined = divisor;
  while (op?.action.kind === "convert") [op] = op.args;
  return op?.action.kind === "param" ? kernel.parameters[op.action.index]?.name : undefined;
}
