/** Where the sectors are served of one block, or warp, that goes on when most others have ended: the L1 is its own. */
import type { Work } from "../work.ts";
import type { Footprints } from "./footprint.ts";
import { playL1 } from "./l1.ts";
import { ratio } from "./ratio.ts";
import { isAtomic, isWrite } from "./site-kinds.ts";
import type { SiteMemory } from "./site-memory.ts";
import type { SiteTraffic, TrafficInput } from "./traffic.ts";

/**
 * By site. What it is first to touch comes from memory where no other block has touched it before, as most have that have ended long since.
 * Of stores, of atomics, and of what it does not ask for, the launch's own.
 */
export function trafficAlone(
  input: TrafficInput,
  launch: readonly SiteTraffic[],
  memory: readonly SiteMemory[],
  footprints: Footprints,
  work: Work,
): SiteTraffic[] | undefined {
  const { gpu, l1Bytes, sites, longest } = input;
  if (!longest) return undefined;
  const { log, besides } = longest;
  const l1 = playL1([log], sites, { bytes: l1Bytes, share: 1 }, gpu.values, work);
  const first = footprints.alone(log, work);
  /** Of what it touches first, the share that nobody else has touched before; where no other comes to the site, as at others of the buffer. */
  const ownOf = (s: number): number => {
    const { buffer } = sites[s]!;
    const alike = memory[s]!.firstSectors > 0 ? [memory[s]!] : memory.filter((_, t) => buffer !== undefined && sites[t]!.buffer === buffer);
    const sum = (of: "missedSectors" | "firstSectors"): number => alike.reduce((total, site) => total + site[of], 0);
    return untouchedBefore(Math.min(1, ratio(sum("missedSectors"), sum("firstSectors"), 1)), besides);
  };
  return launch.map((of, s) => {
    const { sectors, onward, accesses, lines, ofOnward } = l1[s]!;
    if (sectors === 0 || isWrite(input, s) || isAtomic(input, s)) return of;
    const pastL1 = onward / sectors;
    const missed = Math.min(pastL1, (first.read[s]! / sectors) * ownOf(s));
    const along = missed * ratio(first.along[s]!, first.read[s]!, 0);
    const alongOthers = missed * ratio(first.alongOthers[s]!, first.read[s]!, 0);
    const dram = missed - along;
    const { rereads: _, ...rest } = of;
    return {
      ...rest,
      l1: 1 - pastL1,
      l2: pastL1 - dram,
      dram,
      underWay: 0,
      l2UnderWay: Math.min(pastL1 - dram, besides * pastL1 * ratio(of.l2UnderWay, of.l2 + of.dram, 0)),
      accessesPerSector: ratio(accesses, onward, 1),
      linesPerSector: ratio(lines, onward, 1),
      together: ratio(onward, ofOnward, 1),
      along,
      togetherFromMemory: Math.max(ratio(dram, dram + alongOthers, 1), ratio(dram, pastL1, 0)),
    };
  });
}

/** Halvings of the interval that a number of touches is sought in, and its end. */
const halvings = 30;
const mostTouches = 64;

/**
 * Where blocks touch places by chance, λ of them each on average, (1 - e^-λ) / λ of the touches are the first. Of the places that one of them
 * comes to in a time of 1, others that take `besides` come to e^(-λ (1 - besides / 2)) later or never. Assumed (DEVIATIONS.md).
 */
function untouchedBefore(firsts: number, besides: number): number {
  let [low, high] = [0, mostTouches];
  for (let k = 0; k < halvings; k++) {
    const middle = (low + high) / 2;
    if (-Math.expm1(-middle) / middle > firsts) low = middle;
    else high = middle;
  }
  return Math.exp(-low * (1 - besides / 2));
}
