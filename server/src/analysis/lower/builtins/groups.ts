/** Cooperative groups: blocks, tiles of a warp, coalesced threads, the grid. */
import type { Op } from "@warplens/sim-engine";
import type { Expression } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import { integerType, intType, unqualified } from "../../sema/type-tools.ts";
import type { RecordInstance, Type } from "../../sema/types.ts";
import { binary } from "../arithmetic.ts";
import { type Called, type Lowering, nothing, type Place, value } from "../lowering.ts";
import { load, part, store } from "../memory.ts";
import { convert, scalarOf, truth } from "../scalars.ts";
import { fillIndex } from "../special-variables.ts";
import { extreme, shuffleOf, target, type Use } from "./operands.ts";

const unsigned = integerType("uint");

interface Group {
  readonly kind: "thread_block" | "grid_group" | "thread_block_tile" | "coalesced_group";
  /** Threads of a tile. */
  readonly size: number;
  readonly place: Place;
}

function groupOf(lowering: Lowering, place: Place, use: Use): Group {
  const record: RecordInstance | undefined = place.type.kind === "record" ? place.type.record : undefined;
  const name = lastName(record?.template.name);
  if (!record || (name !== "thread_block" && name !== "grid_group" && name !== "thread_block_tile" && name !== "coalesced_group"))
    return lowering.fail("a group of this kind is not simulated", use.node);
  const [size] = record.arguments;
  return { kind: name, size: typeof size === "bigint" ? Number(size) : 32, place };
}

export function groupForm(lowering: Lowering, name: string, use: Use): Called {
  const { builder } = lowering;
  if (name === "coalesced") {
    const place = target(lowering, use);
    lowering.visit(use.node);
    lowering.at(use.node);
    store(lowering, part(lowering, place, 0, unsigned, use.node), builder.special("activemask"));
    return { kind: "place", place };
  }
  // Blocks, tiles and the grid are known by their type alone.
  if (name === "make") return { kind: "place", place: target(lowering, use) };
  const onArgument = name === "sync function" || name === "reduce" || name === "inclusive_scan";
  const [first] = use.args;
  const place = onArgument && first ? lowering.place(first) : use.self;
  if (!place) return lowering.fail("a group's function without a group", use.node);
  const group = groupOf(lowering, place, use);
  lowering.visit(use.node);
  lowering.at(use.node);
  switch (name) {
    case "sync":
    case "sync function":
      return sync(lowering, group, use);
    case "size":
      return value(groupSize(lowering, group));
    case "thread_rank":
      return value(rank(lowering, group));
    case "thread_index":
    case "group_index":
    case "group_dim": {
      const made = target(lowering, use);
      fillIndex(
        lowering,
        made,
        name === "thread_index" ? "tid" : name === "group_index" ? "ctaid" : group.kind === "grid_group" ? "nctaid" : "ntid",
      );
      return { kind: "place", place: made };
    }
    case "is_valid":
      return value(lowering.constant("i1", 1));
    case "block_rank":
      return value(linear(lowering, "ctaid", "nctaid"));
    case "num_blocks":
      return value(product(lowering, "nctaid"));
    case "meta_group_rank":
      return value(builder.int("udiv", linear(lowering, "tid", "ntid"), lowering.constant("i32", group.size)));
    case "meta_group_size":
      return value(
        builder.int(
          "udiv",
          builder.int("add", product(lowering, "ntid"), lowering.constant("i32", group.size - 1)),
          lowering.constant("i32", group.size),
        ),
      );
    case "shfl":
    case "shfl_up":
    case "shfl_down":
    case "shfl_xor": {
      const [shuffled, lane] = use.args;
      if (!shuffled || !lane) return lowering.fail("a shuffle without operands", use.node);
      if (group.kind === "coalesced_group") return lowering.fail("shuffles among coalesced threads are not simulated", use.node);
      const mode = name === "shfl" ? "idx" : name === "shfl_up" ? "up" : name === "shfl_down" ? "down" : "xor";
      return shuffleOf(lowering, mode, group.size, memberMask(lowering, group), shuffled, () => lowering.valueAs(lane, intType), use);
    }
    case "any":
    case "all":
    case "ballot": {
      const [predicate] = use.args;
      const condition = truth(lowering, predicate ? lowering.valueAs(predicate, intType) : lowering.fail("a vote on nothing", use.node));
      if (group.kind === "thread_block_tile" && group.size < 32) return value(tileVote(lowering, group, name, condition));
      const op = builder.emit({ kind: "vote", mode: name }, name === "ballot" ? "i32" : "i1", memberMask(lowering, group), condition);
      return value(name === "ballot" ? op : builder.convert("zext", op, "i32"));
    }
    case "match_any": {
      const [matched] = use.args;
      return value(
        builder.emit(
          { kind: "match", mode: "any" },
          "i32",
          memberMask(lowering, group),
          matched ? lowering.value(matched) : lowering.fail("a match of nothing", use.node),
        ),
      );
    }
    case "reduce":
      return reduce(lowering, group, use);
    default:
      return lowering.fail(`a group's ${name} is not simulated yet`, use.node);
  }
}

