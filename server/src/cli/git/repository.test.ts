import { chmodSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { UsageError } from "../io.ts";
import { folderWith } from "../testing/command.ts";
import { repository } from "../testing/repository.ts";
import { Repository } from "./repository.ts";

describe.runIf(process.platform !== "win32")("why git has failed", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test("is what went wrong, not the advice that follows", () => {
    const { root } = repository();
    vi.stubEnv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    expect(() => Repository.of(root)).toThrow(new UsageError(`git: detected dubious ownership in repository at '${root}'`));
  });

  test.each([
    ["kill -9 $$", "git: it was ended by SIGKILL"],
    ["echo warning: odd >&2; echo error: so it is >&2; exit 1", "git: error: so it is"],
  ])("%s", (script, message) => {
    const bin = folderWith({ git: `#!/bin/sh\n${script}\n` });
    chmodSync(path.join(bin, "git"), 0o755);
    vi.stubEnv("PATH", `${bin}${path.delimiter}${process.env.PATH}`);
    expect(() => Repository.of(bin)).toThrow(new UsageError(message));
  });
});
