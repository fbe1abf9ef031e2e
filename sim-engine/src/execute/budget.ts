/** What running may cost. */

/** The work went beyond what it was allowed. */
export class BudgetExceeded extends Error {}

/** A loop that goes on for longer waits for something that does not happen here: a clock, another block, the host. */
export const mostTurns = 2 ** 40;
