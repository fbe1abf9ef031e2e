/**
 * Headers that programs include and that are not at hand without a toolkit, as far as kernels, or the host code that launches
 * them, need them: written anew, by the algorithms their documentation describes. They stand behind every include folder, so that a program's own come first.
 */
import type { FileHost } from "../settings.ts";
import { algorithms, bits, sums } from "./algorithms.ts";
import { atomic } from "./atomic.ts";
import { barrier, pipeline, scopes } from "./barriers.ts";
import { cudaComplex, thrustComplex } from "./complex.ts";
import { cub } from "./cub.ts";
import { curand } from "./curand.ts";
import { driver } from "./driver.ts";
import { gflags } from "./flags.ts";
import { fp8 } from "./fp8.ts";
import { mma } from "./mma.ts";
import {
  array,
  atomics,
  functional,
  getopt,
  maps,
  optional,
  queues,
  random,
  sets,
  span,
  stacks,
  string,
  stringStream,
  threads,
  tuple,
  utility,
  variant,
} from "./standard.ts";

/** The folder they appear in: no path of a disk. */
export const headerFolder = "/<headers>";

const cubHeaders = [
  "cub",
  "block/block_reduce",
  "block/block_scan",
  "block/block_load",
  "block/block_store",
  "block/block_exchange",
  "warp/warp_reduce",
  "warp/warp_scan",
  "util_type",
  "thread/thread_operators",
];

/** Headers that bring `std::pair` with them in every library, and nothing else that is not built in. */
const withUtility = ["deque", "fstream", "iomanip", "iostream", "iterator", "list", "memory", "vector"];

/** Of libcu++: what the standard library's header of the same name declares, in its own namespace as well. */
const alsoInCuda: readonly (readonly [name: string, declared: readonly string[]])[] = [
  ["array", ["array", "get"]],
  [
    "utility",
    [
      "pair",
      "make_pair",
      "get",
      "exchange",
      "integer_sequence",
      "index_sequence",
      "make_integer_sequence",
      "make_index_sequence",
      "index_sequence_for",
    ],
  ],
  ["tuple", ["tuple", "make_tuple", "get"]],
  ["optional", ["optional"]],
  ["span", ["span"]],
];

const inCuda = (name: string, declared: readonly string[]): string =>
  `#pragma once\n#include <${name}>\nnamespace cuda { namespace std {\n${declared.map((each) => `using ::std::${each};\n`).join("")}} }\n`;

const headers: ReadonlyMap<string, string> = new Map([
  ["cub/definitions.cuh", cub],
  ...cubHeaders.map((name) => [`cub/${name}.cuh`, "#pragma once\n#include <cub/definitions.cuh>\n"] as const),
  ["thrust/complex.h", thrustComplex],
  ["cuda/std/complex", cudaComplex],
  ...alsoInCuda.map(([name, declared]) => [`cuda/std/${name}`, inCuda(name, declared)] as const),
  ["curand_kernel.h", curand],
  ["cuda/atomic", atomic],
  ["utility", utility],
  ["span", span],
  ...withUtility.map((name) => [name, "#pragma once\n#include <utility>\n"] as const),
  ["algorithm", algorithms],
  ["numeric", sums],
  ["bit", bits],
  ["array", array],
  ["atomic", atomics],
  ["thread", threads],
  ["queue", queues],
  ["stack", stacks],
  ["set", sets],
  ["unordered_set", sets],
  ["optional", optional],
  ["tuple", tuple],
  ["variant", variant],
  ["string", string],
  ["functional", functional],
  ["random", random],
  ["map", maps],
  ["unordered_map", maps],
  ["sstream", stringStream],
  ["getopt.h", getopt],
  ["gflags/gflags.h", gflags],
  ["mma.h", mma],
  ["cuda_fp8.h", fp8],
  ["cuda.h", driver],
  ["cudaTypedefs.h", "#pragma once\n#include <cuda.h>\n"],
  ["cuda/warplens_scopes", scopes],
  ["cuda/barrier", barrier],
  ["cuda/pipeline", pipeline],
]);

/** A host that finds these headers too, in `headerFolder`. */
export const withHeaders = (host: FileHost): FileHost => ({
  ...host,
  read: (path) => (path.startsWith(`${headerFolder}/`) ? headers.get(path.slice(headerFolder.length + 1)) : host.read(path)),
});

/** Whether a file of a reading is one of these rather than the program's. */
export const isLibraryHeader = (path: string): boolean => path.startsWith(`${headerFolder}/`);
