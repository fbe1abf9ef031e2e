/** What a launch could be without, and what it would take then: one entry a cause. Asked only where it is likely to come to something. */
import { type AccessCounter, isOfLanes } from "../execute/accesses.ts";
import type { Program } from "../execute/program.ts";
import { intConstant, isConstant } from "../ir/constants.ts";
import type { Loop } from "../ir/graph.ts";
import type { Block, Op, Span } from "../ir/kernel.ts";
import { isConvergent, meetsOthers } from "../ir/operations.ts";
import { comesOf } from "../ir/origins.ts";
import type { CostKind, CostReport } from "../report/launch-report.ts";
import type { AccessTotals } from "../sampling/counts.ts";
import type { Sample } from "../sampling/sample.ts";
import type { Work } from "../work.ts";
import type { AssumedInputs } from "./assumed.ts";
import { barrierReductions } from "./barrier-reductions.ts";
import { runtimeDivisions } from "./divisions.ts";
import { idleBranches } from "./idle-lanes.ts";
import { keptInMemory } from "./kept-in-memory.ts";
import { loadedAgain } from "./loaded-again.ts";
import { localArrays } from "./local-arrays.ts";
import { variesIn } from "./loop-ops.ts";
import { narrowAccesses } from "./narrow-accesses.ts";
import { oneThreadLoops } from "./one-thread-loops.ts";
import type { OtherLaunch } from "./other-launches.ts";
import { outerProducts } from "./outer-products.ts";
import { partialWarps } from "./partial-warps.ts";
import { isRecurrence } from "./recurrences.ts";
import { innermostOf, isSearch } from "./searches.ts";
import type { Without } from "./without.ts";

/** A cost that has one cause. */
export interface Cause {
  readonly kind: keyof typeof relief;
  /** Buffer, array or parameter that it is about. */
  readonly object?: string;
  /** The worst first. */
  readonly ops: readonly Op[];
  /** Bytes of a thread, of an array that lies in local memory. */
  readonly bytes?: number;
  /** Bytes that each lane takes in all, of accesses that are one stride apart. */
  readonly perLane?: number;
  /** Where it is told, if not at its operations. */
  readonly place?: Span | undefined;
  /** By block, the share of its executions that is left. */
  readonly executed?: ReadonlyMap<Block, number>;
  /** The condition that makes it so. */
  readonly cond?: Op;
  /** Divisions that only the condition is worked out by, of which none is left without it. */
  readonly divided?: readonly Op[];
}

/** Bytes of a sector. */
const sectorBytes = 32;
/** Transactions over those needed from which an access is looked at. */
const excessive = 1.5;
/**
 * Lanes of a warp on one address from which atomics are. In shared memory a block is among itself already, and some lanes meet in any
 * counting by data: only where half of a warp does would summing up first be less work.
 */
const crowded = { global: 4, shared: 16 } as const;
/** Causes of a launch that are asked for, the worst of each kind first. */
const mostOfKind = 6;
/** A launch that would gain less than this without all of them is not asked for each. */
const leastShare = 0.02;

/** Share of the SMs' room that the last wave of blocks fills, up to which it is asked what it costs. */
const mostOfLastWave = 0.3;

/** What is asked of a launch that was run. */
export interface Asked {
  readonly program: Program;
  readonly sample: Sample;
  /** Of the GPU: 90 for 9.0. */
  readonly computeCapability: number;
  /** Nanoseconds that it takes, and what they are bound by. */
  readonly ns: number;
  readonly boundBy: string;
  /** Cycles of all its warps, from when each becomes resident until it ends. */
  readonly warpCycles: number;
  /** Its nanoseconds without some of its cost; undefined where that is not known. */
  without(without: Without): number | undefined;
  /** What was run with other values in the place of those that are assumed; undefined where it was not. */
  otherwise(): { readonly program: Program; readonly sample: Sample } | undefined;
  /** A launch that does the same, and its nanoseconds. */
  readonly other: (OtherLaunch & { readonly ns: number }) | undefined;
  /** The nearest changes that let more blocks on an SM. */
  readonly room: readonly Room[];
  /** Blocks that the SMs hold at once. */
  readonly blocksAtOnce: number;
  readonly assumed: AssumedInputs;
  readonly work: Work;
}

