/** Cooperative groups: blocks, tiles of a warp, coalesced threads, the grid. */
import { unqualified } from "../../sema/type-tools.ts";
import { assumeOwnShared, syncCluster } from "../emit/clusters.ts";
import { linear, product } from "../emit/indices.ts";
import { type Called, type Lowering, nothing, type Place, value } from "../emit/lowering.ts";
import { truth } from "../emit/scalars.ts";
import { fillIndex } from "../emit/special-variables.ts";
import { groupMatch, groupReduce, groupScan, groupShuffle, groupVote } from "./group-collectives.ts";
import { groupCopy } from "./group-copies.ts";
import { describe, type Group, groupOf, groupSize, isOfKind, memberMask, rank, unsigned } from "./group-kinds.ts";
import { target, type Use } from "./operands.ts";

/** Functions whose first argument is the group. */
const onArgument = new Set([
  "sync function",
  "wait",
  "wait_prior",
  "memcpy_async",
  "reduce",
  "inclusive_scan",
  "exclusive_scan",
  "labeled",
  "binary",
  "tiled",
]);

export function groupForm(lowering: Lowering, name: string, use: Use): Called {
  const { builder } = lowering;
  if (name === "coalesced" || name === "make") return made(lowering, name, use);
  const [first] = use.args;
  const place = onArgument.has(name) && first ? lowering.place(first) : use.self;
  if (!place) return lowering.fail("a group's function without a group", use.node);
  const group = groupOf(lowering, place, use);
  lowering.visit(use.node);
  lowering.at(use.node);
  switch (name) {
    case "sync":
    case "sync function":
      return sync(lowering, group);
    case "wait":
    case "wait_prior":
      builder.emit({ kind: "copy.wait", pending: name === "wait" ? 0 : stages(lowering, use) }, "void");
      return sync(lowering, group);
    case "memcpy_async":
      return groupCopy(lowering, group, use);
    case "size":
      return value(groupSize(lowering, group));
    case "thread_rank":
      return value(rank(lowering, group));
    case "thread_index":
    case "group_index":
    case "group_dim": {
      const index = target(lowering, use);
      const register = name === "thread_index" ? "tid" : name === "group_index" ? "ctaid" : group.kind === "grid_group" ? "nctaid" : "ntid";
      fillIndex(lowering, index, register);
      return { kind: "place", place: index };
    }
    case "is_valid":
      return value(lowering.constant("i1", 1));
    case "block_rank":
      return value(group.kind === "cluster_group" ? builder.special("cluster.rank") : linear(builder, "ctaid"));
    case "num_blocks":
      return value(group.kind === "cluster_group" ? builder.special("cluster.blocks") : product(builder, "nctaid"));
    case "arrive":
      return nothing;
    case "map_shared_rank":
      return mappedShared(lowering, use);
    case "meta_group_rank":
      return value(builder.int("udiv", linear(builder, "tid"), lowering.constant("i32", group.tile)));
    case "meta_group_size": {
      const rounded = builder.int("add", product(builder, "ntid"), lowering.constant("i32", group.tile - 1));
      return value(builder.int("udiv", rounded, lowering.constant("i32", group.tile)));
    }
    case "shfl":
    case "shfl_up":
    case "shfl_down":
    case "shfl_xor":
      return groupShuffle(lowering, group, name, use);
    case "any":
    case "all":
    case "ballot":
      return groupVote(lowering, group, name, use);
    case "match_any":
      return groupMatch(lowering, group, use);
    case "reduce":
      return groupReduce(lowering, group, use);
    case "inclusive_scan":
    case "exclusive_scan":
      return groupScan(lowering, group, name === "inclusive_scan", use);
    case "labeled":
    case "binary":
      return partitioned(lowering, group, name, use);
    case "tiled":
      return tiled(lowering, use);
    default:
      return lowering.fail(`a group's ${name} is not simulated yet`, use.node);
  }
}

