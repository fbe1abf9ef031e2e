/** PTX of Hopper's asynchronous work: mbarriers, bulk copies, and what goes with them. */
import type { Op } from "@warplens/sim-engine";
import { assumeOwnShared } from "../emit/clusters.ts";
import type { Lowering } from "../emit/lowering.ts";
import type { Operands } from "./operands.ts";
import { type Instruction, listed } from "./ptx.ts";

/** Emits an instruction that is one of these; false for any other. */
export function lowerAsync(lowering: Lowering, at: Operands, instruction: Instruction): boolean {
  const emitter = new AsyncEmitter(lowering, at, instruction);
  const { opcode } = instruction;
  switch (opcode[0]) {
    case "mbarrier":
      return emitter.mbarrier();
    case "cp":
      if (opcode[1] !== "async") return false;
      if (opcode[2] === "mbarrier") return emitter.copiesArrive();
      return opcode[2] === "bulk" && emitter.bulk();
    case "elect":
      return emitter.elect();
    case "setmaxnreg":
      return emitter.reallocate();
    default:
      return false;
  }
}

/** The compute capability that has a copy engine. */
const leastForBulk = 90;

class AsyncEmitter {
  readonly #lowering: Lowering;
  readonly #at: Operands;
  readonly #opcode: readonly string[];
  readonly #operands: readonly string[];

  constructor(lowering: Lowering, at: Operands, { opcode, operands }: Instruction) {
    this.#lowering = lowering;
    this.#at = at;
    this.#opcode = opcode;
    this.#operands = operands;
  }

  /** What a warp may have later decides what all begin with. */
  reallocate(): boolean {
    const { kernel } = this.#lowering;
    const { action } = this.#number(this.#operands[0], 0);
    const count = action.kind === "const" ? Number(action.value) : 0;
    kernel.reallocatedRegisters = Math.max(kernel.reallocatedRegisters ?? 0, count);
    return true;
  }

