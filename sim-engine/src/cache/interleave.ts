/**
 * The order in which requests of warps that run together come: of each warp in turn those that it makes without waiting. A scheduler goes on
 * with one warp for as long as it can (Huerta et al., Analyzing Modern NVIDIA GPU cores, 2025: greedy, then the youngest).
 */
import type { Work } from "../work.ts";
import type { SectorLog } from "./log.ts";

/** Steps of a sector that is visited: many take as long as an instruction that is executed. */
export const sectorSteps = 1 / 8;

/**
 * Calls `visit` with each request of the logs, all warps of all blocks taking turns: which one of its warp's it is (`turn`), and how often
 * each warp has had its turn before (`round`).
 */
export function interleave(
  logs: readonly SectorLog[],
  work: Work,
  visit: (log: SectorLog, request: number, turn: number, round: number) => void,
): void {
  // By block and warp: its requests in order.
  const queues: { log: SectorLog; requests: number[]; next: number }[] = [];
  for (const log of logs) {
    const byWarp = new Map<number, number[]>();
    for (let r = 0; r < log.requests; r++) {
      work.ask(sectorSteps);
      const warp = log.warp[r]!;
      const requests = byWarp.get(warp);
      if (requests) requests.push(r);
      else byWarp.set(warp, [r]);
    }
    for (const requests of byWarp.values()) queues.push({ log, requests, next: 0 });
  }
  for (let round = 0; queues.length > 0; round++) {
    let kept = 0;
    for (const queue of queues) {
      const { log, requests } = queue;
      do {
        const request = requests[queue.next]!;
        work.ask(sectorSteps * (1 + log.start[request + 1]! - log.start[request]!));
        visit(log, request, queue.next++, round);
      } while (queue.next < requests.length && log.goesOn[requests[queue.next]!] === 1);
      if (queue.next < requests.length) queues[kept++] = queue;
    }
    queues.length = kept;
  }
}
