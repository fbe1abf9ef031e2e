/** What values are computed from, gone through without recursion: a kernel may compute one from the other for as long as it likes. */
import type { Op } from "./kernel.ts";

/**
 * A value and what it is computed from, each once.
 * @param operands of an operation, those that it goes on to
 */
export function* madeOf(value: Op, operands: (op: Op) => readonly Op[]): Generator<Op> {
  const seen = new Set<Op>();
  const pending = [value];
  for (let op = pending.pop(); op; op = pending.pop()) {
    if (seen.has(op)) continue;
    seen.add(op);
    yield op;
    pending.push(...operands(op));
  }
}

/** Whether a value is one that is sought, or computed from one. */
export function comesOf(value: Op | undefined, isSought: (op: Op) => boolean, operands: (op: Op) => readonly Op[]): boolean {
  if (value) for (const op of madeOf(value, operands)) if (isSought(op)) return true;
  return false;
}

/**
 * The answer for a value, after those for what it is computed from, each of which is asked for once.
 * @param known answers so far; those that are found are added
 * @param underway what holds of a value while it is being asked for: round a loop it comes to itself
 */
export function answerOf<Answer>(
  value: Op,
  known: Map<Op, Answer>,
  underway: Answer,
  operands: (op: Op) => readonly Op[],
  answer: (op: Op) => Answer,
): Answer {
  const open: { readonly op: Op; readonly operands: readonly Op[]; next: number }[] = [];
  const begin = (op: Op): void => {
    known.set(op, underway);
    open.push({ op, operands: operands(op), next: 0 });
  };
  if (!known.has(value)) begin(value);
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const operand = top.operands[top.next++];
    if (!operand) {
      open.pop();
      known.set(top.op, answer(top.op));
    } else if (!known.has(operand)) begin(operand);
  }
  return known.get(value) as Answer;
}