/** A change that lets more blocks on an SM. */
export interface Room {
  readonly resource: "registers" | "shared";
  readonly words: string;
  readonly blocksPerSm: number;
}

export function costsOf(asked: Asked): CostReport[] {
  const { program, sample, ns } = asked;
  const causes = [
    ...accessCauses(program, sample),
    ...runtimeDivisions(program, sample, leastShare * asked.warpCycles),
    ...keptInMemory(program, sample),
    ...loadedAgain(program, sample),
    ...localArrays(program, sample),
    ...barrierReductions(program, sample),
    ...oneThreadLoops(program, sample),
    ...outerProducts(program, sample, asked.computeCapability, asked.work),
    ...idleBranches(program, sample, asked.work),
    ...(asked.other ? [] : partialWarps(program, asked.blocksAtOnce)),
  ];
  const isWorthIt = (left: number | undefined): left is number => left !== undefined && ns - left >= leastShare * ns;
  const { other } = asked;
  const ofLaunch =
    other && isWorthIt(other.ns) ? [{ kind: other.kind, launch: { grid: other.grid, block: other.block }, at: [], ns: other.ns }] : [];
  const ofRoom = asked.room.flatMap(({ resource, words, blocksPerSm }): CostReport[] => {
    const left = asked.without({ blocksPerSm });
    return isWorthIt(left) ? [{ kind: "occupancy", change: { resource, words }, at: [], ns: left }] : [];
  });
  const wave = withoutLastWave(asked);
  const ofWave: CostReport[] = isWorthIt(wave) ? [{ kind: "last wave", blocksAtOnce: asked.blocksAtOnce, at: [], ns: wave }] : [];
  const ofWidth = withVectors(asked).filter((cost) => isWorthIt(cost.ns));
  const ofRows = withWarpsForThreads(asked, causes).filter((cost) => isWorthIt(cost.ns));
  const ofAll = [...ofLaunch, ...ofRoom, ...ofWave, ...ofWidth, ...ofRows];
  if (causes.length > 1 && !isWorthIt(asked.without(together(causes)))) return ofAll;
  const ofCauses = causes.flatMap((cause) => {
    const left = asked.without(together([cause]));
    if (!isWorthIt(left)) return [];
    const { kind, object, bytes, perLane, ops, place } = cause;
    const decided = isDecided(cause, asked) ? ({ decided: true } as const) : {};
    return [
      {
        kind,
        ...(object === undefined ? {} : { object }),
        ...(bytes === undefined ? {} : { bytes }),
        ...(kind === "sectors" && perLane !== undefined ? { perLane } : {}),
        ...(kind === "sectors" ? heldBy(program, ops) : {}),
        at: place ? [place] : placesOf(ops),
        ns: left,
        ...decided,
      },
    ];
  });
  return [...ofCauses, ...ofAll];
}

/**
 * Of a launch that leaves most of the GPU idle while each of its threads goes along a row of its own: the worst such access, with a warp for
 * each thread. Lanes side by side alone might gain nothing there, for want of warps that wait for memory together.
 */
function withWarpsForThreads({ program, blocksAtOnce, without, assumed }: Asked, causes: readonly Cause[]): CostReport[] {
  const [x, y, z] = program.launch.grid;
  if (2 * x * y * z > blocksAtOnce || program.launch.cluster) return [];
  const rows = causes.find(({ kind, ops }) => kind === "sectors" && ops.every((op) => isApart(program, op)));
  const loops = rows?.ops.flatMap((op) => innermostOf(program.loops, op) ?? []) ?? [];
  if (!rows || loops.length < rows.ops.length || assumed.apart(rows.ops) !== undefined || heldBy(program, rows.ops).held) return [];
  const blocks = new Set(loops.flatMap((loop) => [...loop.blocks]));
  const meets = [...blocks].some((block) => block.ops.some((op) => isConvergent(op) || meetsOthers(op)));
  const ns = meets ? undefined : without({ excess: new Set(rows.ops), shared: { loops: blocks } });
  return ns === undefined
    ? []
    : [{ kind: "rows", ...(rows.object === undefined ? {} : { object: rows.object }), at: placesOf(rows.ops), ns }];
}

