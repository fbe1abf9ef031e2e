/** The atomic sums of a file's kernels at whose address all lanes of a warp meet, each with a launch in which they do. */
import type { RuleContext, SimulatedLaunch } from "../../rules/rule.ts";
import { type AtomicSum, atomicSum } from "../../rules/support/aggregate-atomic.ts";
import { placeIn } from "../../rules/support/violations.ts";

/** Lanes of a warp. */
const warpSize = 32;

export function* atomicSums(context: RuleContext): Generator<{ readonly sum: AtomicSum; readonly launch: SimulatedLaunch }> {
  const { program, syntax, launches } = context;
  const { reading } = program;
  for (const call of syntax.expressions("call")) {
    const sum = atomicSum(call);
    if (!sum) continue;
    const { file, start } = reading.locate(call.start, call.end);
    const launch = launches.find((each) =>
      each.report.accesses.some((access) => {
        const at = access.operation === "atomic" && access.worst === warpSize ? placeIn(each, access, reading.files) : undefined;
        return at?.file === file && at.start === start;
      }),
    );
    if (launch) yield { sum, launch };
  }
}
