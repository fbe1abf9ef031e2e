import fc from "fast-check";
import { expect, test } from "vitest";
import { Builder, cloneKernel, createKernel, linkBlocks } from "../ir/builder.ts";
import type { IntBinary, IntPredicate, Kernel, Op } from "../ir/kernel.ts";
import { printKernel } from "../ir/text.ts";
import { verifyKernel } from "../ir/verify.ts";
import { optimise } from "./pipeline.ts";
import { interpret } from "./testing/interpret.ts";

/** Programs as a front end lowers them: every variable in memory, every test where the source has it. */
type Expression =
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: "variable"; readonly index: number }
  | { readonly kind: "tid" }
  | { readonly kind: "n" }
  | { readonly kind: "binary"; readonly op: IntBinary; readonly a: Expression; readonly b: Expression }
  | { readonly kind: "load"; readonly from: 0 | 1 | 2; readonly index: Expression };
type Statement =
  | { readonly kind: "assign"; readonly variable: number; readonly value: Expression }
  | { readonly kind: "store"; readonly to: 0 | 1 | 2; readonly index: Expression; readonly value: Expression }
  | {
      readonly kind: "if";
      readonly test: IntPredicate;
      readonly a: Expression;
      readonly b: Expression;
      readonly then: Statement[];
      readonly otherwise: Statement[];
    }
  | {
      readonly kind: "for";
      readonly start: number;
      readonly bound: number | "n";
      readonly step: number;
      readonly body: Statement[];
      readonly leave: boolean;
    };

const variables = 3;

function build(program: readonly Statement[], restrict: boolean): Kernel {
  const pointee = { bytes: 4, type: "i32", const: false } as const;
  const kernel = createKernel({
    name: "random",
    parameters: [
      { name: "a", type: "ptr", bytes: 8, pointee, restrict },
      { name: "b", type: "ptr", bytes: 8, pointee, restrict },
      { name: "n", type: "i32", bytes: 4 },
    ],
    shared: [],
  });
  const builder = new Builder(kernel);
  const slots = Array.from({ length: variables }, (_, index) => builder.alloca(4, 4, `v${index}`));
  const array = builder.alloca(32, 4, "array");
  for (const slot of slots) builder.store("local", slot, [builder.constant("i32", 1)]);
  for (let index = 0; index < 8; index++)
    builder.store("local", builder.gep(array, builder.constant("i32", index), 4), [builder.constant("i32", index * 3)]);
  const memory = (which: 0 | 1 | 2, index: Expression): Op => {
    const mask = builder.constant("i32", which === 2 ? 7 : 15);
    return builder.gep(which === 2 ? array : builder.parameter(which), builder.int("and", lower(index), mask), 4);
  };
  const space = (which: 0 | 1 | 2): "local" | "generic" => (which === 2 ? "local" : "generic");
  const lower = (expression: Expression): Op => {
    switch (expression.kind) {
      case "constant":
        return builder.constant("i32", expression.value);
      case "variable":
        return builder.load("local", "i32", slots[expression.index] as Op);
      case "tid":
        return builder.special("tid.x");
      case "n":
        return builder.parameter(2);
      case "binary":
        return builder.int(expression.op, lower(expression.a), lower(expression.b));
      case "load":
        return builder.load(space(expression.from), "i32", memory(expression.from, expression.index));
    }
  };
  const run = (statement: Statement): void => {
    switch (statement.kind) {
      case "assign":
        builder.store("local", slots[statement.variable] as Op, [lower(statement.value)]);
        return;
      case "store":
        builder.store(space(statement.to), memory(statement.to, statement.index), [lower(statement.value)]);
        return;
      case "if": {
        const [then, otherwise, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock()];
        builder.branch(builder.icmp(statement.test, lower(statement.a), lower(statement.b)), then, otherwise);
        for (const [block, body] of [
          [then, statement.then],
          [otherwise, statement.otherwise],
        ] as const) {
          builder.block = block;
          body.forEach(run);
          builder.jump(after);
        }
        builder.block = after;
        return;
      }
      case "for": {
        const counter = builder.alloca(4, 4, "i");
        const [head, body, next, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock(), builder.newBlock()];
        builder.store("local", counter, [builder.constant("i32", statement.start)]);
        builder.jump(head);
        builder.block = head;
        const bound = statement.bound === "n" ? builder.parameter(2) : builder.constant("i32", statement.bound);
        builder.branch(builder.icmp("slt", builder.load("local", "i32", counter), bound), body, after);
        builder.block = body;
        builder.store("local", slots[0] as Op, [
          builder.int("add", lower({ kind: "variable", index: 0 }), builder.load("local", "i32", counter)),
        ]);
        if (statement.leave) {
          const on = builder.newBlock();
          builder.branch(builder.icmp("sgt", lower({ kind: "variable", index: 1 }), builder.constant("i32", 40)), after, on);
          builder.block = on;
        }
        statement.body.forEach(run);
        builder.jump(next);
        builder.block = next;
        builder.store("local", counter, [
          builder.int("add", builder.load("local", "i32", counter), builder.constant("i32", statement.step), true),
        ]);
        builder.jump(head);
        builder.block = after;
        return;
      }
    }
  };
  program.forEach(run);
  for (const [index, slot] of slots.entries())
    builder.store("generic", builder.gep(builder.parameter(1), builder.constant("i32", 20 + index), 4), [
      builder.load("local", "i32", slot),
    ]);
  builder.return();
  linkBlocks(kernel);
  return kernel;
}