/** What keeps lanes from sharing the turns of a loop that accesses stand in. */
function heldBy(program: Program, ops: readonly Op[]): Pick<CostReport, "held"> {
  const loops = [...new Set(ops.flatMap((op) => innermostOf(program.loops, op) ?? []))];
  if (loops.some((loop) => isRecurrence(program, loop))) return { held: "order" };
  return loops.some((loop) => isTurned(program, loop)) ? { held: "others" } : {};
}

/** Another access of the loop has lanes side by side and goes on with its turns: whose lanes went along would be apart there. */
function isTurned({ counters }: Program, { blocks }: Loop): boolean {
  const ops = [...blocks].flatMap((block) => [...block.phis, ...block.ops]);
  const inside = new Set(ops);
  return ops.some((op) => {
    const [address] = op.args;
    const moves = address !== undefined && variesIn(address, inside);
    return (
      moves &&
      (counters.get(op) ?? []).some((counter) => counter.space === "global" && Math.abs(counter.laneStride() ?? 0) === counter.bytes)
    );
  });
}

/** Neighbouring lanes take sectors of their own. */
const isApart = ({ counters }: Program, op: Op): boolean =>
  (counters.get(op) ?? []).every((counter) => Math.abs(counter.laneStride() ?? 0) >= sectorBytes);

/** Where there is little for each thread to ask for, and its launch is not what is wrong. */
function withVectors({ program, sample, boundBy, other, without }: Asked): CostReport[] {
  const waitsForMemory = /^(dram|l2|block-launch)/.test(boundBy);
  const narrow = waitsForMemory && !other ? narrowAccesses(program, sample) : undefined;
  if (!narrow) return [];
  const { ops, elements } = narrow;
  const ns = without({ narrow: { ops: new Set(ops), elements } });
  return ns === undefined ? [] : [{ kind: "narrow accesses", elements, at: placesOf(ops), ns }];
}

/**
 * Nanoseconds without the blocks that are left when the SMs have been filled a whole number of times: while they run most SMs have nothing
 * to do. What all SMs share, the L2 and the memory, those few have for themselves then, which the timing does not know
 * (validation/gains/README.md): launches bound by it are not asked about.
 */
function withoutLastWave({ program, blocksAtOnce, boundBy, without }: Asked): number | undefined {
  const [x, y, z] = program.launch.grid;
  const left = blocksAtOnce > 0 ? (x * y * z) % blocksAtOnce : 0;
  const fullBlocks = x * y * z - left;
  const isShared = boundBy.startsWith("dram") || boundBy.startsWith("l2");
  if (isShared || program.launch.cluster || fullBlocks === 0 || left === 0 || left > mostOfLastWave * blocksAtOnce) return undefined;
  return without({ lastWave: { fullBlocks } });
}

/** Whether what is assumed alone makes accesses poor, or meet: with other values they would not. */
function isDecided({ kind, ops, object, cond, executed }: Cause, { assumed, otherwise, program, sample }: Asked): boolean {
  if (kind === "idle lanes by values") {
    // Lanes leave by the branches behind it, too.
    const inside = [...(executed?.keys() ?? [])].flatMap(({ end }) => (end.kind === "branch" ? [end.cond] : []));
    const parting = inside.filter((each) => program.divergence.isVarying(each));
    return cond === undefined || [cond, ...parting].some((each) => assumed.behind(each) !== undefined);
  }
  if (relief[kind] !== "excess" && relief[kind] !== "meetings") return false;
  // Wherever so many go there are too few places for them.
  if (kind === "meetings" && object !== undefined && isCrowdedAnyway(program, sample, ops, object)) return false;
  const rests = assumed.apart(ops);
  if (rests !== "lengths") return rests !== undefined;
  const other = otherwise();
  if (other === undefined) return true;
  const { counts, totals } = other.sample;
  return !counts.counters.some((counter) => ops.includes(counter.op) && kindOf(counter, counts.access(totals, counter)) === kind);
}

/** Atomics of a launch for each element of what they go to, from which on they meet whatever the indices are. */
const anywayCrowded = 4096;

function isCrowdedAnyway({ launch }: Program, { totals, counts }: Sample, ops: readonly Op[], object: string): boolean {
  const bytes = launch.buffers.find(({ name }) => name === object)?.bytes;
  if (bytes === undefined) return false;
  return counts.counters.some(
    (counter) => ops.includes(counter.op) && counts.access(totals, counter).lanes * counter.bytes >= anywayCrowded * bytes,
  );
}

