import { expect, test } from "vitest";
import { parseKernel } from "../ir/text.ts";
import { verifyKernel } from "../ir/verify.ts";
import { Work } from "../work.ts";
import type { Instruction } from "./machine.ts";
import { select } from "./select.ts";

/** A row is gone along by four, each read where it is below a bound and 0 where not: nvcc 13.0 computes one address for all. */
const four = `kernel @k(%x: ptr const f32 restrict, %y: ptr f32 restrict, %n: i32) {
b0:
  %1: ptr = param 0
  %2: ptr = param 1
  %3: i32 = param 2
  %4: i32 = special tid.x
  %5: f32 = const 0
  %6: i32 = const 4
  %8: i32 = const 0
  jump b9
b9:
  %7: i32 = phi [%8, b0], [%210, b33]
  %9: f32 = phi [%5, b0], [%202, b33]
  %10: ptr = phi [%1, b0], [%211, b33]
${[0, 1, 2, 3]
  .map(
    (k) => `${k > 0 ? `b3${k - 1}:\n  %${159 + k}: f32 = phi [%${149 + k}, b2${k - 1}], [%5, ${k > 1 ? `b3${k - 2}` : "b9"}]` : ""}
  %${100 + k}: i32 = const ${k}
  %${110 + k}: i32 = add.exact %7, %${100 + k}
  %${120 + k}: i1 = icmp.slt %${110 + k}, %3
  branch %${120 + k}, b2${k}, b3${k}
b2${k}:
  %${140 + k}: ptr = gep %10, %4, scale 4
  %${170 + k}: ptr = gep %${140 + k}, %8, scale 1, offset ${4 * k}
  %${150 + k}: f32 = load.global %${170 + k}, align 4
  jump b3${k}`,
  )
  .join("\n")}
b33:
  %163: f32 = phi [%153, b23], [%5, b32]
  %200: f32 = fadd %160, %161
  %201: f32 = fadd %162, %163
  %203: f32 = fmul %200, %201
  %202: f32 = fadd %9, %203
  %210: i32 = add.exact %7, %6
  %211: ptr = gep %10, %8, scale 1, offset 16
  %212: i1 = icmp.slt %210, %3
  branch %212, b9, b41
b41:
  %204: ptr = gep %2, %4, scale 4
  store.global %204, %202, align 4
  return
}
`;

function codeOf(text: string): Instruction[] {
  const kernel = parseKernel(text);
  return [...select(kernel, 90).blocks.values()].flatMap(({ instructions }) => [...instructions]);
}

test("arms that read at places of one row have its address computed once, whichever of them is taken", () => {
  const code = codeOf(four);
  const loads = code.filter(({ opcode }) => opcode.startsWith("LDG"));
  expect(loads).toHaveLength(4);
  expect(loads.every(({ predicated }) => predicated)).toBe(true);
  const addresses = new Set(loads.map(({ uses: [address] }) => address));
  expect(addresses.size).toBe(1);
  const makers = code.filter(({ defs }) => defs.some((def) => addresses.has(def)));
  expect(makers).toHaveLength(1);
  expect(makers[0]?.predicated).toBeUndefined();
});

test("what is read where an arm is not taken is put there before: the loads go first, all at once", () => {
  const order = codeOf(four).map(({ opcode, op }) => (op?.action.kind === "load" ? "load" : opcode));
  const first = order.indexOf("load");
  const last = order.lastIndexOf("load");
  expect(order.slice(first, last).filter((opcode) => /FADD|FMUL/.test(opcode))).toEqual([]);
});

test("who is stopped leaves the kernel as it was or changed throughout", () => {
  class Stopping extends Work {
    asks: number;
    constructor(asks: number) {
      super();
      this.asks = asks;
    }
    override ask(): void {
      if (this.asks-- === 0) throw new Error("stopped");
    }
  }
  for (let after = 0; after < 400; after += 3) {
    const kernel = parseKernel(four);
    try {
      select(kernel, 90, new Stopping(after));
    } catch {
      expect(verifyKernel(kernel)).toEqual([]);
    }
  }
});
