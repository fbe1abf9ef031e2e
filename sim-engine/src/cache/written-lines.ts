/**
 * What memory loses on lines that are written in part. It writes a line back in the time of a whole one, and where lanes store to rows
 * of their own, sectors that have to be filled first open a page each (microbenchmarks/parts.cu).
 */
import type { GpuValues } from "../gpus/figures.ts";
import { type MemorySite, writes } from "../memory/site.ts";
import type { Work } from "../work.ts";
import type { SiteL1 } from "./l1.ts";
import { atomic, type SectorLog, store } from "./log.ts";

export const sectorsPerLine = 4;

/** Of the lines that a block writes in part, the share that other blocks write to as well, from which on they are taken to close all. */
const closing = 1 / 3;

/**
 * By site that stores: the lines that its sectors lie in, for each sector, all that a block writes there together: 0.25 where lines are
 * written whole. So they count, too, where other blocks write to the lines, as neighbours do where one ends, and where turns stand for
 * others that nobody saw.
 * @param middle the block whose neighbours are logged; of what it does not store to, all tell
 */
export function writtenLines(logs: readonly SectorLog[], middle: number, sites: readonly MemorySite[], work: Work): Float64Array {
  const blocks = new Map<number, number>();
  const many = -1;
  forEachWritten(logs, work, (sector, _, block) => {
    const line = lineOf(sector);
    const known = blocks.get(line) ?? block;
    blocks.set(line, known === block ? block : many);
  });
  const found = new Float64Array(sites.length).fill(1 / sectorsPerLine);
  const told = new Set(logs.flatMap(({ repeats, site }) => repeats.flatMap(({ middle: from, to }) => [...site.subarray(from, to + 1)])));
  for (const of of [logs.filter(({ block }) => block === middle), logs]) {
    const masks = new Map<number, number>();
    forEachWritten(of, work, (sector) => {
      masks.set(lineOf(sector), (masks.get(lineOf(sector)) ?? 0) | (1 << (sector % sectorsPerLine)));
    });
    const [lines, sectors, inPart, shared] = Array.from({ length: 4 }, () => new Float64Array(sites.length));
    forEachWritten(of, work, (sector, site) => {
      const share = 1 / bits(masks.get(lineOf(sector))!);
      lines![site]! += share;
      sectors![site]!++;
      if (share === 1 / sectorsPerLine) return;
      inPart![site]! += share;
      if (blocks.get(lineOf(sector)) === many) shared![site]! += share;
    });
    for (const s of sites.keys()) {
      if (told.has(s) || sectors![s] === 0 || !writes(sites[s]!)) continue;
      told.add(s);
      const closed = Math.min(1, shared![s]! / (closing * Math.max(1, inPart![s]!)));
      found[s] = lines![s]! / sectors![s]! + closed * (1 / sectorsPerLine - lines![s]! / sectors![s]!);
    }
  }
  return found;
}

function forEachWritten(logs: readonly SectorLog[], work: Work, take: (sector: number, site: number, block: number) => void): void {
  for (const { block, requests, sectorCount, kind, site, start, sectors } of logs) {
    work.ask(requests + sectorCount / 8);
    for (let r = 0; r < requests; r++)
      if (kind[r] === store || kind[r] === atomic) for (let i = start[r]!; i < start[r + 1]!; i++) take(sectors[i]!, site[r]!, block);
  }
}

const lineOf = (sector: number): number => Math.floor(sector / sectorsPerLine);
const bits = (mask: number): number => (mask & 1) + ((mask >> 1) & 1) + ((mask >> 2) & 1) + ((mask >> 3) & 1);

/**
 * Bytes that memory would move in the time that it loses.
 * @param written sectors that are written back, and `filled` those of them that were filled from memory first
 * @param linesPerSector lines that they lie in, for each
 * @param l1 how the requests that store them go through the L1
 */
export function lostOnLines(
  { written, filled }: { readonly written: number; readonly filled: number },
  linesPerSector: number,
  l1: Pick<SiteL1, "lines" | "beside" | "onward">,
  { sectorBytes, loneFillBytes }: GpuValues,
): number {
  const whole = sectorBytes * sectorsPerLine * linesPerSector;
  const isLone = l1.lines > mostlyLone * l1.onward;
  const apart = isLone ? 1 - l1.beside / l1.lines : 0;
  return written * (whole - sectorBytes) + filled * apart * Math.max(0, loneFillBytes - sectorBytes - whole);
}

/** Lines a sector that requests store to, from which on sectors are taken to come alone: between two of a line, and one. */
const mostlyLone = 0.75;