const relief = {
  sectors: "excess",
  wavefronts: "excess",
  addresses: "excess",
  meetings: "meetings",
  division: "divisions",
  "kept in memory": "kept",
  "loaded again": "kept",
  "local array": "kept",
  factors: "tiled",
  "factors for tensor cores": "tiled",
  "idle lanes": "executed",
  "idle lanes by values": "executed",
  "loop of one thread": "executed",
  "barriers of a reduction": "executed",
  "partial warps": "executed",
} as const satisfies Readonly<Partial<Record<CostKind, keyof Without>>>;

function together(causes: readonly Cause[]): Without {
  const executed = new Map<Block, number>();
  for (const cause of causes) for (const [block, share] of cause.executed ?? []) executed.set(block, share * (executed.get(block) ?? 1));
  const of = (kind: keyof Without): Set<Op> => new Set(causes.flatMap((cause) => (relief[cause.kind] === kind ? cause.ops : [])));
  const divisions = new Set([...of("divisions"), ...causes.flatMap(({ divided = [] }) => divided)]);
  return { excess: of("excess"), meetings: of("meetings"), kept: of("kept"), tiled: of("tiled"), executed, divisions };
}

function placesOf(ops: readonly Op[]): Span[] {
  const places = ops.filter(({ span }) => span.line > 0).map(({ span: { file, line, start, end } }) => ({ file, line, start, end }));
  return [...new Map(places.map((place) => [`${place.file}:${place.line}:${place.start}-${place.end}`, place])).values()];
}

interface Access {
  readonly counter: AccessCounter;
  readonly totals: AccessTotals;
  readonly object: string | undefined;
  readonly kind: Cause["kind"];
  /** Position in `Program.blocks` of what it stands in. */
  readonly block: number | undefined;
}

function accessCauses(program: Program, { totals, counts }: Sample): Cause[] {
  const found: Access[] = [];
  const blocks = new Map(program.blocks.flatMap(({ block, index }) => block.ops.map((op) => [op, index] as const)));
  for (const counter of counts.counters) {
    if (!isOfLanes(counter.operation)) continue;
    const access = counts.access(totals, counter);
    const kind = access.requests > 0 && isWhereItPoints(program, counter) ? kindOf(counter, access) : undefined;
    if (
      kind &&
      !((kind === "sectors" || kind === "wavefronts") && isSearch(program, counter.op)) &&
      !(kind === "sectors" && (isLookup(program, counter) || isSparse(program, counter.op) || isResampled(program, counter)))
    )
      found.push({ counter, totals: access, object: objectOf(program, counter), kind, block: blocks.get(counter.op) });
  }
  const excess = ({ totals: { transactions, ideal } }: Access): number => transactions - ideal;
  const causes = groupsOf(found).map((group) =>
    group.sort((a, b) => excess(b) - excess(a) || a.counter.op.span.start - b.counter.op.span.start),
  );
  const sum = (group: readonly Access[]): number => group.reduce((total, access) => total + excess(access), 0);
  const taken = new Map<Cause["kind"], number>();
  return causes
    .sort((a, b) => sum(b) - sum(a))
    .flatMap((group) => {
      const [worst] = group;
      if (!worst) return [];
      const nth = taken.get(worst.kind) ?? 0;
      taken.set(worst.kind, nth + 1);
      return nth >= mostOfKind
        ? []
        : [
            {
              kind: worst.kind,
              ...(worst.object === undefined ? {} : { object: worst.object }),
              ops: group.map(({ counter }) => counter.op),
              perLane: perLaneOf(group) * worst.counter.bytes,
            },
          ];
    });
}

/** Elements that a lane takes of one array: at most those with offsets of their own that lie within one stride. */
function perLaneOf(group: readonly Access[]): number {
  const offsets = new Map<string | undefined, Set<number>>();
  for (const { counter, object } of group) {
    const stride = Math.abs(counter.laneStride() ?? 0);
    const offset = offsetOf(counter.op.args[0]);
    const known = offsets.get(object) ?? new Set();
    offsets.set(object, known.add(stride > 0 ? ((offset % stride) + stride) % stride : offset));
  }
  return Math.max(...[...offsets.values()].map(({ size }) => size));
}