  /** The address of an mbarrier, or of other shared memory. Blocks are simulated one by one: that of another block is the own. */
  #shared(operand: string | undefined): Op {
    const inWindow = this.#opcode.some((each) => each.startsWith("shared"));
    return this.#at.address(operand ?? "", inWindow ? "shared" : "generic");
  }

  #number(operand: string | undefined, otherwise: number): Op {
    return operand === undefined ? this.#lowering.constant("i32", otherwise) : this.#at.read(operand, "i32");
  }

  /** `mbarrier.arrive.expect_tx.shared::cta.b64 state, [at], bytes` and the like. */
  mbarrier(): boolean {
    const { builder } = this.#lowering;
    const [first = "", second, third] = this.#operands;
    const [, what] = this.#opcode;
    switch (what) {
      case "init":
        builder.emit({ kind: "mbarrier", op: "init" }, "void", this.#shared(first), this.#number(second, 1));
        return true;
      case "inval":
        builder.emit({ kind: "mbarrier", op: "invalidate" }, "void", this.#shared(first));
        return true;
      case "expect_tx":
      case "complete_tx":
        builder.emit(
          { kind: "mbarrier", op: what === "expect_tx" ? "expect" : "complete" },
          "void",
          this.#shared(first),
          this.#number(second, 0),
        );
        return true;
      case "arrive":
      case "arrive_drop": {
        const expects = this.#opcode.includes("expect_tx");
        // A form without a result names the object first.
        const [state, address, count] = first.startsWith("[") ? ["_", first, second] : [first, second, third];
        const arrivals = expects ? this.#number(undefined, 1) : this.#number(count, 1);
        const bytes = expects ? this.#number(count, 0) : this.#number(undefined, 0);
        const op = what === "arrive" ? "arrive" : "drop";
        const wanted = state !== "_";
        const phase = builder.emit({ kind: "mbarrier", op }, wanted ? "i64" : "void", this.#shared(address), arrivals, bytes);
        if (wanted) this.#at.write(state ?? "", phase);
        return true;
      }
      case "test_wait":
      case "try_wait": {
        const phase = this.#at.read(third ?? "", this.#opcode.includes("parity") ? "i32" : "i64");
        this.#at.write(first, builder.emit({ kind: "mbarrier.wait", suspends: what === "try_wait" }, "i1", this.#shared(second), phase));
        return true;
      }
      default:
        return false;
    }
  }

  /** `cp.async.mbarrier.arrive.noinc.shared.b64 [at]`: without `noinc` the arrival is one more than the phase was to wait for. */
  copiesArrive(): boolean {
    const counted = this.#opcode.includes("noinc");
    this.#lowering.builder.emit({ kind: "mbarrier", op: "copies", counted }, "void", this.#shared(this.#operands[0]));
    return true;
  }

  bulk(): boolean {
    const { builder, options } = this.#lowering;
    if (options.computeCapability < leastForBulk)
      this.#lowering.fail(`the PTX instruction ${this.#opcode.join(".")} needs compute capability ${leastForBulk / 10}.0`);
    const [first = "", second = "", size, barrier, mask] = this.#operands;
    const opcode = this.#opcode;
    if (opcode[3] === "commit_group") {
      builder.emit({ kind: "bulk.commit" }, "void");
      return true;
    }
    if (opcode[3] === "wait_group") {
      builder.emit({ kind: "bulk.wait", pending: Number(this.#at.immediate(first)), read: opcode.includes("read") }, "void");
      return true;
    }
    // Brings memory into the L2 and is not waited for.
    if (opcode[3] === "prefetch") return true;
    const multicast = opcode.some((each) => each.startsWith("multicast"));
    if (multicast) assumeOwnShared(this.#lowering);
    if (opcode[3] === "tensor") return this.#tensor(multicast);
    const [to, from] = [opcode[3] ?? "", opcode[4] ?? ""];
    const intoShared = to.startsWith("shared");
    if (!(intoShared && from === "global") && !(to === "global" && from.startsWith("shared"))) return false;
    const [shared, global] = intoShared ? [first, second] : [second, first];
    builder.emit(
      { kind: "copy.bulk", to: intoShared ? "shared" : "global", ...(multicast ? { multicast: true as const } : {}) },
      "void",
      this.#at.address(shared, "shared"),
      this.#at.address(global, "global"),
      this.#number(size, 0),
      ...(intoShared ? [this.#at.address(barrier ?? "", "shared")] : []),
      ...(multicast ? [this.#number(mask, 1)] : []),
    );
    return true;
  }

  /**
   * `cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [to], [map, {x, y}], [mbarrier]{, mask}`, and
   * `cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {x, y}], [from]`.
   */
  #tensor(multicast: boolean): boolean {
    const opcode = this.#opcode;
    const rank = Number(/^([1-5])d$/.exec(opcode[4] ?? "")?.[1] ?? 0);
    if (rank === 0 || opcode.some((each) => each.startsWith("im2col") || each.startsWith("tile::"))) return false;
    const intoShared = opcode[5]?.startsWith("shared") ?? false;
    const [first = "", second = "", barrier = "", mask] = this.#operands;
    const [shared, tensor] = intoShared ? [first, second] : [second, first];
    const [, map = "", coordinates = ""] = /^\[\s*([^,\s]+)\s*,\s*\{([^}]*)\}\s*\]$/.exec(tensor) ?? [];
    const numbers = listed(coordinates).map((each) => this.#at.read(each, "i32"));
    if (numbers.length !== rank) return false;
    this.#lowering.builder.emit(
      { kind: "copy.bulk", to: intoShared ? "shared" : "global", tensor: rank, ...(multicast ? { multicast: true as const } : {}) },
      "void",
      this.#at.address(shared, "shared"),
      this.#at.read(map, "ptr"),
      ...numbers,
      ...(intoShared ? [this.#at.address(barrier, "shared")] : []),
      ...(multicast ? [this.#number(mask, 1)] : []),
    );
    return true;
  }

  /** `elect.sync lane|p, mask`: the lowest lane of the mask. */
  elect(): boolean {
    const { builder } = this.#lowering;
    const [to = "", mask = "0xffffffff"] = this.#operands;
    const [lane = "_", predicate = "_"] = to.split("|");
    const first = builder.int("sub", builder.math("ffs", "precise", "i32", this.#at.read(mask, "i32")), this.#lowering.constant("i32", 1));
    if (lane !== "_") this.#at.write(lane, first);
    if (predicate !== "_") this.#at.write(predicate, builder.icmp("eq", builder.special("laneid"), first));
    return true;
  }
}
