import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withoutPrograms } from "./trust.ts";

test("no compiler, no profiler in a workspace that is not trusted, whoever asked for one", () => {
  expect(withoutPrograms([{ nvcc: "/usr/bin/nvcc", ncu: "auto", gpu: "t4" }, {}, null, "text", [1]])).toEqual([
    { nvcc: "off", ncu: "off", gpu: "t4" },
    { nvcc: "off", ncu: "off" },
    null,
    "text",
    [1],
  ]);
});

test("the manifest restricts the programs' settings, so that such a workspace cannot set it", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(manifest.capabilities.untrustedWorkspaces).toMatchObject({
    supported: "limited",
    restrictedConfigurations: ["warplens.nvcc", "warplens.ncu"],
  });
});
