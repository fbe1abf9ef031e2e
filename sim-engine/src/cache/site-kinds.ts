/** What kind of access each site of a launch is, as far as memory is concerned. */
import { writes } from "../memory/site.ts";
import type { TrafficInput } from "./traffic.ts";

export const isWrite = ({ sites }: TrafficInput, s: number): boolean => writes(sites[s]!);
export const isAtomic = ({ sites }: TrafficInput, s: number): boolean =>
  sites[s]!.operation === "atomic" || sites[s]!.operation === "reduction";
export const isOfHost = ({ sites, buffers }: TrafficInput, s: number): boolean => buffers[sites[s]!.buffer ?? -1]?.ofHost === true;
export const isIrregular = ({ sites }: TrafficInput, s: number): boolean => sites[s]!.irregular === true;
