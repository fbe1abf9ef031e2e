/** The engine's decisions against those of nvcc 13.0, recorded for probes of one question each (sim-engine/validation/compiler). */
import { readFileSync } from "node:fs";
import { findLoops, type Kernel, type Op, verifyKernel } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { reversePostorder } from "../../../sim-engine/src/ir/graph.ts";
import { select } from "../../../sim-engine/src/machine/index.ts";
import { optimise } from "../../../sim-engine/src/passes/index.ts";
import { lowerKernel } from "../analysis/lower/index.ts";
import { bindUnit } from "../analysis/sema/index.ts";
import { parseText } from "../syntax/testing/parse-text.ts";

interface Recorded {
  readonly name: string;
  readonly source: string;
  readonly ptx: { readonly instructions: number; readonly markers: number; readonly branches: number };
  readonly sass: {
    readonly markers: number;
    readonly predicated: number;
    readonly branches: number;
    readonly registers?: number;
    readonly stores?: number;
  };
  readonly [varied: string]: unknown;
}

const families = new Map<string, readonly Recorded[]>();

/** The same probes for all that is asked of them: what is made of one is kept by it. */
function recorded(family: string): readonly Recorded[] {
  const path = new URL(`../../../sim-engine/validation/compiler/${family}.json`, import.meta.url);
  const probes = families.get(family) ?? (JSON.parse(readFileSync(path, "utf8")) as { readonly probes: readonly Recorded[] }).probes;
  families.set(family, probes);
  return probes;
}

async function lowered({ source, name }: Recorded): Promise<Kernel> {
  const { unit, reading } = await parseText(source);
  const semantics = bindUnit(unit);
  const kernel = semantics.functions.find((each) => each.specifiers.global);
  if (!kernel) throw new Error(`${name} is not read`);
  const made = lowerKernel(semantics, reading, kernel, undefined, { computeCapability: 90 });
  expect(verifyKernel(made)).toEqual([]);
  return made;
}

/** Multiplications in the kernel when NVVM is through with its loops, and when ptxas is. */
function multiplications(kernel: Kernel): { readonly nvvm: number; readonly ptxas: number } {
  const isOne = ({ action }: Op): boolean => action.kind === "fma" || (action.kind === "float" && action.op === "fmul");
  const count = (): number => kernel.blocks.reduce((sum, { ops }) => sum + ops.filter(isOne).length, 0);
  let nvvm: number | undefined;
  optimise(kernel, {
    afterPass: (name) => {
      if (name === "reduceStrength") nvvm = count();
    },
  });
  return { nvvm: nvvm ?? count(), ptxas: count() };
}

type Copies = Record<"nvvm" | "ptxas", readonly [theirs: number, ours: number]>;
const known = new Map<Recorded, Promise<Copies>>();

/** Copies of a loop's turn in NVVM's output and in machine code: the compiler's, and the engine's. */
function copies(probe: Recorded): Promise<Copies> {
  const made = known.get(probe) ?? copiesOf(probe);
  known.set(probe, made);
  return made;
}

async function copiesOf(probe: Recorded): Promise<Copies> {
  if (probe.rows !== undefined) {
    // A step of a tile is a multiplication for each of its elements; the first of all becomes a product alone.
    const size = Number(probe.rows) * Number(probe.columns);
    const { nvvm, ptxas } = multiplications(await lowered(probe));
    const whole = (count: number): number => Math.round(count / size);
    return { nvvm: [whole(probe.ptx.markers), whole(nvvm)], ptxas: [whole(probe.sass.markers), whole(ptxas)] };
  }
  const size = Number(probe.size ?? 1);
  // What a turn reads it also adds, which counts as a marker.
  const markers = size + (probe.body === "load" ? Number(probe.loads ?? 1) : 0);
  const { nvvm, ptxas } = multiplications(await lowered(probe));
  // What is left over of a constant number of turns has no copy of its own before ptxas is through: there is a way out within the turn.
  const copies = probe.ptx.markers / markers;
  const more = copies > 1 && typeof probe.trips === "number" ? probe.trips % copies : 0;
  return { nvvm: [copies + more, nvvm / size], ptxas: [probe.sass.markers / markers, ptxas / size] };
}

