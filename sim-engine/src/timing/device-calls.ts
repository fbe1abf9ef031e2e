/** `printf`, `malloc` and `free`: functions of the device's runtime, whose calls wait for each other wherever on the GPU they are made. */
import type { DeviceFunction } from "../ir/kernel.ts";
import type { ReplayCode } from "./code.ts";
import { Server } from "./server.ts";
import type { BlockTrace } from "./summary.ts";

export interface DeviceCall {
  readonly callee: DeviceFunction;
  /** That make it together, on average. */
  readonly lanes: number;
}

/** With one lane, and for each more. */
type OfLanes = readonly [one: number, more: number];

interface Figures {
  /** Warp instructions. */
  readonly instructions: OfLanes;
  /** Until it returns, while nobody else calls: SM cycles. */
  readonly latency: OfLanes;
  /** How much longer the first of a launch takes, whose code is nowhere near: SM cycles. */
  readonly first: number;
  /** From one to the next of other warps, on the whole GPU and on one SM: SM cycles. */
  readonly interval: OfLanes;
  readonly intervalOfSm: OfLanes;
}

/**
 * Measured on an H200 with up to 1,056 warps (microbenchmarks/h200-device-calls.tsv), assumed of other GPUs: the differences of its rows by
 * calls, lanes and warps. Of one SM alone `malloc` with one lane was not measured: assumed as long as on all.
 */
const figures: Readonly<Record<DeviceFunction, Figures>> = {
  printf: { instructions: [6800, 15], latency: [39_600, 150], first: 12_900, interval: [4150, 558], intervalOfSm: [4150, 558] },
  malloc: { instructions: [900, 215], latency: [15_500, 4100], first: 20_400, interval: [4377, 52], intervalOfSm: [4377, 579] },
  free: { instructions: [640, 16], latency: [13_300, 950], first: 13_000, interval: [11_474, 0], intervalOfSm: [11_474, 0] },
};

const ofLanes = ([one, more]: OfLanes, lanes: number): number => one + more * (lanes - 1);

/** Warp instructions that a call issues, and those of its threads: `malloc` serves one lane after the other, the others all at once. */
export function calledInstructions({ callee, lanes }: DeviceCall): { readonly warp: number; readonly thread: number } {
  const [one, more] = figures[callee].instructions;
  const others = more * (lanes - 1);
  return { warp: one + others, thread: one * lanes + others };
}

export class DeviceCalls {
  /** SMs that call at the same time as this one. */
  readonly #sms: number;
  readonly #server: Server;
  readonly #called = new Set<DeviceFunction>();
  /** Cycles in which the runtime is busy with all of the launch's calls; and until the last of them returns, at least. */
  readonly busy: number = 0;
  readonly least: number = 0;
  /** Of those in which a warp waits longest, an instruction. */
  readonly longest: number | undefined;
  /** Set by `call`: when it returns, and what of that no later call waits for. */
  done = 0;
  once = 0;

  /**
   * @param blocks of the grid
   * @param window cycles over which what is busy fades
   */
  constructor(code: ReplayCode, traces: readonly BlockTrace[], blocks: number, sms: number, window: number) {
    this.#server = new Server(window);
    const share = blocks / traces.reduce((sum, { weight }) => sum + weight, 0);
    let callers = 0;
    let alone = 0;
    for (const { warps, weight } of traces) {
      let calls = false;
      for (const warp of warps) {
        let waits = 0;
        for (const [index, times] of code.callsOf(warp)) {
          const { callee, lanes } = code.instructions[index]!.call!;
          const { latency, first, interval } = figures[callee];
          this.busy += share * weight * times * ofLanes(interval, lanes);
          waits += times * ofLanes(latency, lanes) + (waits > 0 ? 0 : first);
          if (waits > alone) this.longest = index;
          alone = Math.max(alone, waits);
          calls = true;
        }
      }
      if (calls) callers += share * weight;
    }
    this.least = Math.max(this.busy, alone);
    this.#sms = Math.max(1, Math.min(sms, callers));
  }

  /** A warp's call, made at `at`, which stands for `weight` of them: when its turn has come, the last of the SMs', and it returns. */
  call({ callee, lanes }: DeviceCall, at: number, weight: number): void {
    const { latency, first, interval, intervalOfSm } = figures[callee];
    const each = ofLanes(interval, lanes);
    const others = this.#called.size === 0 ? (this.#sms - 1) * each : 0;
    const cold = this.#called.has(callee) ? 0 : first;
    this.#called.add(callee);
    const begin = this.#server.serve(at + others, Math.max(this.#sms * each, ofLanes(intervalOfSm, lanes)), weight);
    this.once = others + cold;
    this.done = begin + cold + ofLanes(latency, lanes);
  }
}
