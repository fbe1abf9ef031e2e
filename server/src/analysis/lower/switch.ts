/** Switches: a chain of comparisons in front of the body. */
import type { Block, Op } from "@warplens/sim-engine";
import type { Expression, Statement } from "../../syntax/ast.ts";
import { decay, promote } from "../sema/type-tools.ts";
import type { Lowering, Place } from "./emit/lowering.ts";
import { load } from "./emit/memory.ts";
import { constantOf, convert } from "./emit/scalars.ts";

type Case = Statement & { readonly kind: "case" };

export function lowerSwitch(lowering: Lowering, statement: Statement & { kind: "switch" }): void {
  const { builder, frame } = lowering;
  if (statement.init) lowering.statement(statement.init);
  const { value, type } = tested(lowering, statement);
  const labels: Case[] = [];
  collect(statement.body, labels);
  const blocks = new Map<Statement, Block>(labels.map((each) => [each, builder.newBlock()]));
  const after = builder.newBlock();
  let fallback = after;
  for (const label of labels) {
    const target = blocks.get(label) ?? after;
    if (!label.value) {
      fallback = target;
      continue;
    }
    const next = builder.newBlock();
    lowering.at(label);
    builder.branch(matches(lowering, value, type, label.value, label.last), target, next);
    builder.block = next;
  }
  builder.jump(fallback);
  builder.block = builder.newBlock();
  frame.breaks.push(after);
  frame.cases.push(blocks);
  lowering.statement(statement.body);
  frame.cases.pop();
  frame.breaks.pop();
  builder.jump(after);
  builder.block = after;
}

function tested(
  lowering: Lowering,
  statement: Statement & { kind: "switch" },
): { readonly value: Op; readonly type: ReturnType<typeof decay> } {
  const { condition } = statement;
  if (condition.kind === "variable") {
    lowering.declare(condition);
    const place = lowering.frame.variables.get(condition) as Place | undefined;
    if (!place) return lowering.fail("a switch over nothing", statement);
    const type = promote(place.type);
    return { value: convert(lowering, load(lowering, { ...place, node: condition }), place.type, type), type };
  }
  const type = promote(decay(lowering.typeOf(condition)));
  return { value: lowering.valueAs(condition, type), type };
}

function matches(lowering: Lowering, value: Op, type: ReturnType<typeof decay>, label: Expression, last: Expression | undefined): Op {
  const constant = (expression: Expression): Op => {
    const known = lowering.context.constant(expression, lowering.frame.substitution);
    return known === undefined ? lowering.fail("a `case` that is not constant", expression) : constantOf(lowering, known, type);
  };
  if (!last) return lowering.builder.icmp("eq", value, constant(label));
  const low = lowering.builder.icmp("sge", value, constant(label));
  const high = lowering.builder.icmp("sle", value, constant(last));
  return lowering.builder.int("and", low, high);
}

/** The labels of a switch, those of inner switches left out. */
function collect(statement: Statement, labels: Case[]): void {
  switch (statement.kind) {
    case "case":
      labels.push(statement);
      return;
    case "block":
      for (const each of statement.body) collect(each, labels);
      return;
    case "if":
      collect(statement.then, labels);
      if (statement.else) collect(statement.else, labels);
      return;
    case "for":
    case "while":
    case "do":
    case "range-for":
      collect(statement.body, labels);
      return;
    default:
      return;
  }
}
