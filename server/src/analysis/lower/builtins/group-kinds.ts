/** What a cooperative group is: its threads, their number, this thread's rank among them. */
import type { Op } from "@warplens/sim-engine";
import { lastName } from "../../sema/scope.ts";
import { integerType } from "../../sema/type-tools.ts";
import { linear, product } from "../emit/indices.ts";
import type { Lowering, Place } from "../emit/lowering.ts";
import { load, part, store } from "../emit/memory.ts";
import type { Use } from "./operands.ts";

const kinds = ["thread_block", "thread_block_tile", "coalesced_group", "grid_group", "cluster_group", "thread_group"] as const;
type GroupKind = (typeof kinds)[number];

export interface Group {
  readonly kind: GroupKind;
  /** Threads of a tile. */
  readonly tile: number;
  readonly place: Place;
}

export const unsigned = integerType("uint");
/** The hidden fields of a group whose kind only run time tells (`thread_group`), and of those that convert to it. */
const fields = { kind: 0, size: 4, mask: 8 } as const;
const numbers = { thread_block: 0, thread_block_tile: 1, coalesced_group: 2 } as const;

const isKind = (name: string): name is GroupKind => (kinds as readonly string[]).includes(name);

export function groupOf(lowering: Lowering, place: Place, use: Use): Group {
  const record = place.type.kind === "record" ? place.type.record : undefined;
  const name = lastName(record?.template.name);
  if (!record || !isKind(name)) return lowering.fail("a group of this kind is not simulated", use.node);
  const [tile] = record.arguments;
  return { kind: name, tile: typeof tile === "bigint" ? Number(tile) : 32, place };
}

const field = (lowering: Lowering, place: Place, name: keyof typeof fields): Place =>
  part(lowering, place, fields[name], unsigned, place.node);

/** Fills in what a group made at `place` is. */
export function describe(lowering: Lowering, place: Place, kind: keyof typeof numbers, size: Op, mask: Op): void {
  store(lowering, field(lowering, place, "kind"), lowering.constant("i32", numbers[kind]));
  store(lowering, field(lowering, place, "size"), size);
  store(lowering, field(lowering, place, "mask"), mask);
}

/** Whether a `thread_group` is of a kind. */
export const isOfKind = (lowering: Lowering, { place }: Group, kind: keyof typeof numbers): Op =>
  lowering.builder.icmp("eq", load(lowering, field(lowering, place, "kind")), lowering.constant("i32", numbers[kind]));

export function groupSize(lowering: Lowering, group: Group): Op {
  const { builder } = lowering;
  switch (group.kind) {
    case "thread_block":
      return product(builder, "ntid");
    case "grid_group":
      return builder.int("mul", product(builder, "nctaid"), product(builder, "ntid"));
    case "cluster_group":
      return builder.int("mul", builder.special("cluster.blocks"), product(builder, "ntid"));
    case "thread_block_tile":
      return lowering.constant("i32", group.tile);
    case "coalesced_group":
    case "thread_group":
      return load(lowering, field(lowering, group.place, "size"));
  }
}

export function rank(lowering: Lowering, group: Group): Op {
  const { builder } = lowering;
  const inTile = (size: Op): Op => builder.int("and", linear(builder, "tid"), builder.int("sub", size, lowering.constant("i32", 1)));
  switch (group.kind) {
    case "thread_block":
      return linear(builder, "tid");
    case "grid_group":
      return builder.int("add", builder.int("mul", linear(builder, "ctaid"), product(builder, "ntid")), linear(builder, "tid"));
    case "cluster_group":
      return builder.int("add", builder.int("mul", builder.special("cluster.rank"), product(builder, "ntid")), linear(builder, "tid"));
    case "thread_block_tile":
      return inTile(lowering.constant("i32", group.tile));
    case "coalesced_group":
      return rankInMask(lowering, memberMask(lowering, group));
    case "thread_group": {
      const tiled = builder.select(
        isOfKind(lowering, group, "thread_block_tile"),
        inTile(groupSize(lowering, group)),
        rankAmong(lowering, group),
      );
      return builder.select(isOfKind(lowering, group, "thread_block"), linear(builder, "tid"), tiled);
    }
  }
}

const rankAmong = (lowering: Lowering, { place }: Group): Op => rankInMask(lowering, load(lowering, field(lowering, place, "mask")));

/** Lanes of the mask before this one. */
function rankInMask(lowering: Lowering, mask: Op): Op {
  const { builder } = lowering;
  const one = lowering.constant("i32", 1);
  const below = builder.int("sub", builder.int("shl", one, builder.special("laneid")), one);
  return builder.math("popc", "precise", "i32", builder.int("and", mask, below));
}

/** The first lane of a tile in its warp. */
export const segmentStart = (lowering: Lowering, group: Group): Op =>
  lowering.builder.int("and", lowering.builder.special("laneid"), lowering.constant("i32", ~(group.tile - 1)));

export function memberMask(lowering: Lowering, group: Group): Op {
  if (group.kind === "coalesced_group") return load(lowering, field(lowering, group.place, "mask"));
  if (group.tile >= 32) return lowering.constant("i32", -1);
  return lowering.builder.int("shl", lowering.constant("i32", 2 ** group.tile - 1), segmentStart(lowering, group));
}

/** The lane whose rank in a mask this is: found by halves, counting the lanes of each. */
export function laneOfRank(lowering: Lowering, mask: Op, wanted: Op): Op {
  const { builder } = lowering;
  let lane: Op = lowering.constant("i32", 0);
  let left = wanted;
  for (let half = 16; half >= 1; half /= 2) {
    const low = builder.int("and", builder.int("lshr", mask, lane), lowering.constant("i32", 2 ** half - 1));
    const count = builder.math("popc", "precise", "i32", low);
    const above = builder.icmp("sge", left, count);
    lane = builder.select(above, builder.int("add", lane, lowering.constant("i32", half)), lane);
    left = builder.select(above, builder.int("sub", left, count), left);
  }
  return builder.int("and", lane, lowering.constant("i32", 31));
}