/** Stores under a predicate: the compiler's, and the engine's. */
async function predicated(probe: Recorded): Promise<readonly [theirs: number, ours: number]> {
  const kernel = await lowered(probe);
  optimise(kernel);
  const instructions = [...select(kernel, 90).blocks.values()].flatMap((block) => block.instructions);
  return [probe.sass.predicated, instructions.filter((each) => each.predicated && each.opcode.startsWith("ST")).length];
}

/** Whether ptxas leaves a branch: the compiler's, and the engine's. */
async function branchesLeft(probe: Recorded): Promise<readonly [theirs: boolean, ours: boolean]> {
  const kernel = await lowered(probe);
  optimise(kernel);
  const instructions = [...select(kernel, 90).blocks.values()].flatMap((block) => block.instructions);
  return [probe.sass.branches > 0, instructions.some(({ opcode }) => opcode.startsWith("BRA"))];
}

/** Whether NVVM leaves a branch: the compiler's, and the engine's. */
async function branches(probe: Recorded): Promise<readonly [theirs: boolean, ours: boolean]> {
  const kernel = await lowered(probe);
  optimise(kernel);
  return [probe.ptx.branches > 0, kernel.blocks.some(({ end }) => end.kind === "branch")];
}

/** Whether a turn of a loop sums 64 bits to address a row, and what it issues: the compiler's, and the engine's. */
async function turns(probe: Recorded): Promise<Record<"sums" | "instructions", readonly [theirs: number, ours: number]>> {
  const kernel = await lowered(probe);
  optimise(kernel);
  const { blocks } = select(kernel, 90);
  const turn = kernel.blocks.filter((block) => findLoops(kernel).some((loop) => loop.blocks.has(block)));
  const issued = turn.flatMap((block) => blocks.get(block)?.instructions ?? []);
  const sums = issued.filter(({ opcode }) => opcode === "LEA.HI.X").length;
  return { sums: [probe.ptx.markers, sums], instructions: [probe.sass.markers, issued.length] };
}

/** Whether integers are multiplied in a loop: the compiler's, and the engine's. */
async function multiplied(probe: Recorded): Promise<readonly [theirs: boolean, ours: boolean]> {
  const kernel = await lowered(probe);
  optimise(kernel);
  const turns = findLoops(kernel).flatMap(({ blocks }) => [...blocks].flatMap(({ ops }) => ops));
  const isProduct = ({ action, args }: Op): boolean =>
    action.kind === "int" && action.op === "mul" && args.every((arg) => arg.action.kind !== "const");
  return [probe.ptx.markers > 0, turns.some(isProduct)];
}

/** The most loads of global memory that are issued before a store to shared memory. */
function mostAhead(opcodes: readonly string[]): number {
  let [ahead, most] = [0, 0];
  for (const opcode of opcodes) {
    ahead = opcode.startsWith("LDG") ? ahead + 1 : opcode.startsWith("STS") ? 0 : ahead;
    most = Math.max(most, ahead);
  }
  return most;
}

/** How many of the probes the engine decides as the compiler did. */
async function agreeing<Answer>(
  probes: readonly Recorded[],
  answer: (probe: Recorded) => Promise<readonly [theirs: Answer, ours: Answer]>,
): Promise<string> {
  let same = 0;
  for (const probe of probes) {
    const [theirs, ours] = await answer(probe);
    if (theirs === ours) same++;
  }
  return `${same} of ${probes.length}`;
}