function sync(lowering: Lowering, group: Group, use: Use): Called {
  if (group.kind === "grid_group") return lowering.fail("the whole grid is synchronised inside a kernel", use.node);
  if (group.kind === "thread_block") lowering.builder.barrier();
  else lowering.builder.emit({ kind: "syncwarp" }, "void");
  return nothing;
}

function product(lowering: Lowering, register: "ntid" | "nctaid"): Op {
  const { builder } = lowering;
  return builder.int(
    "mul",
    builder.int("mul", builder.special(`${register}.x`), builder.special(`${register}.y`)),
    builder.special(`${register}.z`),
  );
}

/** The linear index: x first. */
function linear(lowering: Lowering, index: "tid" | "ctaid", extent: "ntid" | "nctaid"): Op {
  const { builder } = lowering;
  const rows = builder.int(
    "add",
    builder.int("mul", builder.special(`${index}.z`), builder.special(`${extent}.y`)),
    builder.special(`${index}.y`),
  );
  return builder.int("add", builder.int("mul", rows, builder.special(`${extent}.x`)), builder.special(`${index}.x`));
}

function groupSize(lowering: Lowering, group: Group): Op {
  const { builder } = lowering;
  switch (group.kind) {
    case "thread_block":
      return product(lowering, "ntid");
    case "grid_group":
      return builder.int("mul", product(lowering, "nctaid"), product(lowering, "ntid"));
    case "thread_block_tile":
      return lowering.constant("i32", group.size);
    case "coalesced_group":
      return builder.math("popc", "precise", "i32", load(lowering, part(lowering, group.place, 0, unsigned)));
  }
}

function rank(lowering: Lowering, group: Group): Op {
  const { builder } = lowering;
  switch (group.kind) {
    case "thread_block":
      return linear(lowering, "tid", "ntid");
    case "grid_group":
      return builder.int(
        "add",
        builder.int("mul", linear(lowering, "ctaid", "nctaid"), product(lowering, "ntid")),
        linear(lowering, "tid", "ntid"),
      );
    case "thread_block_tile":
      return builder.int("and", linear(lowering, "tid", "ntid"), lowering.constant("i32", group.size - 1));
    case "coalesced_group": {
      const mask = load(lowering, part(lowering, group.place, 0, unsigned));
      const below = builder.int(
        "sub",
        builder.int("shl", lowering.constant("i32", 1), builder.special("laneid")),
        lowering.constant("i32", 1),
      );
      return builder.math("popc", "precise", "i32", builder.int("and", mask, below));
    }
  }
}

/** The first lane of a tile in its warp. */
function segmentStart(lowering: Lowering, group: Group): Op {
  return lowering.builder.int("and", lowering.builder.special("laneid"), lowering.constant("i32", ~(group.size - 1)));
}

function memberMask(lowering: Lowering, group: Group): Op {
  if (group.kind === "coalesced_group") return load(lowering, part(lowering, group.place, 0, unsigned));
  if (group.size >= 32) return lowering.constant("i32", -1);
  return lowering.builder.int("shl", lowering.constant("i32", 2 ** group.size - 1), segmentStart(lowering, group));
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

/** As the library does it: the reduction instruction for 32-bit integers where there is one, else a butterfly of shuffles. */
function reduce(lowering: Lowering, group: Group, use: Use): Called {
  const [, operand, functor] = use.args;
  const type: Type = unqualified(use.result);
  if (!operand || !functor || !scalarOf(type)) return lowering.fail("a reduction of records is not simulated", use.node);
  const combine = combiner(lowering, functor, type, use);
  if (!combine) return lowering.fail("a reduction by a function of the program's own is not simulated", use.node);
  if (group.kind !== "thread_block_tile") return lowering.fail("a reduction over this group is not simulated", use.node);
  let all = lowering.valueAs(operand, type);
  const mask = memberMask(lowering, group);
  for (let distance = group.size / 2; distance >= 1; distance /= 2) {
    lowering.visit(use.node);
    lowering.at(use.node);
    all = combine(all, lowering.builder.shuffle("xor", mask, all, lowering.constant("i32", distance), group.size));
  }
  return value(all);
}

function combiner(lowering: Lowering, functor: Expression, type: Type, use: Use): ((a: Op, b: Op) => Op) | undefined {
  const given = lowering.typeOf(functor);
  const name = given.kind === "record" ? lastName(given.record.template.name) : "";
  if (name === "less" || name === "greater") return (a, b) => extreme(lowering, name === "less" ? "min" : "max", a, b, type);
  const operators: Readonly<Record<string, string>> = { plus: "+", bit_and: "&", bit_or: "|", bit_xor: "^", multiplies: "*" };
  const op = operators[name];
  if (op === undefined) return undefined;
  return (a, b) => {
    const computed = binary(lowering, op, { op: a, type }, { op: b, type }, use.node);
    return convert(lowering, computed.op, computed.type, type);
  };
}