/** Lanes take half a sector or more each, from where data sends them: what an order of them could share is too little to bring it about. */
function isLookup({ divergence }: Program, { op, bytes }: AccessCounter): boolean {
  return (
    2 * bytes >= sectorBytes &&
    comesOf(
      op.args[0],
      (each) => each.action.kind === "load" && divergence.isVarying(each),
      (each) => (divergence.isVarying(each) ? each.args : []),
    )
  );
}

/**
 * Places that floating-point arithmetic picks, as where a picture is bent: what lies between them nobody takes, and no other order of
 * threads brings them together. Not those that a row or a stride leads to which is only worked out in floats, as `(int)((float)i / n)`.
 */
function isResampled({ divergence }: Program, counter: AccessCounter): boolean {
  if (counter.laneStride() === undefined) return false;
  const linear = new Set<Op>();
  return comesOf(
    counter.op.args[0],
    ({ action, args: [rounded] }) =>
      action.kind === "convert" &&
      /^fpto[su]i$/.test(action.op) &&
      rounded !== undefined &&
      divergence.isVarying(rounded) &&
      !isLinear(rounded, divergence, linear),
    (op) => (divergence.isVarying(op) && op.action.kind !== "load" ? op.args : []),
  );
}

/**
 * A float that goes evenly with the integers that it is made of, but for rounding and bounds.
 * @param seen what is known to, and what is found to; without recursion, as a kernel may compute for as long as it likes
 */
function isLinear(float: Op, divergence: Program["divergence"], seen: Set<Op>): boolean {
  const pending = [float];
  for (let op = pending.pop(); op; op = pending.pop()) {
    if (seen.has(op) || !divergence.isVarying(op)) continue;
    seen.add(op);
    const parts = linearParts(op, divergence);
    if (!parts) return false;
    pending.push(...parts);
  }
  return true;
}

/** What has to go evenly for a float to do so; undefined where it does not in any case. */
function linearParts({ action, args }: Op, divergence: Program["divergence"]): readonly Op[] | undefined {
  const isScaled = (one: Op | undefined, other: Op | undefined): boolean =>
    one === undefined || other === undefined || !divergence.isVarying(one) || !divergence.isVarying(other);
  switch (action.kind) {
    case "convert":
      if (/^[su]itofp$/.test(action.op)) return [];
      return /^fp(ext|trunc)$/.test(action.op) ? args.slice(0, 1) : undefined;
    case "float":
      if (action.op === "frem" || (action.op === "fmul" && !isScaled(args[0], args[1]))) return undefined;
      return action.op === "fdiv" && args[1] && divergence.isVarying(args[1]) ? undefined : args;
    case "fma":
      return isScaled(args[0], args[1]) ? args : undefined;
    case "math":
      return /^(fneg|floor|ceil|trunc|round|rint)$/.test(action.fn) ? args.slice(0, 1) : undefined;
    case "select":
      return args.slice(1, 3);
    case "phi":
      return args;
    default:
      return undefined;
  }
}

/**
 * A sum over what indices name that the loop itself goes along, as of a row of a sparse matrix: where these lead the matrix says, and what
 * is summed up leaves no choice who looks it up. Not where each lane goes by data within a row of its own: the rows are what is apart.
 */
function isSparse({ loops, divergence }: Program, access: Op): boolean {
  const [address] = access.args;
  const loop = access.action.kind === "load" ? innermostOf(loops, access) : undefined;
  if (!loop || !address) return false;
  const inside = new Set([...loop.blocks].flatMap((block) => [...block.phis, ...block.ops]));
  for (const { action } of inside) if (action.kind === "store" && action.space !== "shared" && action.space !== "local") return false;
  const seen = new Set<Op>();
  const left = [address];
  let goesByData = false;
  for (let op = left.pop(); op; op = left.pop()) {
    if (seen.has(op) || !divergence.isVarying(op)) continue;
    if (!inside.has(op)) return false;
    seen.add(op);
    if (op.action.kind === "load") goesByData ||= op.args[0] !== undefined && variesIn(op.args[0], inside);
    else left.push(...op.args);
  }
  return goesByData;
}

