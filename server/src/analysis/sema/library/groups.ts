/** Cooperative groups. */
import type { Recipe } from "./recipe.ts";

type Entry = readonly [recipe: Recipe, ...signatures: string[]];
const group = (name: string): Recipe => ({ kind: "special form", name: `group ${name}` });

interface GroupRecord {
  readonly name: string;
  readonly template?: string;
  readonly base?: string;
  /** Hidden fields. */
  readonly fields: readonly (readonly [type: string, name: string])[];
  readonly methods: readonly Entry[];
}

const common: readonly Entry[] = [
  [group("sync"), "void sync() const", "void barrier_wait() const"],
  [group("size"), "unsigned size() const", "unsigned num_threads() const"],
  [group("thread_rank"), "unsigned thread_rank() const"],
];

const ofBlocks: readonly Entry[] = [
  [group("block_rank"), "unsigned block_rank() const"],
  [group("num_blocks"), "unsigned num_blocks() const"],
];

const warpLevel: readonly Entry[] = [
  [group("shfl"), "T shfl(T, int) const"],
  [group("shfl_up"), "T shfl_up(T, unsigned) const"],
  [group("shfl_down"), "T shfl_down(T, unsigned) const"],
  [group("shfl_xor"), "T shfl_xor(T, unsigned) const"],
  [group("any"), "int any(int) const"],
  [group("all"), "int all(int) const"],
  [group("ballot"), "unsigned ballot(int) const"],
  [group("match_any"), "unsigned match_any(T) const"],
  [group("meta_group_rank"), "unsigned meta_group_rank() const"],
  [group("meta_group_size"), "unsigned meta_group_size() const"],
];

export const groupRecords: readonly GroupRecord[] = [
  {
    name: "thread_group",
    fields: [
      ["unsigned", "kind"],
      ["unsigned", "count"],
      ["unsigned", "mask"],
    ],
    methods: common,
  },
  {
    name: "thread_block",
    base: "thread_group",
    fields: [],
    methods: [
      ...common,
      [group("thread_index"), "dim3 thread_index() const"],
      [group("group_index"), "dim3 group_index() const"],
      [group("group_dim"), "dim3 group_dim() const", "dim3 dim_threads() const"],
    ],
  },
  {
    name: "grid_group",
    fields: [],
    methods: [...common, ...ofBlocks, [group("is_valid"), "bool is_valid() const"], [group("group_dim"), "dim3 group_dim() const"]],
  },
  {
    name: "cluster_group",
    fields: [],
    methods: [
      ...common,
      ...ofBlocks,
      [group("arrive"), "void barrier_arrive() const"],
      [group("thread_index"), "dim3 thread_index() const"],
      [group("map_shared_rank"), "<T> T* map_shared_rank(T*, int) const"],
    ],
  },
  {
    name: "thread_block_tile",
    base: "thread_group",
    template: "unsigned Size, Parent = void",
    fields: [],
    methods: [...common, ...warpLevel],
  },
  { name: "coalesced_group", base: "thread_group", fields: [], methods: [...common, ...warpLevel] },
  // Shared memory by which tiles of several warps meet: some words a warp.
  { name: "block_tile_memory", template: "unsigned Threads = 1024", fields: [["unsigned", "words"]], methods: [] },
];

/** Functions of the namespace `cooperative_groups`. */
export const groupFunctions: readonly Entry[] = [
  [group("make"), "thread_block this_thread_block()", "grid_group this_grid()", "cluster_group this_cluster()"],
  [group("make"), "<unsigned Threads> thread_block this_thread_block(block_tile_memory<Threads>&)"],
  [group("coalesced"), "coalesced_group coalesced_threads()"],
  [group("make"), "<unsigned Size, G> thread_block_tile<Size> tiled_partition(const G&)"],
  [group("tiled"), "<G> thread_group tiled_partition(const G&, unsigned)"],
  [group("labeled"), "<G, L> coalesced_group labeled_partition(const G&, L)"],
  [group("binary"), "<G> coalesced_group binary_partition(const G&, bool)"],
  [group("sync function"), "<G> void sync(const G&)", "<G> void synchronize(const G&)"],
  [group("wait"), "<G> void wait(const G&)"],
  [group("wait_prior"), "<unsigned N, G> void wait_prior(const G&)"],
  [group("memcpy_async"), "<G, T, U, S> void memcpy_async(const G&, T*, const U*, S)"],
  [group("reduce"), "<G, T, Op> T reduce(const G&, T, const Op&)"],
  [group("inclusive_scan"), "<G, T> T inclusive_scan(const G&, T)", "<G, T, Op> T inclusive_scan(const G&, T, const Op&)"],
  [group("exclusive_scan"), "<G, T> T exclusive_scan(const G&, T)", "<G, T, Op> T exclusive_scan(const G&, T, const Op&)"],
];

const binary: readonly (readonly [name: string, op: string])[] = [
  ["plus", "+"],
  ["minus", "-"],
  ["multiplies", "*"],
  ["divides", "/"],
  ["modulus", "%"],
  ["bit_and", "&"],
  ["bit_or", "|"],
  ["bit_xor", "^"],
];
const tests: readonly (readonly [name: string, op: string])[] = [
  ["equal_to", "=="],
  ["not_equal_to", "!="],
  ["logical_and", "&&"],
  ["logical_or", "||"],
  ["greater_equal", ">="],
  ["less_equal", "<="],
  ["less", "<"],
  ["greater", ">"],
];

/** The function objects of <functional>, which groups' reductions take too. */
export const functionObjects: readonly (readonly [name: string, recipe: Recipe, signature: string])[] = [
  ...binary.map(([name, op]) => [name, { kind: "operator", op }, "T operator()(const T&, const T&) const"] as const),
  ...tests.map(([name, op]) => [name, { kind: "operator", op }, "bool operator()(const T&, const T&) const"] as const),
];
