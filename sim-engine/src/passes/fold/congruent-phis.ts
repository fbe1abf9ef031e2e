/**
 * Phis that are equal because others are, around a loop: `a = phi(0, c)`, `b = phi(0, d)` with `c = phi(a, x)` and `d = phi(b, x)`, as a
 * variable leaves them that is looked at in two ways. All are taken to be equal until their operands show that they are not, as
 * LLVM's InstCombine does (`PHIsEqualValue`).
 */
import type { Kernel, Op } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import type { Substitution } from "../edit/substitution.ts";

/** Makes one of phis that are equal. */
export function mergeCongruentPhis(kernel: Kernel, substitution: Substitution, work: Work): void {
  const several = kernel.blocks.filter(({ phis }) => phis.length > 1);
  const phis = several.flatMap((block) => block.phis);
  if (phis.length === 0) return;
  let classOf = new Map<Op, number>();
  let count = 0;
  for (const block of several) {
    const types = [...new Set(block.phis.map(({ type }) => type))];
    for (const phi of block.phis) classOf.set(phi, count + types.indexOf(phi.type));
    count += types.length;
  }
  for (let before = 0; count > before && count < phis.length; ) {
    work.ask(4 * phis.length);
    before = count;
    const numbers = new Map<string, number>();
    const refined = new Map<Op, number>();
    for (const phi of phis) {
      const operands = phi.args.map((arg) => (classOf.has(arg) ? `c${classOf.get(arg)}` : arg.id));
      const key = `${classOf.get(phi)} ${operands.join(" ")}`;
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      refined.set(phi, number);
    }
    classOf = refined;
    count = numbers.size;
  }
  if (count === phis.length) return;
  const first = new Map<number, Op>();
  for (const block of several) {
    block.phis = block.phis.filter((phi) => {
      const number = classOf.get(phi) as number;
      const same = first.get(number);
      if (same) substitution.replace(phi, same);
      else first.set(number, phi);
      return same === undefined;
    });
  }
}
