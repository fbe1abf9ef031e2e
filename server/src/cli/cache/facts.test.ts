import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { FileHost } from "../../analysis/settings.ts";
import { diskFiles } from "../../files.ts";
import { folderWith } from "../testing/command.ts";
import { FactChecker, recorded } from "./facts.ts";

afterEach(() => void vi.useRealTimers());

/** The disk, with what it was asked. */
function counting(): { readonly host: FileHost; readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    host: {
      read: (file) => {
        asked.push(path.basename(file));
        return diskFiles.read(file);
      },
      list: (folder) => diskFiles.list?.(folder) ?? [],
      realPath: (file) => diskFiles.realPath?.(file),
    },
  };
}

/** Facts about `a.h`, its folder, `b.h` that is not there, and where `a.h` is; as if they were noted some time after the files were written. */
function factsOf(folder: string, later: number) {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + later });
  const { host, facts } = recorded(diskFiles);
  host.read(path.join(folder, "a.h"));
  host.read(path.join(folder, "b.h"));
  host.list?.(folder);
  host.realPath?.(path.join(folder, "a.h"));
  vi.useRealTimers();
  return facts();
}

test("a file that is as it was is not read again, unless it changed just before it was noted", () => {
  const folder = folderWith({ "a.h": "one" });
  for (const [later, read] of [
    [60_000, ["b.h"]],
    [0, ["a.h", "b.h"]],
  ] as const) {
    const facts = factsOf(folder, later);
    const { host, asked } = counting();
    const checker = new FactChecker(host);
    for (const _ of [1, 2]) expect(facts.map((fact) => checker.holds(fact))).toEqual([true, true, true, true]);
    expect(asked).toEqual(read);
  }
});

test.each<[string, (folder: string) => void, boolean[]]>([
  ["written anew with the same text", (folder) => writeFileSync(path.join(folder, "a.h"), "one"), [true, true, true, true]],
  ["another text of the same length", (folder) => writeFileSync(path.join(folder, "a.h"), "two"), [false, true, true, true]],
  ["another header", (folder) => writeFileSync(path.join(folder, "b.h"), ""), [true, false, true, true]],
  ["another source", (folder) => writeFileSync(path.join(folder, "b.cu"), ""), [true, true, false, true]],
  ["none", (folder) => rmSync(path.join(folder, "a.h")), [false, true, true, false]],
])("what is on disk is compared, however the times are: %s", (_, change, hold) => {
  for (const later of [0, 60_000]) {
    const folder = folderWith({ "a.h": "one" });
    const facts = factsOf(folder, later);
    change(folder);
    const checker = new FactChecker(diskFiles);
    expect(facts.map((fact) => checker.holds(fact))).toEqual(hold);
  }
});
