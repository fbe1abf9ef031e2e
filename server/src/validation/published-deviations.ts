/** Rows of the published tables that the models do not reach within 15 %, and why. */

export interface KnownDeviation {
  /** As `nameOf` of published.ts. */
  readonly row: string;
  /** (simulated - published) / published */
  readonly error: number;
  readonly why: string;
}

const uncached = "the model has no L1 for loads there, even where they ask for it (ld.ca): L2 serves them";

export const known: readonly KnownDeviation[] = [
  {
    row: "table 2.1, two warps of two schedulers (0 and 5), v100-pcie",
    error: 0.242,
    why: "the paper's warps each begin a multiply-add in 2.7 cycles; its sequence is not given, and these, which are independent, begin one in 2",
  },
  { row: "table 3.1, L1 hit, m60", error: 1.514, why: uncached },
  { row: "table 3.1, L1 hit, k80", error: 4.691, why: uncached },
  {
    row: "table 3.1, shared memory, share of theoretical bandwidth, k80",
    error: -0.435,
    why: "the model moves 128 bytes a cycle whatever a bank has; a K80's banks of 8 bytes give 256",
  },
  { row: "table 3.2, L1 throughput of an SM, m60", error: 0.516, why: uncached },
  { row: "table 3.2, L1 throughput of an SM, k80", error: -0.561, why: uncached },
  { row: "table 4.1, POPC, v100-pcie", error: 0.407, why: "counted among the special functions, which take 14 cycles" },
  {
    row: "table 4.1, IMAD, p100",
    error: -0.849,
    why: "the paper's instruction is emulated; compilers take three XMAD instead, which is what the model's 13 cycles are",
  },
  {
    row: "table 3.1, copy from one array to another, k80",
    error: -0.288,
    why: "the model's L2 writes at half the rate it reads, as the H200's; a K80's L2 does not read twice what its memory gives",
  },
];
