/** Names and source made to become something else where the command line shows them: in a terminal, a log of a pipeline, a viewer. */
import { findGpu, type GpuModel } from "@warplens/sim-engine";
import { describe, expect, test } from "vitest";
import { visible } from "../../foreign-text.ts";
import type { Diagnostic } from "../../lint.ts";
import { reportOf } from "../../lsp/testing.ts";
import type { SimulatedLaunch } from "../../rules/rule.ts";
import { hostile, isVisible } from "../../testing/hostile.ts";
import { nameOfPath } from "../names.ts";
import type { Result } from "../report.ts";
import type { Style } from "../style.ts";
import { github } from "./github.ts";
import { sarif } from "./sarif.ts";
import { checkText, simulateText } from "./text.ts";

const cwd = "/w";
const nameOf = nameOfPath(cwd);
const unpainted: Style = (text) => text;

/** One file of that name, that source and that kernel, with a finding, a launch and one that was refused. */
function resultOf(name: string): Result {
  const path = `${cwd}/a${name.replaceAll("/", "").slice(0, 200)}.cu`;
  const text = `first\n\t${name} of ${name}\n`;
  const range = { start: { line: 1, character: 1 }, end: { line: 1, character: 3 } };
  const diagnostic: Diagnostic = {
    path,
    ruleId: "some-rule",
    severity: "warning",
    // As `lint` tells them.
    message: visible(`\`${name}\` is {0} wrong`),
    range,
    fixes: [{ title: visible(`Write \`${name}\``), safe: true, edits: [{ range, newText: name }] }],
    related: [{ path, range, message: visible(name) }],
    tags: [],
    simulated: false,
    url: "",
  };
  const report = reportOf(1000, { kernel: name, templateArguments: [name], assumptions: [{ what: name, value: name, why: name }] });
  const launch = { fact: { kernelName: name, line: 2 }, report } as unknown as SimulatedLaunch;
  const simulation = { launches: [launch], notSimulated: [{ kernel: name, line: 2, reason: name, of: {} }] };
  const file = { input: { path, name: nameOf(path), text, exact: true, bom: "" }, diagnostics: [diagnostic], simulation, failures: [] };
  return { gpu: findGpu("h200") as GpuModel, files: [file] } as unknown as Result;
}

describe.each(hostile.map((text) => [JSON.stringify(text.slice(0, 60)), text] as const))("%s", (_, name) => {
  const result = resultOf(name);

  test.each([
    ["check", checkText],
    ["simulate", (of: Result, style: Style) => simulateText(of, style)],
  ])("%s: a terminal is told no control sequence, and lines are ours", (_, format) => {
    const linesOf = (of: Result) => format(of, unpainted, nameOf).split("\n");
    expect(linesOf(result).filter((line) => !isVisible(line))).toEqual([]);
    expect(linesOf(result)).toHaveLength(linesOf(resultOf("x".repeat(name.length))).length);
  });

  test("github: one workflow command", () => {
    const text = github(result, nameOf);
    const [, properties = "", message = ""] = /^::warning (.*?)::(.*)\n$/.exec(text) ?? [];
    expect(text.split("\n")).toHaveLength(2);
    const given = properties.split(",").map((property) => property.split("="));
    expect(given.map(([key]) => key)).toEqual(["file", "line", "endLine", "col", "endColumn", "title"]);
    const plain = (escaped: string) =>
      escaped.replace(/%(25|0D|0A|3A|2C)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    const [, ...file] = given[0] ?? [];
    expect(plain(file.join("="))).toBe(nameOf(result.files[0]?.input.path ?? ""));
    expect(plain(message)).toBe(result.files[0]?.diagnostics[0]?.message);
  });

  test("SARIF: messages without placeholders and links, addresses that stay in the folder", () => {
    const [run] = JSON.parse(sarif({ result, version: "0.0.0", root: cwd, nameOf, exitCode: 1, notes: [name] })).runs;
    const [{ message, relatedLocations, fixes, locations }] = run.results;
    const notes = run.invocations[0].toolExecutionNotifications.map((note: { message: object }) => note.message);
    expect(notes).toHaveLength(2);
    for (const { text } of [message, relatedLocations[0].message, fixes[0].description, ...notes]) {
      expect(isVisible(text)).toBe(true);
      expect(text.replaceAll("{{", "").replaceAll("}}", "")).not.toMatch(/[{}]|\]\(/);
    }
    const { uri } = locations[0].physicalLocation.artifactLocation;
    const root = `${new URL(run.originalUriBaseIds["%SRCROOT%"].uri)}`;
    expect(new URL(uri, root).href.startsWith(root)).toBe(true);
    expect(uri).toMatch(/^[\w.!~*'()%-]*$/);
  });
});
