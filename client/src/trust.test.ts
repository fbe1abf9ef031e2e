import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withoutCompiler } from "./trust.ts";

test("no compiler in a workspace that is not trusted, whoever asked for one", () => {
  expect(withoutCompiler([{ nvcc: "/usr/bin/nvcc", gpu: "t4" }, {}, null, "text", [1]])).toEqual([
    { nvcc: "off", gpu: "t4" },
    { nvcc: "off" },
    null,
    "text",
    [1],
  ]);
});

test("the manifest restricts the compiler's setting, so that such a workspace cannot set it", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(manifest.capabilities.untrustedWorkspaces).toMatchObject({ supported: "limited", restrictedConfigurations: ["warplens.nvcc"] });
});
