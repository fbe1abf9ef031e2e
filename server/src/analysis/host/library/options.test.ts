/** `getopt` and its kin. */
import { beforeAll, expect, test } from "vitest";
import { inMain, launchesOf, shapes, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

test("getopt with options", () => {
  const source = inMain(
    "int n = 512, c; while ((c = getopt(argc, argv, \"vn:\")) != -1) { switch (c) { case 'n': if (optarg != NULL) n = atoi(optarg); break; } } k<<<n / 64, 64>>>(a, n);",
  );
  expect(shapes(launchesOf(source, { argv: ["file", "-v", "-n", "6400"] }))).toEqual(["k 100 64"]);
  expect(shapes(launchesOf(source, { argv: ["-n640"] }))).toEqual(["k 10 64"]);
});

const flags = `#include <gflags/gflags.h>
DEFINE_int32(n, 512, "elements");
DEFINE_uint32(block, 64, "threads");
DEFINE_bool(twice, true, "launch twice as many");
__global__ void k(float *a, int n) { a[0] = n; }
int main(int argc, char **argv) {
    google::ParseCommandLineFlags(&argc, &argv, true);
    float *a; cudaMalloc(&a, 4);
    k<<<FLAGS_n / FLAGS_block, FLAGS_block>>>(a, FLAGS_n);
    k<<<FLAGS_twice ? 2 : 1, FLAGS_block>>>(a, 1);
}`;

test.each([
  [[], "k 8 64", "k 2 64"],
  [["-n=6400", "-notwice"], "k 100 64", "k 1 64"],
  [["--n", "1024", "--block=128", "--twice=false"], "k 8 128", "k 1 128"],
  [["-n=64", "-n=640", "-twice"], "k 10 64", "k 2 64"],
])("gflags with %j", (argv, ...expected) => {
  expect(shapes(launchesOf(flags, { argv }))).toEqual(expected);
});
