/** Shuffles, votes, reductions and scans of cooperative groups within a warp. */
import type { Op } from "@warplens/sim-engine";
import type { Expression } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import { intType, unqualified } from "../../sema/type-tools.ts";
import type { Type } from "../../sema/types.ts";
import { binary } from "../emit/arithmetic.ts";
import { type Called, type Lowering, value } from "../emit/lowering.ts";
import { convert, isSignedType, scalarOf, truth } from "../emit/scalars.ts";
import { type Group, groupSize, laneOfRank, memberMask, rank, segmentStart } from "./group-kinds.ts";
import { extreme, shuffleOf, type Use } from "./operands.ts";

const modes = { shfl: "idx", shfl_up: "up", shfl_down: "down", shfl_xor: "xor" } as const;
type Shuffle = keyof typeof modes;

export function groupShuffle(lowering: Lowering, group: Group, name: Shuffle, use: Use): Called {
  const [shuffled, lane] = use.args;
  if (!shuffled || !lane) return lowering.fail("a shuffle without operands", use.node);
  const mask = memberMask(lowering, group);
  if (group.kind === "coalesced_group") {
    const by = (): Op => sourceLane(lowering, group, name, lowering.valueAs(lane, intType));
    return shuffleOf(lowering, "idx", 32, mask, shuffled, by, use);
  }
  return shuffleOf(lowering, modes[name], group.tile, mask, shuffled, () => lowering.valueAs(lane, intType), use);
}

/** Among coalesced threads ranks count, not lanes; what would leave the group stays with itself. */
function sourceLane(lowering: Lowering, group: Group, name: Shuffle, by: Op): Op {
  const { builder } = lowering;
  const mask = memberMask(lowering, group);
  if (name === "shfl") return laneOfRank(lowering, mask, by);
  const own = rank(lowering, group);
  const wanted = builder.int(name === "shfl_up" ? "sub" : name === "shfl_down" ? "add" : "xor", own, by);
  const inside = builder.icmp("ult", wanted, groupSize(lowering, group));
  return laneOfRank(lowering, mask, builder.select(inside, wanted, own));
}

export function groupVote(lowering: Lowering, group: Group, mode: "any" | "all" | "ballot", use: Use): Called {
  const { builder } = lowering;
  const [predicate] = use.args;
  const condition = truth(lowering, predicate ? lowering.valueAs(predicate, intType) : lowering.fail("a vote on nothing", use.node));
  if (group.kind === "thread_block_tile" && group.tile < 32) return value(tileVote(lowering, group, mode, condition));
  const op = builder.emit({ kind: "vote", mode }, mode === "ballot" ? "i32" : "i1", memberMask(lowering, group), condition);
  return value(mode === "ballot" ? op : builder.convert("zext", op, "i32"));
}

/** A vote of part of a warp: the whole warp's ballot, of which the tile's bits count. */
function tileVote(lowering: Lowering, group: Group, mode: "any" | "all" | "ballot", condition: Op): Op {
  const { builder } = lowering;
  const mask = memberMask(lowering, group);
  const all = builder.emit({ kind: "vote", mode: "ballot" }, "i32", mask, condition);
  const own = builder.int("and", all, mask);
  if (mode === "ballot") return builder.int("lshr", own, segmentStart(lowering, group));
  const holds = mode === "any" ? builder.icmp("ne", own, lowering.constant("i32", 0)) : builder.icmp("eq", own, mask);
  return builder.convert("zext", holds, "i32");
}

export function groupMatch(lowering: Lowering, group: Group, use: Use): Called {
  const [matched] = use.args;
  const of = matched ? lowering.value(matched) : lowering.fail("a match of nothing", use.node);
  return value(lowering.builder.emit({ kind: "match", mode: "any" }, "i32", memberMask(lowering, group), of));
}