/** Not where a pointer to shared or local memory alone was counted as one to global memory, as its address lies outside of both. */
function isWhereItPoints({ provenance }: Program, { op, space }: AccessCounter): boolean {
  const [address] = op.args;
  const objects = space === "global" && address ? [...provenance.of(address)] : [];
  return objects.length === 0 || !objects.every((object) => /^(shared|local) /.test(object));
}

/** What of an address is constant, in bytes. */
function offsetOf(address: Op | undefined): number {
  let sum = 0;
  for (let at = address; at?.action.kind === "gep"; [at] = at.args)
    sum += at.action.offset + at.action.scale * Number(intConstant(at.args[1]) ?? 0);
  return sum;
}

function kindOf(counter: AccessCounter, { requests, lanes, transactions, ideal }: AccessTotals): Cause["kind"] | undefined {
  if (counter.operation === "atomic")
    return (counter.space === "global" || counter.space === "shared") && counter.worst >= crowded[counter.space] && isSummable(counter.op)
      ? "meetings"
      : undefined;
  if (!(transactions > excessive * ideal)) return undefined;
  switch (counter.space) {
    case "global":
      // Only lanes that are missing make it poor: a full warp side by side would touch as many.
      return lanes < 32 * requests && transactions <= counter.bytes * requests ? undefined : "sectors";
    case "shared":
      return "wavefronts";
    case "constant":
      return "addresses";
    default:
      return undefined;
  }
}

/** Several of them can be done as one, which an exchange cannot. */
const isSummable = ({ action }: Op): boolean => action.kind === "atomic" && !/^(exch|cas|inc|dec)$/.test(action.op);

/** Accesses that share a name, and the names they share. */
interface Group {
  readonly accesses: Access[];
  readonly names: string[];
}

/**
 * Accesses of one cause: to one object, at one index, on one line, or to several arrays side by side in one stretch of code, in one stride.
 * An unrolled loop has thousands.
 */
function groupsOf(all: readonly Access[]): Access[][] {
  const groups = new Map<string, Group>();
  for (const access of all) {
    let group: Group = { accesses: [access], names: [] };
    for (const name of namesOf(access)) {
      const known = groups.get(name);
      if (known === undefined) {
        group.names.push(name);
        groups.set(name, group);
      } else if (known !== group) group = joined(groups, known, group);
    }
  }
  return [...new Set(groups.values())].map(({ accesses }) => accesses);
}

function namesOf({ counter, object, kind, block }: Access): string[] {
  const { span, args } = counter.op;
  const lanes = counter.laneStride();
  const stride = lanes ?? "none";
  const [, index] = args[0]?.action.kind === "gep" ? args[0].args : [];
  return [
    ...(object === undefined ? [] : [`${kind} ${object} ${stride}`]),
    ...(index === undefined || isConstant(index) ? [] : [`${kind} index ${index.id} ${stride}`]),
    // By which threads take which elements, that is: pointers that go along with a loop have no index in common.
    ...(kind === "sectors" && lanes !== undefined && block !== undefined ? [`block ${block} ${counter.operation} ${lanes}`] : []),
    `${kind} ${span.file}:${span.line} ${stride}`,
  ];
}

/** One of both, which holds the other too. */
function joined(groups: Map<string, Group>, a: Group, b: Group): Group {
  const [large, small] = a.accesses.length < b.accesses.length ? [b, a] : [a, b];
  large.accesses.push(...small.accesses);
  large.names.push(...small.names);
  for (const name of small.names) groups.set(name, large);
  return large;
}

/** The one buffer or array that it reaches, by name. */
function objectOf({ provenance, launch, kernel }: Program, { op }: AccessCounter): string | undefined {
  const [address] = op.args;
  const [object, ...others] = address ? provenance.of(address) : [];
  if (object === undefined || others.length > 0) return undefined;
  const [kind, index] = object.split(" ");
  if (kind === "buffer") return launch.buffers[Number(index)]?.name;
  if (kind === "shared")
    return index === "dynamic" ? kernel.shared.find(({ bytes }) => bytes === undefined)?.name : kernel.shared[Number(index)]?.name;
  return kind === "global" ? kernel.globals[Number(index)]?.name : undefined;
}
