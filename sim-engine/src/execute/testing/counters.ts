/** Costs of memory requests, counted as simply as they are defined, to check the engine's counters against. */
import { type ScalarType, scalarBytes } from "../../ir/kernel.ts";
import { spaceOf } from "../memory.ts";
import type { ReferenceAccess } from "./reference.ts";

export type Lane = Pick<ReferenceAccess, "lane" | "address">;

export interface Cost {
  requests: number;
  lanes: number;
  transactions: number;
  ideal: number;
  /** Of copies past the L1 alone, of which there are none here. */
  passes: number;
}

const bytesOf = ({ op }: ReferenceAccess): number => {
  const { action } = op;
  const scalar = (action.kind === "load" ? op.type : op.args[1]?.type) as ScalarType;
  return scalarBytes[scalar] * (action.kind === "load" || action.kind === "store" ? action.components : 1);
};

/** Costs by id of the memory operation. */
export function naiveCosts(accesses: readonly ReferenceAccess[]): Map<number, Cost> {
  const requests = new Map<string, ReferenceAccess[]>();
  for (const access of accesses) {
    const key = `${access.op.id}/${access.warp}/${access.when}`;
    const lanes = requests.get(key);
    if (lanes) lanes.push(access);
    else requests.set(key, [access]);
  }
  const costs = new Map<number, Cost>();
  for (const lanes of requests.values()) {
    const [first] = lanes;
    if (!first) continue;
    const bytes = bytesOf(first);
    const { action } = first.op;
    const space = "space" in action ? action.space : "global";
    const shared = space === "shared" || spaceOf(first.address) === "shared";
    const transactions = shared ? wavefronts(lanes, bytes, action.kind === "load") : sectors(lanes, bytes, space === "local");
    const ideal = Math.min(transactions, Math.ceil((lanes.length * bytes) / (shared ? 128 : 32)));
    const cost = costs.get(first.op.id) ?? { requests: 0, lanes: 0, transactions: 0, ideal: 0, passes: 0 };
    cost.requests++;
    cost.lanes += lanes.length;
    cost.transactions += transactions;
    cost.ideal += ideal;
    costs.set(first.op.id, cost);
  }
  return costs;
}

export function sectors(lanes: readonly Lane[], bytes: number, local: boolean): number {
  const found = new Set<number>();
  for (const { address, lane } of lanes) {
    for (let byte = address; byte < address + bytes; byte++) {
      // In local memory word w of lane k is word 32 w + k.
      found.add(Math.floor((local ? (Math.floor(byte / 4) * 32 + lane) * 4 : byte) / 32));
    }
  }
  return found.size;
}

export function wavefronts(lanes: readonly Lane[], bytes: number, isLoad: boolean): number {
  const width = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  const parts = Array.from({ length: 32 / width }, (_, part) => lanes.filter(({ lane }) => Math.floor(lane / width) === part));
  let total = 0;
  for (let k = 0; k < parts.length; k += 2) {
    const [low = [], high = []] = [parts[k], parts[k + 1]];
    const both = [...low, ...high];
    const pairs = (distance: number): boolean =>
      both.every(({ lane, address }) => both.every((other) => other.lane !== (lane ^ distance) || other.address === address));
    if (isLoad && parts.length > 1 && low.length > 0 && high.length > 0 && (pairs(1) || pairs(2)) && ways(both, bytes) === 1) total++;
    else total += ways(low, bytes) + ways(high, bytes);
  }
  return total;
}

function ways(lanes: readonly Lane[], bytes: number): number {
  const banks = Array.from({ length: 32 }, () => new Set<number>());
  for (const { address } of lanes)
    for (let byte = 0; byte < bytes; byte++) banks[Math.floor((address + byte) / 4) % 32]?.add(Math.floor((address + byte) / 4));
  return Math.max(...banks.map((words) => words.size));
}
