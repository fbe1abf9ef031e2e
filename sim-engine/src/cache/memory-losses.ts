/** What moves besides, or is lost: sectors that come along with others, come late, or are held up by stores. */
import type { GpuValues } from "../gpus/figures.ts";
import type { Work } from "../work.ts";
import { lateSectors } from "./drift.ts";
import { heldUpCycles, loadsMet } from "./held-up.ts";
import { ratio } from "./ratio.ts";
import { isIrregular, isOfHost, isWrite } from "./site-kinds.ts";
import type { SiteMemory } from "./site-memory.ts";
import type { TrafficInput } from "./traffic.ts";

/** Tells what memory brought along of the sites that it was brought with. */
export function bringAlong(memory: readonly SiteMemory[], broughtAlong: Float64Array, sectorBytes: number): void {
  const bytes = memory.reduce((sum, { alongSectors }) => sum + alongSectors, 0) * sectorBytes;
  // Sites differ in how often blocks share what they read: what all were found to bring is divided as the average block has it.
  const all = broughtAlong.reduce((sum, count) => sum + count, 0);
  if (all === 0) return;
  for (const [s, site] of memory.entries()) site.readBytes += (bytes * broughtAlong[s]!) / all - site.alongSectors * sectorBytes;
}

/** Adds what sectors cost that warps which drifted apart complete, or ask for, too late. */
export function comeLate(input: TrafficInput, memory: readonly SiteMemory[], work: Work): void {
  const { busy, gpu, grid, sectors } = input;
  const { sectorBytes, dramGranularity, lateSectorBytes } = gpu.values;
  const late = busy === undefined ? undefined : lateSectors(input, busy, work);
  if (!late) return;
  const blocks = grid[0] * grid[1] * grid[2];
  for (const [s, site] of memory.entries()) {
    if (isOfHost(input, s) || isIrregular(input, s)) continue;
    const count = Math.min(late[s]! * blocks, sectors[s]!);
    site.readBytes += count * dramGranularity;
    if (!isWrite(input, s)) {
      site.missedSectors += count;
      continue;
    }
    site.writtenBytes += count * sectorBytes;
    site.filledSectors += count;
    site.lostBytes += count * (lateSectorBytes - 2 * dramGranularity - sectorBytes);
  }
}

/** Adds what memory loses where stores hold up what it brings. */
export function holdUp({ gpu, logs, sites, sectors }: TrafficInput, concurrent: number, memory: readonly SiteMemory[], work: Work): void {
  const met = loadsMet(logs, sites, work);
  if (!met) return;
  const warps = concurrent * Math.max(1, ...logs.map((log) => new Set(log.warp.subarray(0, log.requests)).size));
  for (const [s, site] of memory.entries()) {
    const { sectors: logged, met: stored, requests } = met[s]!;
    const brought = site.missedSectors * Math.min(1, ratio(stored, logged, 0));
    const atOnce = warps * ratio(brought, sectors[s]! * ratio(requests, logged, 0), 0);
    if (brought > 0) site.lostBytes += heldUpCycles(brought, atOnce) * bytesPerCycle(gpu.values);
  }
}

const bytesPerCycle = ({ dramReadBandwidth, clock }: GpuValues): number => (dramReadBandwidth * 1000) / clock;
