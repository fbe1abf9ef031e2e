import { expect, test } from "vitest";
import { pointerSpaces } from "../facts/pointer-spaces.ts";
import { common, runPasses } from "../testing/run-passes.ts";
import { inferSpaces } from "./infer-spaces.ts";

test("spaces come from where an address does", () => {
  const text = runPasses(
    `${common}
  %10: ptr = shared.address 0
  %11: ptr = gep %10, %4, scale 4, offset 0
  %12: f32 = load.generic %11, align 4
  %13: i1 = icmp.slt %4, %3
  %14: ptr = select %13, %1, %2
  %15: ptr = select %13, %1, %10
  store.generic %14, %12, align 4
  store.generic %15, %12, align 4`,
    inferSpaces,
  );
  expect(text).toMatch(/load\.shared %11/);
  expect(text).toMatch(/store\.global %14/);
  expect(text).toMatch(/store\.generic %15/);
  // Where the kernel has put some there itself it may be any of those.
  const own = runPasses(
    `${common}
  %10: ptr = shared.address 0
  store.shared %10, %10, align 8
  %12: ptr = load.generic %10, align 8
  store.generic %12, %8, align 4`,
    inferSpaces,
  );
  expect(own).toMatch(/store\.generic %12/);
});

test("what nvcc does not look into stays generic, and an address of nothing else takes two registers", () => {
  const text = `${common}
  %10: ptr = shared.address 0
  %11: ptr = gep %10, %4, scale 4, offset 0
  %12: ptr = gep %10, %4, scale 8, offset 0
  %13: f32 = load.generic %11, align 4, uninferred
  %14: f32 = load.generic %12, align 4
  store.generic %12, %13, align 4, uninferred
  store.generic %12, %14, align 4`;
  const spaces: (string | undefined)[] = [];
  const after = runPasses(text, inferSpaces, (kernel) => {
    const found = pointerSpaces(kernel);
    for (const { ops } of kernel.blocks) for (const op of ops) if (op.action.kind === "gep") spaces.push(found.get(op));
  });
  expect(after).toMatch(/load\.generic %11/);
  expect(after).toMatch(/load\.shared %12/);
  expect(after).toMatch(/store\.generic %12, %13/);
  expect(spaces).toEqual(["generic", "shared"]);
});

test("a pointer that other threads may have put where it is leads to global memory, one of the thread's own to any", () => {
  const text = runPasses(
    `${common}
  %10: ptr = shared.address 0
  %11: ptr = alloca 32, align 8
  %12: ptr = load.generic %1, align 8
  %13: ptr = load.generic %12, align 8
  %14: ptr = load.generic %10, align 8
  store.local %11, %1, align 8
  %15: ptr = load.generic %11, align 8
  store.generic %13, %8, align 4
  store.generic %14, %8, align 4
  store.generic %15, %8, align 4`,
    inferSpaces,
  );
  expect(text).toMatch(/%13: ptr = load\.global %12/);
  expect(text).toMatch(/store\.global %13/);
  expect(text).toMatch(/store\.global %14/);
  expect(text).toMatch(/load\.local %11/);
  expect(text).toMatch(/store\.generic %15/);
});