const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.record({ kind: fc.constant("constant" as const), value: fc.integer({ min: -9, max: 40 }) }),
    fc.record({ kind: fc.constant("variable" as const), index: fc.nat(variables - 1) }),
    fc.constant({ kind: "tid" as const }),
    fc.constant({ kind: "n" as const }),
    fc.record({
      kind: fc.constant("binary" as const),
      op: fc.constantFrom<IntBinary>("add", "sub", "mul", "and", "or", "xor", "sdiv", "udiv", "srem", "urem", "smin", "umax", "mulhi.u"),
      a: tie("expression"),
      b: tie("expression"),
    }),
    fc.record({ kind: fc.constant("load" as const), from: fc.constantFrom(0 as const, 1 as const, 2 as const), index: tie("expression") }),
  ),
}));

const { statement } = fc.letrec<{ statement: Statement }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 3, depthSize: "medium" },
    fc.record({ kind: fc.constant("assign" as const), variable: fc.nat(variables - 1), value: expression }),
    fc.record({
      kind: fc.constant("store" as const),
      to: fc.constantFrom(0 as const, 1 as const, 2 as const),
      index: expression,
      value: expression,
    }),
    fc.record({
      kind: fc.constant("if" as const),
      test: fc.constantFrom<IntPredicate>("eq", "ne", "slt", "sge", "ult", "ugt"),
      a: expression,
      b: expression,
      then: fc.array(tie("statement") as fc.Arbitrary<Statement>, { maxLength: 3 }),
      otherwise: fc.array(tie("statement") as fc.Arbitrary<Statement>, { maxLength: 2 }),
    }),
    fc.record({
      kind: fc.constant("for" as const),
      start: fc.integer({ min: -2, max: 3 }),
      bound: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant("n" as const)),
      step: fc.integer({ min: 1, max: 3 }),
      body: fc.array(tie("statement") as fc.Arbitrary<Statement>, { maxLength: 3 }),
      leave: fc.boolean(),
    }),
  ),
}));

test("optimised programs leave the same in memory", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(fc.array(statement, { minLength: 1, maxLength: 4 }), fc.boolean(), (program, restrict) => {
      const kernel = build(program, restrict);
      expect(verifyKernel(kernel)).toEqual([]);
      const after = cloneKernel(kernel);
      optimise(after);
      expect(verifyKernel(after)).toEqual([]);
      for (const [n, tid] of [
        [0, 0],
        [1, 5],
        [6, 3],
        [19, 31],
      ] as const) {
        let before: ReturnType<typeof interpret>;
        try {
          before = interpret(kernel, [1 << 12, 1 << 16, n], tid, 30_000);
        } catch {
          continue;
        }
        const now = interpret(after, [1 << 12, 1 << 16, n], tid);
        expect(now.memory, printKernel(after)).toEqual(before.memory);
      }
    }),
    { numRuns: 150, seed: 7 },
  );
});
