import { describe, expect, test } from "vitest";
import { documentSettings } from "./document-settings.ts";
import { readSettings } from "./settings.ts";

const settings = (section: unknown = {}) => readSettings(section).settings;
const host = (files: Readonly<Record<string, string>>) => ({ read: (path: string) => files[path] });
const commands = (command: string) => JSON.stringify([{ directory: "/w", file: "src/a.cu", command: `nvcc ${command} -c src/a.cu` }]);

describe("the GPU", () => {
  test.each([
    ["the setting goes first", { gpu: "t4" }, { "/w/warplens.json": '{"gpu": "a100"}' }, "t4", "setting"],
    ["then warplens.json, above the file's folder too", {}, { "/w/warplens.json": '{"gpu": "t4"}' }, "t4", "warplens.json"],
    ["then -arch", {}, { "/w/compile_commands.json": commands("-arch=sm_75") }, "t4", "compile_commands.json"],
    [
      "of several the newest",
      {},
      { "/w/compile_commands.json": commands("-gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90") },
      "h200",
      "compile_commands.json",
    ],
    ["else the default", {}, {}, "h200", "default"],
  ])("%s", (_, section, files, gpu, chosenBy) => {
    const project = documentSettings("/w/src/a.cu", ["/w"], settings(section), host(files as unknown as Record<string, string>));
    expect([project.gpu.id, project.chosenBy, project.problems]).toEqual([gpu, chosenBy, []]);
  });

  test("one that is not known is said, and the default used", () => {
    const project = documentSettings("/w/a.cu", ["/w"], settings({ gpu: "h9000" }), host({}));
    expect(project.gpu.id).toBe("h200");
    expect(project.problems).toEqual(["The setting warplens.gpu names a GPU that is not known: h9000."]);
  });
});

test("an -arch that no GPU is known of is said, and the default used", () => {
  const project = documentSettings("/w/src/a.cu", ["/w"], settings(), host({ "/w/compile_commands.json": commands("-arch=sm_99") }));
  expect([project.gpu.id, project.chosenBy]).toEqual(["h200", "default"]);
  expect(project.problems).toEqual(["compile_commands.json: -arch is sm_99, of which no GPU is known; the NVIDIA H200 is simulated."]);
});

describe("a GPU of the project's own", () => {
  const files = {
    "/w/warplens.json":
      '{"gpu": "mine", "gpus": [{"id": "mine", "extends": "t4", "figures": {"smCount": 20}}, {"id": "t4", "extends": "t4"}]}',
  };

  test("is chosen by warplens.json and by the setting", () => {
    const project = documentSettings("/w/src/a.cu", ["/w"], settings(), host(files));
    expect([project.gpu.id, project.gpu.values.smCount, project.chosenBy]).toEqual(["mine", 20, "warplens.json"]);
    expect(project.gpus.map(({ id }) => id)).toEqual(["mine"]);
    expect(documentSettings("/w/src/a.cu", ["/w"], settings({ gpu: "mine" }), host(files)).chosenBy).toBe("setting");
  });

  test("is taken where -arch fits it", () => {
    const told = { ...files, "/w/warplens.json": files["/w/warplens.json"].replace('"gpu": "mine", ', "") };
    const project = documentSettings(
      "/w/src/a.cu",
      ["/w"],
      settings(),
      host({ ...told, "/w/compile_commands.json": commands("-arch=sm_75") }),
    );
    expect([project.gpu.id, project.chosenBy]).toEqual(["mine", "compile_commands.json"]);
  });

  test("that cannot be is said with its line", () => {
    const project = documentSettings("/w/src/a.cu", ["/w"], settings(), host(files));
    expect(project.problems).toEqual(["warplens.json, line 1: gpus[1].id: id t4 is the NVIDIA T4's already: choose another"]);
  });
});

test("a warplens.json that is not JSON is said, with the place", () => {
  const { problems } = documentSettings("/w/a.cu", ["/w"], settings(), host({ "/w/warplens.json": '{\n  "gpu": h200\n}' }));
  expect(problems).toEqual(["warplens.json, line 2: this is not JSON: invalid symbol"]);
});

test("folders of warplens.json are relative to it, those of the settings to the workspace", () => {
  const project = documentSettings(
    "/w/src/a.cu",
    ["/w"],
    settings({ includeDirs: ["inc", "/abs"] }),
    host({ "/w/src/warplens.json": '{"includeDirs": ["own"]}' }),
  );
  expect(project.analysis.includeDirs).toEqual(["/w/inc", "/abs", "/w/src/own"]);
});

test("launches, assumptions and macros of the settings that cannot be read are said", () => {
  const odd = settings({ launches: ["k: grid=(1)", "k: grid"], assume: ["n="], defines: ["A=1", "2B"] });
  const { problems, analysis } = documentSettings("/w/a.cu", ["/w"], odd, host({}));
  expect(analysis.defines).toEqual([{ name: "A", value: "1" }]);
  expect(problems).toEqual([
    expect.stringMatching(/^The setting warplens\.launches\[1\], column 4: not of the form KEY=VALUE/),
    "The setting warplens.assume[0], column 3: `n=` has no value.",
    "The setting warplens.defines[1], column 1: not a macro: 2B; write NAME or NAME=VALUE, in one line.",
  ]);
});
