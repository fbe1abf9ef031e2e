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
