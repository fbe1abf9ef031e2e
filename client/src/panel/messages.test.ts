import { expect, test } from "vitest";
import { readFromPage, readToPage } from "./messages.ts";

const nothing: readonly unknown[] = [undefined, null, 7, "ready", [], {}, { type: "toString" }, { type: "__proto__" }, { type: ["ready"] }];

test.each<[unknown, unknown]>([
  [{ type: "ready" }, { type: "ready" }],
  [{ type: "selectGpu", command: "x" }, { type: "selectGpu" }],
  [
    { type: "launch", index: 3 },
    { type: "launch", index: 3 },
  ],
  [
    { type: "reveal", line: 12, uri: "file:///etc/passwd" },
    { type: "reveal", line: 12 },
  ],
  [{ type: "gpus" }, { type: "gpus" }],
  [
    { type: "cancel", id: 3 },
    { type: "cancel", id: 3 },
  ],
  [{ type: "cancel", id: "3" }, undefined],
  [
    { type: "export", title: "Time", svg: "<svg />", path: "/etc" },
    { type: "export", title: "Time", svg: "<svg />" },
  ],
  [{ type: "export", title: "Time", svg: "<html>" }, undefined],
  [{ type: "loadReport" }, { type: "loadReport" }],
  [{ type: "outlier" }, { type: "outlier" }],
  [
    { type: "report", texts: [{ name: "a.csv", text: "a,b", path: "/etc" }] },
    { type: "report", texts: [{ name: "a.csv", text: "a,b" }] },
  ],
  ...[undefined, {}, [null], [{ name: "a.csv" }], [{ name: 7, text: "" }], Array(17).fill({ name: "a", text: "" })].map(
    (texts): [unknown, unknown] => [{ type: "report", texts }, undefined],
  ),
  [
    { type: "reportFiles", uris: ["file:///a.csv"] },
    { type: "reportFiles", uris: ["file:///a.csv"] },
  ],
  ...[undefined, "file:///a.csv", [7], Array(17).fill("file:///a")].map((uris): [unknown, unknown] => [
    { type: "reportFiles", uris },
    undefined,
  ]),
  [
    { type: "reportRefused", why: "too many" },
    { type: "reportRefused", why: "too many" },
  ],
  [{ type: "reportRefused", why: {} }, undefined],
  [
    { type: "showReport", id: "1 a.csv" },
    { type: "showReport", id: "1 a.csv" },
  ],
  [{ type: "removeReport" }, undefined],
  [
    { type: "gpu", id: "h200" },
    { type: "gpu", id: "h200" },
  ],
  [{ type: "gpu", id: 'h200", "x": "' }, undefined],
  [
    { type: "imagine", id: 1, asked: { uri: "file:///a.cu", version: 2, launch: 0, overrides: { block: 7 }, more: 1 } },
    { type: "imagine", id: 1, asked: { uri: "file:///a.cu", version: 2, launch: 0, overrides: { block: 7 } } },
  ],
  [{ type: "imagine", asked: { uri: "file:///a.cu", version: 2, launch: 0 } }, undefined],
  [
    { type: "watch", id: 1, asked: { uri: "file:///a.cu", version: 2, launch: 0, overrides: {} }, warp: { warp: 3 }, more: 1 },
    { type: "watch", id: 1, asked: { uri: "file:///a.cu", version: 2, launch: 0, overrides: {} }, warp: { warp: 3 } },
  ],
  [{ type: "watch", id: 1, asked: { uri: "file:///a.cu", version: 2, launch: 0, overrides: {} }, warp: 3 }, undefined],
  [{ type: "watch", id: 1, warp: {} }, undefined],
  ...[null, {}, { uri: 7, version: 1, launch: 0 }, { uri: "", version: -1, launch: 0 }].map((asked): [unknown, unknown] => [
    { type: "apply", asked },
    undefined,
  ]),
  ...[undefined, null, 7, { gpu: 7 }, { gpu: 'h200", "x": "' }].map((overrides): [unknown, unknown] => [
    { type: "apply", asked: { uri: "file:///a.cu", version: 2, launch: 0, overrides } },
    undefined,
  ]),
  ...[-1, 1.5, Number.NaN, "1", null, undefined, {}, 2 ** 60].map((index): [unknown, unknown] => [{ type: "launch", index }, undefined]),
  ...[0, -1, 0.5, "1", undefined].map((line): [unknown, unknown] => [{ type: "reveal", line }, undefined]),
  ...nothing.map((message): [unknown, unknown] => [message, undefined]),
])("from the page: %j is %j", (said, taken) => expect(readFromPage(said)).toEqual(taken));

test.each<[unknown, unknown]>([
  [{ type: "stale" }, { type: "stale" }],
  [
    { type: "empty", message: "Simulating…" },
    { type: "empty", message: "Simulating…" },
  ],
  [{ type: "empty", message: {} }, undefined],
  [
    { type: "imagined", id: 1, answer: null },
    { type: "imagined", id: 1, answer: null },
  ],
  [{ type: "imagined", id: 1 }, undefined],
  [{ type: "gpus", gpus: {} }, undefined],
  [{ type: "applied", why: 7 }, { type: "applied" }],
  [{ type: "model", model: null }, undefined],
  [{ type: "model" }, undefined],
  ...nothing.map((message): [unknown, unknown] => [message, undefined]),
])("to the page: %j is %j", (said, taken) => expect(readToPage(said)).toEqual(taken));