/** This block, the grid, a tile of a size known at compile time; the coalesced threads. */
function made(lowering: Lowering, name: "coalesced" | "make", use: Use): Called {
  const { builder } = lowering;
  const place = target(lowering, use);
  // It may be made where its base is wanted: what it is, its own type says.
  const group = groupOf(lowering, { ...place, type: unqualified(use.result) }, use);
  lowering.visit(use.node);
  lowering.at(use.node);
  if (name === "coalesced") coalesced(lowering, place, builder.special("activemask"));
  else if (group.kind === "thread_block")
    describe(lowering, place, "thread_block", groupSize(lowering, group), lowering.constant("i32", -1));
  else if (group.kind === "thread_block_tile")
    describe(lowering, place, "thread_block_tile", groupSize(lowering, group), memberMask(lowering, group));
  return { kind: "place", place };
}

const coalesced = (lowering: Lowering, place: Place, mask: ReturnType<typeof memberMask>): void =>
  describe(lowering, place, "coalesced_group", lowering.builder.math("popc", "precise", "i32", mask), mask);

/** The threads of a group that give the same label, or the same answer. */
function partitioned(lowering: Lowering, group: Group, name: "labeled" | "binary", use: Use): Called {
  const { builder } = lowering;
  const [, label] = use.args;
  if (!label) return lowering.fail("a partition without a label", use.node);
  if (group.kind !== "coalesced_group" && group.kind !== "thread_block_tile")
    return lowering.fail("a partition of this group is not simulated", use.node);
  const given = lowering.value(label);
  lowering.visit(use.node);
  lowering.at(use.node);
  const members = memberMask(lowering, group);
  const place = target(lowering, { ...use, result: unqualified(use.result) });
  if (name === "labeled") coalesced(lowering, place, builder.emit({ kind: "match", mode: "any" }, "i32", members, given));
  else {
    const condition = truth(lowering, given);
    const yes = builder.emit({ kind: "vote", mode: "ballot" }, "i32", members, condition);
    const no = builder.int("and", members, builder.int("xor", yes, lowering.constant("i32", -1)));
    coalesced(lowering, place, builder.select(condition, yes, no));
  }
  return { kind: "place", place };
}

/** `tiled_partition(group, n)`: a tile of a size that only run time tells. */
function tiled(lowering: Lowering, use: Use): Called {
  const [, size] = use.args;
  const threads = size ? lowering.valueAs(size, unsigned) : lowering.fail("a tile of no size", use.node);
  const place = target(lowering, use);
  describe(lowering, place, "thread_block_tile", threads, lowering.constant("i32", -1));
  return { kind: "place", place };
}

function stages(lowering: Lowering, use: Use): number {
  const [pending] = use.resolved.substitution.values.values();
  return typeof pending === "bigint" ? Number(pending) : lowering.fail("how many copies may stay under way is not constant", use.node);
}

function sync(lowering: Lowering, group: Group): Called {
  const { builder } = lowering;
  switch (group.kind) {
    case "thread_block":
      builder.barrier();
      break;
    case "grid_group":
      syncGrid(lowering);
      break;
    case "cluster_group":
      syncCluster(lowering);
      break;
    case "thread_group": {
      const [block, warp, after] = [builder.newBlock(), builder.newBlock(), builder.newBlock()];
      builder.branch(isOfKind(lowering, group, "thread_block"), block, warp);
      builder.block = block;
      builder.barrier();
      builder.jump(after);
      builder.block = warp;
      builder.emit({ kind: "syncwarp" }, "void");
      builder.jump(after);
      builder.block = after;
      break;
    }
    default:
      // Tiles of several warps wait for each other alone; all of a block come there.
      if (group.tile > 32) builder.barrier();
      else builder.emit({ kind: "syncwarp" }, "void");
  }
  return nothing;
}

/** Shared memory of another block of the cluster. */
function mappedShared(lowering: Lowering, use: Use): Called {
  const [pointer] = use.args;
  if (!pointer) return lowering.fail("a place in shared memory is mapped from nowhere", use.node);
  assumeOwnShared(lowering);
  return value(lowering.value(pointer));
}

/** Blocks run one after the other here, so none can wait for another. */
function syncGrid(lowering: Lowering): void {
  const { builder } = lowering;
  lowering.assume(
    "synchronising the grid",
    "a barrier of each block",
    "blocks are simulated one by one: what other blocks write before it is not seen, and all are taken to come to it at the same time",
  );
  builder.barrier();
  builder.emit({ kind: "fence", scope: "device" }, "void");
  builder.emit({ kind: "barrier", grid: true }, "void");
}
