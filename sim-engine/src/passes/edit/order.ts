/** Where operations stand. */
import type { Kernel, Op } from "../../ir/kernel.ts";

/** The operations of each block. */
export type Order = readonly (readonly Op[])[];

export const orderOf = ({ blocks }: Kernel): Order => blocks.map(({ ops }) => [...ops]);

/** Whether all stand where they stood, and none is new or gone. */
export const isInOrder = ({ blocks }: Kernel, order: Order): boolean =>
  blocks.length === order.length &&
  blocks.every(({ ops }, k) => ops.length === order[k]!.length && ops.every((op, position) => op === order[k]![position]));