// Where not all agree, the figures are known to be a compromise: see docs/compilers.md and DEVIATIONS.md.
describe("as nvcc decides", () => {
  const loops = recorded("loops");
  const isOpen = ({ trips }: Recorded): boolean => trips === "unknown";
  test.each<[what: string, probes: readonly Recorded[], by: "nvvm" | "ptxas", agreed: string]>([
    ["NVVM's unrolling at run time", loops.filter(isOpen), "nvvm", "52 of 52"],
    ["NVVM's unrolling of constant trip counts", loops.filter((probe) => !isOpen(probe)), "nvvm", "308 of 308"],
    ["ptxas's unrolling at run time", loops.filter(isOpen), "ptxas", "52 of 52"],
    ["ptxas's unrolling of constant trip counts", loops.filter((probe) => !isOpen(probe)), "ptxas", "302 of 308"],
    ["NVVM's unrolling of longer turns", recorded("constantTurns"), "nvvm", "365 of 366"],
    ["ptxas's unrolling of longer turns", recorded("constantTurns"), "ptxas", "343 of 366"],
    ["NVVM's unrolling by what is read from where", recorded("addresses"), "nvvm", "45 of 48"],
    ["trip counts that are tried out", recorded("searches"), "nvvm", "14 of 14"],
    ["NVVM's unrolling where the counter is compared in a wider type", recorded("widenedCounters"), "nvvm", "54 of 54"],
    ["NVVM's unrolling by what the counter steps by", recorded("steps"), "nvvm", "110 of 110"],
    ["ptxas's unrolling by what the counter steps by", recorded("steps"), "ptxas", "94 of 110"],
    ["NVVM's unrolling where start and step are made alike", recorded("alikeSteps"), "nvvm", "20 of 22"],
    ["NVVM's unrolling by the widths of counter and bound", recorded("counterWidths"), "nvvm", "48 of 48"],
    ["ptxas's unrolling by the widths of counter and bound", recorded("counterWidths"), "ptxas", "36 of 48"],
    ["NVVM's unrolling by counters of 64 bits", recorded("longLoops"), "nvvm", "72 of 72"],
    // Of unsigned ones it makes one turn more of those that come first or last; here as of the others.
    ["ptxas's unrolling by counters of 64 bits", recorded("longLoops"), "ptxas", "39 of 72"],
    ["NVVM's unrolling over rows, by how wide the product is", recorded("wideProducts"), "nvvm", "15 of 15"],
    ["ptxas's unrolling over rows, by how wide the product is", recorded("wideProducts"), "ptxas", "15 of 15"],
    ["NVVM's unrolling by what is read", recorded("indices"), "nvvm", "130 of 130"],
    ["ptxas's unrolling by what is read", recorded("indices"), "ptxas", "124 of 130"],
    ["NVVM's unrolling of turns with a condition", recorded("guardedLoops"), "nvvm", "112 of 112"],
    ["ptxas's unrolling of turns with a condition", recorded("guardedLoops"), "ptxas", "111 of 112"],
    ["NVVM's unrolling by loads and stores", recorded("accessLoops"), "nvvm", "160 of 160"],
    ["ptxas's unrolling by loads and stores", recorded("accessLoops"), "ptxas", "160 of 160"],
    ["nests over a tile of registers", recorded("tiles"), "nvvm", "63 of 75"],
    ["loops around a nest that reads global memory", recorded("nests"), "nvvm", "70 of 75"],
    ["loops around a nest that reads global memory, by ptxas", recorded("nests"), "ptxas", "64 of 75"],
    ["nests over a tile of registers, by ptxas", recorded("tiles"), "ptxas", "55 of 75"],
    ["loops under a pragma", recorded("pragmas").filter(({ ptx }) => ptx.markers <= 12_000 && ptx.branches === 0), "nvvm", "5 of 5"],
    ["headers that are copied", recorded("headers"), "ptxas", "9 of 15"],
  ])("%s", { timeout: 120_000 }, async (_, probes, by, agreed) =>
    expect(await agreeing(probes, async (probe) => (await copies(probe))[by])).toBe(agreed),
  );

  test("loops that ptxas unrolls, by where lanes begin and what they store", { timeout: 120_000 }, async () => {
    const unrolled = async (probe: Recorded): Promise<readonly [theirs: boolean, ours: boolean]> => {
      const [theirs, ours] = (await copies(probe)).ptxas;
      return [theirs > 1, ours > 1];
    };
    expect(await agreeing(recorded("laneLoops"), unrolled)).toBe("84 of 84");
  });
  describe("loops in which lanes take part together", () => {
    /** Loads in the loop's copies, and whether the last compiler made more of them; all but the one before the loop. */
    const reads = async (probe: Recorded): Promise<{ readonly nvvm: number; readonly more: boolean }> => {
      const kernel = await lowered(probe);
      const loads = (): number =>
        kernel.blocks.flatMap(({ ops }) => ops).filter((op) => op.action.kind === "load" && op.action.space === "global").length;
      let nvvm = 0;
      optimise(kernel, {
        afterPass: (name) => {
          if (name === "reduceStrength") nvvm = loads();
        },
      });
      return { nvvm, more: loads() > nvvm };
    };
    const probes = recorded("togetherLoops");
    test("unrolled by NVVM", { timeout: 120_000 }, async () =>
      expect(await agreeing(probes, async (probe) => [probe.ptx.markers, (await reads(probe)).nvvm])).toBe("94 of 98"),
    );
    test("unrolled again by ptxas", { timeout: 120_000 }, async () =>
      // Six of those in machine code load parameters.
      expect(await agreeing(probes, async (probe) => [probe.sass.markers - probe.ptx.markers > 6, (await reads(probe)).more])).toBe(
        "92 of 98",
      ),
    );
  });
  test("what is left over of unrolled loops: a loop, or single turns within another", { timeout: 120_000 }, async () => {
    const loads = async (probe: Recorded): Promise<number> => {
      const kernel = await lowered(probe);
      let nvvm = 0;
      optimise(kernel, {
        afterPass: (name) => {
          if (name !== "reduceStrength") return;
          const all = kernel.blocks.flatMap(({ ops }) => ops);
          nvvm = all.filter((op) => op.action.kind === "load" && op.action.space === "global").length;
        },
      });
      return nvvm;
    };
    expect(await agreeing(recorded("rests"), async (probe) => [probe.ptx.markers, await loads(probe)])).toBe("54 of 54");
  });
  test("loops over a thread's own array that stay loops", { timeout: 120_000 }, async () =>
    expect(await agreeing(recorded("localArrays"), branches)).toBe("70 of 70"),
  );
  test("what single operations count in a loop", { timeout: 120_000 }, async () => {
    const factor = (copiesOfTurn: number): number => (copiesOfTurn >= 5 ? 4 : copiesOfTurn >= 3 ? 2 : 1);
    const wrong: string[] = [];
    for (const probe of recorded("operationCosts")) {
      const size = Number(probe.size);
      const ours = factor(multiplications(await lowered(probe)).nvvm / size);
      const theirs = factor(probe.ptx.markers / Number(probe.markers));
      if (ours !== theirs) wrong.push(`${String(probe.kind)} ${size}: ${theirs}, not ${ours}`);
    }
    expect(wrong).toEqual(["halves 11: 2, not 4", "halves 33: 1, not 2"]);
  });
  test("where what one block uses is computed", { timeout: 120_000 }, async () => {
    const isMarked = ({ action, type }: Op): boolean =>
      (action.kind === "float" && action.op === "fmin") || (action.kind === "load" && type === "i16");
    const wrong: string[] = [];
    for (const probe of recorded("sinking")) {
      const kernel = await lowered(probe);
      optimise(kernel);
      const order = reversePostorder(kernel);
      const at = order.findLastIndex(({ ops }) => ops.some(isMarked));
      const ours = order.slice(0, at).filter(({ end }) => end.kind === "branch").length;
      if (ours !== probe.ptx.markers) wrong.push(`${String(probe.value)} ${String(probe.use)}: ${probe.ptx.markers}, not ${ours}`);
    }
    const values = ["load", "read-only load", "minimum", "minimum of what is loaded"];
    expect(wrong).toEqual(values.map((value) => `${value} in a loop in a branch: 2, not 1`));
  });
  test("loops of few turns around one that is unrolled in part", { timeout: 120_000 }, async () => {
    const probes = recorded("innerLoops");
    const ofMostTurns = ({ end, body, size }: Recorded): Recorded =>
      probes.find((each) => each.end === end && each.body === body && each.size === size && each.turns === 16)!;
    const nests = async (probe: Recorded): Promise<boolean> => {
      const kernel = await lowered(probe);
      optimise(kernel);
      return findLoops(kernel).some(({ depth }) => depth > 1);
    };
    const right = await Promise.all(
      probes.map(async (probe) => (await nests(probe)) === (probe.ptx.markers === ofMostTurns(probe).ptx.markers)),
    );
    expect(`${right.filter(Boolean).length} of ${probes.length}`).toBe("160 of 160");
  });
  describe("loops that call a function", () => {
    // Some functions read tables, which count as well: those say nothing of NVVM.
    const calls = recorded("callLoops");
    const copiesRead = async (probe: Recorded): Promise<Record<"nvvm" | "ptxas", number>> => {
      const kernel = await lowered(probe);
      const reads = (): number =>
        kernel.blocks.reduce((sum, { ops }) => sum + ops.filter(({ action }) => action.kind === "load").length, 0) / Number(probe.times);
      let nvvm = 0;
      optimise(kernel, {
        afterPass: (name) => {
          if (name === "reduceStrength") nvvm = reads();
        },
      });
      return { nvvm, ptxas: reads() };
    };
    test("as NVVM unrolls them", { timeout: 120_000 }, async () => {
      const plain = calls.filter(({ ptx, times }) => [1, 3, 5].includes(ptx.markers / Number(times)));
      expect(await agreeing(plain, async (probe) => [probe.ptx.markers / Number(probe.times), (await copiesRead(probe)).nvvm])).toBe(
        "158 of 195",
      );
    });
    test("as ptxas unrolls them again", { timeout: 120_000 }, async () =>
      expect(
        await agreeing(calls, async (probe) => {
          const { nvvm, ptxas } = await copiesRead(probe);
          // Machine code loads constants besides.
          return [probe.sass.markers > Math.max(25, 2.5 * probe.ptx.markers), ptxas > 2 * nvvm];
        }),
      ).toBe("231 of 238"),
    );
  });
  test("branches that are predicated", async () => expect(await agreeing(recorded("predications"), predicated)).toBe("90 of 96"));
  test("arms that load are, up to more of them", async () =>
    expect(await agreeing(recorded("loadingArms"), branchesLeft)).toBe("43 of 48"));
  test("rows that are summed with their counter, and what a turn over them issues", { timeout: 120_000 }, async () => {
    const rows = recorded("rows");
    expect(await agreeing(rows, async (probe) => (await turns(probe)).sums)).toBe(`${rows.length} of ${rows.length}`);
    for (const probe of rows) {
      const [theirs, ours] = (await turns(probe)).instructions;
      expect([probe.name, Math.abs(theirs - ours) <= 2]).toEqual([probe.name, true]);
    }
  });
  test("instructions of a turn that fills shared memory for a tile of registers, within 5 %", { timeout: 120_000 }, async () => {
    const near = async (probe: Recorded): Promise<readonly [boolean, boolean]> => {
      const kernel = await lowered(probe);
      optimise(kernel);
      const { blocks } = select(kernel, 90);
      const turns = findLoops(kernel).map((loop) =>
        [...blocks].reduce((sum, [block, { instructions }]) => sum + (loop.blocks.has(block) ? instructions.length : 0), 0),
      );
      return [true, Math.abs(Math.max(...turns) / probe.sass.markers - 1) <= 0.05];
    };
    const ofType = (counter: string) => recorded("pressedLoops").filter(({ type }) => type === counter);
    expect(await agreeing(ofType("int"), near)).toBe("41 of 60");
    expect(await agreeing(ofType("unsigned"), near)).toBe("18 of 30");
    expect(await agreeing(ofType("size_t"), near)).toBe("15 of 30");
  });
  test("loops that advance pointers, and those that multiply in each turn", { timeout: 120_000 }, async () => {
    expect(await agreeing(recorded("pointers"), multiplied)).toBe("225 of 228");
  });
  test("nests of loops likewise", { timeout: 120_000 }, async () => {
    expect(await agreeing(recorded("pointersOfNests"), multiplied)).toBe("32 of 64");
  });
  test("instructions of a turn whose sums compute the product that they read, but for one", { timeout: 120_000 }, async () => {
    const near = async (probe: Recorded): Promise<readonly [boolean, boolean]> => {
      const kernel = await lowered(probe);
      optimise(kernel);
      const { blocks } = select(kernel, 90);
      const [loop] = findLoops(kernel);
      const turn = [...blocks].reduce((sum, [block, { instructions }]) => sum + (loop?.blocks.has(block) ? instructions.length : 0), 0);
      return [true, Math.abs(turn - probe.sass.markers) <= 1];
    };
    expect(await agreeing(recorded("productsInSums"), near)).toBe("49 of 54");
  });
  test("registers where loads would wait for each other with fewer", async () => {
    const registers = async (probe: Recorded): Promise<readonly [theirs: number, ours: number]> => {
      const kernel = await lowered(probe);
      optimise(kernel);
      return [probe.sass.markers, select(kernel, 90).registers.value];
    };
    expect(await agreeing(recorded("loadsAhead"), registers)).toBe("18 of 30");
  });
  test("registers by what the source says of blocks", { timeout: 120_000 }, async () => {
    const registers = async (probe: Recorded): Promise<readonly [theirs: number, ours: number]> => {
      const kernel = await lowered(probe);
      optimise(kernel);
      return [probe.sass.markers, select(kernel, 90).registers.value];
    };
    expect(await agreeing(recorded("boundedBlocks"), registers)).toBe("41 of 84");
  });
  test("registers that a kernel begins with whose warps hand them on", async () => {
    const registers = async (probe: Recorded): Promise<readonly [theirs: number, ours: number]> => {
      const kernel = await lowered(probe);
      optimise(kernel);
      return [probe.sass.markers, select(kernel, 90).registers.value];
    };
    const saying = recorded("reallocations").filter(({ bound }) => /blocks|registers/.test(String(bound)));
    expect(await agreeing(saying, registers)).toBe(`${saying.length} of ${saying.length}`);
  });
  test("loads that a register tile has under way while it fills shared memory, and the registers that takes", async () => {
    const fillings = await Promise.all(
      recorded("fillings").map(async (probe) => {
        const kernel = await lowered(probe);
        optimise(kernel);
        const { blocks, registers } = select(kernel, 90);
        const ahead = mostAhead([...blocks.values()].flatMap(({ instructions }) => instructions.map(({ opcode }) => opcode)));
        return { ahead: ahead / probe.sass.markers, registers: registers.value / (probe.sass.registers ?? 0) };
      }),
    );
    expect(fillings.filter(({ ahead }) => ahead >= 0.5 && ahead <= 2).length).toBe(14);
    expect(fillings.filter(({ registers }) => registers >= 0.9 && registers <= 1.1).length).toBe(9);
  });
  test("branches that become selections", async () => expect(await agreeing(recorded("selections"), branches)).toBe("13 of 14"));

  test("neighbours in shared memory that become one access", { timeout: 120_000 }, async () => {
    const accesses = async (probe: Recorded): Promise<readonly [theirs: string, ours: string]> => {
      const kernel = await lowered(probe);
      optimise(kernel);
      const code = [...select(kernel, 90).blocks.values()].flatMap(({ instructions }) => instructions.map(({ opcode }) => opcode));
      const count = (kind: string): number => code.filter((opcode) => opcode.startsWith(kind)).length;
      return [`${probe.sass.markers} loads ${probe.sass.stores} stores`, `${count("LDS")} loads ${count("STS")} stores`];
    };
    expect(await agreeing(recorded("neighbours"), accesses)).toBe("162 of 162");
  });

  test("products of 64 bits on the datapath of the warp", { timeout: 120_000 }, async () => {
    const isMultiplied = async (probe: Recorded): Promise<boolean> => {
      const kernel = await lowered(probe);
      optimise(kernel);
      return [...select(kernel, 90).blocks.values()].some(({ instructions }) =>
        instructions.some(({ opcode }) => opcode.startsWith("UIMAD")),
      );
    };
    expect(await agreeing(recorded("longOffsets"), async (probe) => [probe.sass.markers > 0, await isMultiplied(probe)])).toBe(
      "125 of 150",
    );
  });
});

test.each([
  ["one of two records that is copied", "Pair hi = a.m > b.m ? a : b, lo = a.m > b.m ? b : a; hi.s += lo.s * (lo.m - hi.m); p[n] = hi.s;"],
  ["one of two records that is assigned", "Pair hi = a; hi = p[3] > 0 ? b : (p[4] > 0 ? a : hi); p[n] = hi.s + hi.m;"],
  ["an array that is gone along", "float x[8]; for (float &v : x) v = p[n]; float s = 0; for (float v : x) s += v * a.m; p[n + 1] = s;"],
])("%s needs no memory of its own", async (name, body) => {
  const source = `struct Pair { float m, s; }; __global__ void k(float *p, int n) { Pair a = {p[0], p[1]}, b = {p[1], p[2]}; ${body} }`;
  const kernel = await lowered({ source, name } as Recorded);
  optimise(kernel);
  expect(kernel.blocks.flatMap(({ ops }) => ops).filter(({ action }) => action.kind === "alloca")).toEqual([]);
});