/** As the library does it: the reduction instruction for 32-bit integers of coalesced threads, else a butterfly of shuffles. */
export function groupReduce(lowering: Lowering, group: Group, use: Use): Called {
  const [, operand, functor] = use.args;
  const type: Type = unqualified(use.result);
  const scalar = scalarOf(type);
  if (!operand || !functor || !scalar) return lowering.fail("a reduction of records is not simulated", use.node);
  if (group.kind !== "thread_block_tile" && group.kind !== "coalesced_group")
    return lowering.fail("a reduction over this group is not simulated", use.node);
  const name = functorName(lowering, functor);
  const combine = combiner(lowering, name, type, use);
  if (!combine) return lowering.fail("a reduction by a function of the program's own is not simulated", use.node);
  let all = lowering.valueAs(operand, type);
  const mask = memberMask(lowering, group);
  lowering.visit(use.node);
  lowering.at(use.node);
  if (group.kind === "coalesced_group") {
    const instruction = reductions(isSignedType(type))[name];
    if (scalar === "i32" && instruction) return value(lowering.builder.emit({ kind: "reduce", op: instruction }, "i32", mask, all));
    const sum = steps(lowering, group, all, combine, "down");
    const first = laneOfRank(lowering, mask, lowering.constant("i32", 0));
    return value(lowering.builder.shuffle("idx", mask, sum, first, 32));
  }
  const width = Math.min(group.tile, 32);
  for (let distance = width / 2; distance >= 1; distance /= 2)
    all = combine(all, lowering.builder.shuffle("xor", mask, all, lowering.constant("i32", distance), width));
  if (group.tile > 32) {
    lowering.assume(
      "reductions of several warps",
      "each by itself",
      "what they then exchange in shared memory is not counted, but for a barrier",
    );
    lowering.builder.barrier();
  }
  return value(all);
}

/** Sums of what the ranks before give, this one's included or not. */
export function groupScan(lowering: Lowering, group: Group, inclusive: boolean, use: Use): Called {
  const { builder } = lowering;
  const [, operand, functor] = use.args;
  const type: Type = unqualified(use.result);
  if (!operand || !scalarOf(type)) return lowering.fail("a scan of records is not simulated", use.node);
  if (group.kind !== "thread_block_tile" && group.kind !== "coalesced_group")
    return lowering.fail("a scan over this group is not simulated", use.node);
  const combine = combiner(lowering, functor ? functorName(lowering, functor) : "plus", type, use);
  if (!combine) return lowering.fail("a scan by a function of the program's own is not simulated", use.node);
  const given = lowering.valueAs(operand, type);
  lowering.visit(use.node);
  lowering.at(use.node);
  const all = steps(lowering, group, given, combine, "up");
  if (inclusive) return value(all);
  const before = shifted(lowering, group, all, "shfl_up", 1);
  const first = builder.icmp("eq", rank(lowering, group), lowering.constant("i32", 0));
  const scalar = scalarOf(type) ?? "i32";
  return value(builder.select(first, lowering.constant(scalar, scalar === "i64" ? 0n : 0), before));
}

/** Combines with what lies ever farther away, where that is still in the group. */
function steps(lowering: Lowering, group: Group, given: Op, combine: (a: Op, b: Op) => Op, to: "up" | "down"): Op {
  const { builder } = lowering;
  const own = rank(lowering, group);
  const size = groupSize(lowering, group);
  let all = given;
  for (let distance = 1; distance < group.tile; distance *= 2) {
    const by = lowering.constant("i32", distance);
    const other = shifted(lowering, group, all, `shfl_${to}`, distance);
    const inside = to === "up" ? builder.icmp("sge", own, by) : builder.icmp("slt", builder.int("add", own, by), size);
    all = builder.select(inside, combine(all, other), all);
  }
  return all;
}

function shifted(lowering: Lowering, group: Group, op: Op, name: "shfl_up" | "shfl_down", distance: number): Op {
  const by = lowering.constant("i32", distance);
  const mask = memberMask(lowering, group);
  if (group.kind !== "coalesced_group") return lowering.builder.shuffle(modes[name], mask, op, by, group.tile);
  return lowering.builder.shuffle("idx", mask, op, sourceLane(lowering, group, name, by), 32);
}

const reductions = (signed: boolean): Readonly<Record<string, "add" | "and" | "or" | "xor" | "min.s" | "max.s" | "min.u" | "max.u">> => ({
  plus: "add",
  bit_and: "and",
  bit_or: "or",
  bit_xor: "xor",
  less: signed ? "min.s" : "min.u",
  greater: signed ? "max.s" : "max.u",
});

function functorName(lowering: Lowering, functor: Expression): string {
  const given = lowering.typeOf(functor);
  return given.kind === "record" ? lastName(given.record.template.name) : "";
}

function combiner(lowering: Lowering, name: string, type: Type, use: Use): ((a: Op, b: Op) => Op) | undefined {
  if (name === "less" || name === "greater") return (a, b) => extreme(lowering, name === "less" ? "min" : "max", a, b, type);
  const operators: Readonly<Record<string, string>> = { plus: "+", bit_and: "&", bit_or: "|", bit_xor: "^", multiplies: "*" };
  const op = operators[name];
  if (op === undefined) return undefined;
  return (a, b) => {
    const computed = binary(lowering, op, { op: a, type }, { op: b, type }, use.node);
    return convert(lowering, computed.op, computed.type, type);
  };
}
