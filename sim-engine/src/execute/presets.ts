/** Values known before the first instruction: the same for a launch, or for each warp as it starts. */
import type { GpuValues } from "../gpus/model.ts";
import type { Dim3, Launch, Op } from "../ir/kernel.ts";
import type { Environment } from "./environment.ts";
import { type Program, warpSize } from "./program.ts";
import { type Registers, writeLong } from "./registers.ts";
import type { Slice } from "./slice.ts";

/** A launch without clusters: every block is one. */
const alone: Dim3 = [1, 1, 1];

export class Presets {
  readonly #environment: Environment;
  readonly #registers: Registers;
  readonly #slice: Slice;
  readonly #perWarp: { readonly op: Op; readonly register: string }[] = [];

  constructor(environment: Environment, registers: Registers, slice: Slice) {
    this.#environment = environment;
    this.#registers = registers;
    this.#slice = slice;
  }

  /** Writes a value that is the same for the whole launch, or notes that each warp has its own. False for what has to be computed. */
  set(op: Op): boolean {
    const { action } = op;
    const environment = this.#environment;
    const fill = (value: number | bigint): true => {
      if (!this.#slice.needs(op)) return true;
      const slot = this.#registers.slot(op);
      if (slot.kind === "long") for (let i = 0; i < this.#registers.size; i++) writeLong(slot.data, i, BigInt(value));
      else slot.data.fill(Number(value));
      return true;
    };
    switch (action.kind) {
      case "const":
        return fill(action.value);
      case "param":
        return fill(environment.parameterValue(action.index));
      case "param.address":
        return fill(environment.parameterAddress(action.index));
      case "shared.address":
        return fill(environment.sharedAddresses[action.index] ?? 0);
      case "global.address":
        return fill(environment.globalAddresses[action.index] ?? 0);
      case "alloca":
        return fill(environment.allocas.get(op) ?? 0);
      case "unknown":
        return fill(op.type === "i64" ? 1n : 1);
      case "special": {
        const [block, grid] = [environment.launch.block, environment.launch.grid];
        switch (action.register) {
          case "ntid.x":
            return fill(block[0]);
          case "ntid.y":
            return fill(block[1]);
          case "ntid.z":
            return fill(block[2]);
          case "nctaid.x":
            return fill(grid[0]);
          case "nctaid.y":
            return fill(grid[1]);
          case "nctaid.z":
            return fill(grid[2]);
          case "cluster.blocks": {
            const [x, y, z] = environment.launch.cluster ?? alone;
            return fill(x * y * z);
          }
          case "clock":
          case "globaltimer":
          case "activemask":
            return false;
          default:
            if (this.#slice.needs(op)) this.#perWarp.push({ op, register: action.register });
            return true;
        }
      }
      default:
        return false;
    }
  }

  /** Sets what each warp has of its own. */
  startWarp({ block: [width, height], grid, cluster = alone }: Launch, { smCount }: GpuValues): Program["startWarp"] {
    const set = this.#perWarp.map(({ op, register }) => ({ out: this.#registers.ints(op), register }));
    return (o, warp, at) => {
      for (const { out, register } of set) {
        const value = (thread: number): number => {
          switch (register) {
            case "tid.x":
              return thread % width;
            case "tid.y":
              return Math.floor(thread / width) % height;
            case "tid.z":
              return Math.floor(thread / (width * height));
            case "laneid":
              return thread % warpSize;
            case "warpid":
              return warp;
            case "ctaid.x":
              return at[0];
            case "ctaid.y":
              return at[1];
            case "ctaid.z":
              return at[2];
            case "cluster.rank":
              return (at[0] % cluster[0]) + cluster[0] * ((at[1] % cluster[1]) + cluster[1] * (at[2] % cluster[2]));
            default:
              // smid: blocks go round the processors.
              return (at[0] + grid[0] * (at[1] + grid[1] * at[2])) % smCount;
          }
        };
        for (let lane = 0; lane < warpSize; lane++) out[o + lane] = value(warp * warpSize + lane);
      }
    };
  }
}
