/** Statements: control flow as blocks and jumps. */
import type { Block } from "@warplens/sim-engine";
import type { Statement } from "../../syntax/ast.ts";
import { lowerAsm } from "./asm/lower-asm.ts";
import { trap } from "./builtins/operands.ts";
import { lowerReturn } from "./calls.ts";
import type { Lowering } from "./emit/lowering.ts";
import { branchCondition, loop, lowerDo, lowerRangeFor } from "./loops.ts";
import { lowerSwitch } from "./switch.ts";
import { nestedTooDeeply } from "./unknown.ts";

export function lowerStatement(lowering: Lowering, statement: Statement): void {
  const { builder, frame } = lowering;
  switch (statement.kind) {
    case "block":
      for (const each of statement.body) lowering.statement(each);
      return;
    case "declaration":
      for (const each of statement.declarations) {
        if (each.kind === "variable") lowering.declare(each);
        else if (each.kind === "statement") lowering.statement(each.statement);
      }
      return;
    case "expression":
      lowering.effect(statement.expression);
      return;
    case "if":
      lowerIf(lowering, statement);
      return;
    case "for":
      if (statement.init) lowering.statement(statement.init);
      loop(lowering, statement, statement.condition, statement.step, statement.body);
      return;
    case "while":
      loop(lowering, statement, statement.condition, undefined, statement.body);
      return;
    case "do":
      lowerDo(lowering, statement);
      return;
    case "range-for":
      lowerRangeFor(lowering, statement);
      return;
    case "switch":
      lowerSwitch(lowering, statement);
      return;
    case "case": {
      const block = frame.cases.at(-1)?.get(statement);
      if (!block) lowering.fail("a `case` outside a switch", statement);
      builder.jump(block);
      builder.block = block;
      return;
    }
    case "break":
    case "continue": {
      const target = (statement.kind === "break" ? frame.breaks : frame.continues).at(-1);
      if (!target) lowering.fail(`a \`${statement.kind}\` outside a loop`, statement);
      leave(lowering, target);
      return;
    }
    case "return":
      lowerReturn(lowering, statement.value, statement);
      return;
    case "goto":
      leave(lowering, labelBlock(lowering, statement.label));
      return;
    case "label": {
      const block = labelBlock(lowering, statement.name);
      builder.jump(block);
      builder.block = block;
      return;
    }
    case "asm":
      lowerAsm(lowering, statement);
      return;
    case "try":
      lowering.statement(statement.body);
      return;
    case "empty":
      return;
    case "throw":
      // Of code for both sides: libcu++ traps where it would throw.
      trap(lowering, statement);
      break;
    case "unknown":
      lowering.fail(whyNot(statement), statement);
  }
}

function whyNot(statement: Statement & { kind: "unknown" }): string {
  return statement.limit ? `statements ${nestedTooDeeply}` : "a statement could not be parsed";
}

/** What follows a jump is reached from elsewhere or not at all. */
function leave(lowering: Lowering, target: Block): void {
  lowering.builder.jump(target);
  lowering.builder.block = lowering.builder.newBlock();
}

function labelBlock(lowering: Lowering, name: string): Block {
  const { labels } = lowering.frame;
  let block = labels.get(name);
  if (!block) labels.set(name, (block = lowering.builder.newBlock()));
  return block;
}

function lowerIf(lowering: Lowering, statement: Statement & { kind: "if" }): void {
  const { builder, context, frame } = lowering;
  if (statement.init) lowering.statement(statement.init);
  if (statement.constexpr && statement.condition.kind !== "variable") {
    const known = context.constant(statement.condition, frame.substitution);
    if (known === undefined) lowering.fail("the condition of `if constexpr` is not known", statement.condition);
    const taken = Number(known) ? statement.then : statement.else;
    if (taken) lowering.statement(taken);
    return;
  }
  const then = builder.newBlock();
  const otherwise = statement.else ? builder.newBlock() : undefined;
  const after = builder.newBlock();
  branchCondition(lowering, statement.condition, then, otherwise ?? after);
  builder.block = then;
  lowering.statement(statement.then);
  builder.jump(after);
  if (otherwise && statement.else) {
    builder.block = otherwise;
    lowering.statement(statement.else);
    builder.jump(after);
  }
  builder.block = after;
}
