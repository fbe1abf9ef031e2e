/** The order in which requests of warps that run together come: one of each warp in turn. */
import type { Work } from "../work.ts";
import type { SectorLog } from "./log.ts";

/** Steps of a sector that is visited: many take as long as an instruction that is executed. */
export const sectorSteps = 1 / 8;

/** Calls `visit` with each request of the logs and the turn it is made in, all warps of all blocks taking turns. */
export function interleave(logs: readonly SectorLog[], work: Work, visit: (log: SectorLog, request: number, turn: number) => void): void {
  // By block and warp: its requests in order.
  const queues: { log: SectorLog; requests: number[] }[] = [];
  for (const log of logs) {
    const byWarp = new Map<number, number[]>();
    for (let r = 0; r < log.requests; r++) {
      work.ask(sectorSteps);
      const warp = log.warp[r]!;
      const requests = byWarp.get(warp);
      if (requests) requests.push(r);
      else byWarp.set(warp, [r]);
    }
    for (const requests of byWarp.values()) queues.push({ log, requests });
  }
  for (let turn = 0; queues.length > 0; turn++) {
    let kept = 0;
    for (const queue of queues) {
      const { log } = queue;
      const request = queue.requests[turn]!;
      work.ask(sectorSteps * (1 + log.start[request + 1]! - log.start[request]!));
      visit(log, request, turn);
      if (turn + 1 < queue.requests.length) queues[kept++] = queue;
    }
    queues.length = kept;
  }
}
