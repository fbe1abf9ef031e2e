/** The action of action.yml and the hooks of .pre-commit-hooks.yaml, on a repository made for it: their scripts run as GitHub and pre-commit run them. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));
const action = parse(readFileSync(path.join(root, "action.yml"), "utf8"));
const hooks = parse(readFileSync(path.join(root, ".pre-commit-hooks.yaml"), "utf8"));

const scratch = mkdtempSync(path.join(tmpdir(), "warplens-action-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A place like the action's own checkout, built. */
const installed = path.join(scratch, "action");
beforeAll(async () => {
  for (const folder of ["action", "server/bin"]) {
    mkdirSync(path.join(installed, folder), { recursive: true });
    execFileSync("cp", ["-R", `${path.join(root, folder)}/.`, path.join(installed, folder)]);
  }
  writeFileSync(path.join(installed, "package.json"), readFileSync(path.join(root, "package.json")));
  execFileSync("ln", ["-s", path.join(root, "node_modules"), path.join(installed, "node_modules")]);
  await build({
    absWorkingDir: root,
    outdir: path.join(installed, "dist"),
    entryPoints: {
      cli: "server/src/cli/main.ts",
      inspector: "server/src/cli/inspector.ts",
      "parent-watch": "server/src/cli/parent-watch.ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2023",
    mainFields: ["module", "main"],
    banner: { js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);` },
    logLevel: "error",
  });
  for (const wasm of ["web-tree-sitter/web-tree-sitter.wasm", "tree-sitter-cuda/tree-sitter-cuda.wasm"])
    execFileSync("cp", [path.join(root, "node_modules", wasm), path.join(installed, "dist")]);
  writeFileSync(path.join(installed, "dist/package.json"), '{ "type": "module" }\n');
}, 120_000);

const kernel = (index) => `__global__ void copy(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[${index}];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1 << 28);
  cudaMalloc(&out, 1 << 26);
  copy<<<4096, 256>>>(out, in, 1 << 20);
}
`;
const gates = { gates: ["copy on h200: load sectors per request <= 4", "*: no new finding of warning", "*: time <= 110 % of base"] };

let count = 0;

/** A repository with a base and a branch that makes its kernel slower. @returns its folder and the two commits */
function sample() {
  const folder = path.join(scratch, `sample ${++count}`);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=A Tester", "-c", "user.email=tester@example.invalid", ...args], {
      cwd: folder,
      env,
      encoding: "utf8",
    }).trim();
  const commit = (files) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    git("add", "--all");
    git("commit", "--quiet", "-m", "change");
    return git("rev-parse", "HEAD");
  };
  mkdirSync(folder, { recursive: true });
  git("init", "--quiet", "--initial-branch=main");
  const base = commit({
    "src/copy.cu": kernel("i"),
    "src/old.cu": "__device__ float third(float x) { return x * 0.3; }\n",
    "warplens.json": JSON.stringify(gates, null, 2),
  });
  git("checkout", "--quiet", "-b", "change");
  const head = commit({ "src/copy.cu": kernel("i * 8") });
  return { folder, git, commit, base, head };
}

/** The value of an expression of the action, as far as it has any. */
function evaluated(text, contexts) {
  const value = (name) => String(name.split(".").reduce((context, key) => context?.[key], contexts) ?? "");
  return String(text).replace(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_, name) => value(name));
}

function holds(condition, contexts) {
  return condition.split("&&").every((part) => {
    const [, name, operator, text] = /^\s*([\w.-]+)\s*(==|!=)\s*'([^']*)'\s*$/.exec(part);
    return (evaluated(`\${{ ${name} }}`, contexts) === text) === (operator === "==");
  });
}

/** Runs the action's own steps as a runner does. */
function runAction(folder, inputs, github, environment = {}) {
  const temp = mkdtempSync(path.join(scratch, "temp-"));
  const defaults = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: initial }]) => [name, evaluated(initial, { github })]),
  );
  const contexts = { inputs: { ...defaults, ...inputs }, github, runner: { temp, os: "Linux" } };
  const files = { GITHUB_OUTPUT: path.join(temp, "output"), GITHUB_STEP_SUMMARY: path.join(temp, "summary") };
  let log = "";
  let code = 0;
  for (const step of action.runs.steps) {
    if (step.uses || (step.if && !holds(step.if, contexts))) continue;
    const cwd = path.join(folder, evaluated(step["working-directory"] ?? ".", contexts));
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, text]) => [name, evaluated(text, contexts)]));
    const ran = spawnSync("bash", ["-e", "-c", step.run], {
      cwd,
      encoding: "utf8",
      env: {
        ...process.env,
        CI: "true",
        RUNNER_TEMP: temp,
        GITHUB_ACTION_PATH: installed,
        GITHUB_WORKSPACE: folder,
        GITHUB_REPOSITORY: "someone/kernels",
        ...files,
        ...environment,
        ...env,
      },
    });
    log += ran.stdout + ran.stderr;
    code = ran.status;
    if (code !== 0) break;
  }
  const read = (name) => (existsSync(name) ? readFileSync(name, "utf8") : "");
  return { code, log, summary: read(files.GITHUB_STEP_SUMMARY), output: read(files.GITHUB_OUTPUT), temp };
}

const pullRequest = (base) => ({ event: { pull_request: { base: { sha: base }, number: 7 } }, token: "a token" });

describe("the action", () => {
  test("gives scripts what others wrote as environment alone", () => {
    for (const { run } of action.runs.steps) expect(run ?? "").not.toContain("${{");
  });

  test("on a pull request: new findings where they stand, gates that it breaks, what changed", () => {
    const { folder, base } = sample();
    const { code, log, summary, output } = runAction(folder, { sarif: "all.sarif" }, pullRequest(base));
    expect(log).toMatch(/^::warning file=src\/copy\.cu,line=3,[^\n]*strided-global-access::/m);
    expect(log).not.toContain("old.cu");
    expect(log).toMatch(/^::error file=src\/copy\.cu,line=9,title=WarpLens%3A a gate is broken::copy on h200: load sectors/m);
    expect(log).toMatch(/^::error file=src\/copy\.cu,line=9,title=WarpLens%3A a gate is broken::\*: time <= 110 %25 of base/m);
    expect(summary).toMatch(/^<!-- warplens -->\n### WarpLens: 1 launch slower; 1 new finding\n/);
    expect(summary).toMatch(/\| slower \| `copy` \| \*\*[\d.]+ µs → [\d.]+ µs \(\+[\d.]+ %\)\*\* \|/);
    expect(summary).toContain("### WarpLens gates: 0 gates hold, 3 are broken");
    expect(output).toContain("exit-code=1\n");
    expect(code).toBe(1);
    const { results } = JSON.parse(readFileSync(path.join(folder, "all.sarif"), "utf8")).runs[0];
    expect(results.map(({ ruleId }) => ruleId).sort()).toEqual(["double-constant-in-float", "strided-global-access"]);
  }, 120_000);

  test("on a push: all findings, and no comparison", () => {
    const { folder, git } = sample();
    git("checkout", "--quiet", "main");
    writeFileSync(path.join(folder, "warplens.json"), '{ "gates": ["copy: occupancy = 100 %"] }');
    const { code, log, summary, output } = runAction(folder, { "fail-on": "never" }, { event: {} });
    expect(log).toMatch(/^::notice file=src\/old\.cu,line=1,/m);
    expect(summary).toMatch(/^<!-- warplens -->\n### WarpLens gates: 1 gate holds\n/);
    expect([output, code]).toEqual([expect.stringContaining("exit-code=0\n"), 0]);
  }, 120_000);

  test("in a shallow checkout of what a pull request is merged to: the base is fetched", () => {
    const { folder, git, base } = sample();
    git("checkout", "--quiet", "main");
    git("merge", "--quiet", "--no-ff", "-m", "merge", "change");
    git("branch", "merged");
    const merged = git("rev-parse", "merged");
    const clone = path.join(scratch, `shallow ${count}`);
    execFileSync("git", ["clone", "--quiet", "--depth=1", "--branch=merged", `file://${folder}`, clone]);
    const inputs = { "working-directory": "src", paths: "copy.cu\nno-such-option", gate: "false" };
    writeFileSync(path.join(clone, "src/no-such-option"), "");
    const { code, log, summary } = runAction(clone, inputs, pullRequest(base), {
      GITHUB_REF: "refs/pull/7/merge",
      GITHUB_SHA: merged,
    });
    expect(log).toMatch(/^::warning file=src\/copy\.cu,line=3,/m);
    expect(summary).toContain("### WarpLens: 1 launch slower; 1 new finding");
    expect(summary).toContain(base.slice(0, 7));
    expect(code).toBe(1);
  }, 120_000);

  test("in a shallow checkout of a branch: a base that is named is fetched, and no branch is made of it", () => {
    const { folder } = sample();
    const clone = path.join(scratch, `shallow branch ${count}`);
    execFileSync("git", ["clone", "--quiet", "--depth=1", "--branch=change", `file://${folder}`, clone]);
    const changed = (base) => runAction(clone, { base, gate: "false", diff: "false" }, { event: {} });
    const made = changed("+refs/heads/main:refs/heads/made");
    expect(made.log).toContain("The base cannot be fetched: nothing is compared with it.");
    expect(execFileSync("git", ["branch", "--list", "made"], { cwd: clone, encoding: "utf8" })).toBe("");
    const { code, log } = changed("main");
    expect(log).toMatch(/^::warning file=src\/copy\.cu,line=3,/m);
    expect(log).not.toContain("old.cu");
    expect(code).toBe(1);
  }, 120_000);

  test("where a workflow checks out the branch itself, which its base was merged into: the base is the pull request's", () => {
    const { folder, git, commit } = sample();
    git("checkout", "--quiet", "main");
    const base = commit({ "README.md": "more\n" });
    git("checkout", "--quiet", "change");
    git("merge", "--quiet", "--no-ff", "-m", "merge", "main");
    const { code, log } = runAction(folder, { gate: "false", diff: "false" }, pullRequest(base), {
      GITHUB_REF: "refs/pull/7/merge",
      GITHUB_SHA: "0".repeat(40),
    });
    expect(log).toMatch(/^::warning file=src\/copy\.cu,line=3,/m);
    expect(code).toBe(1);
  }, 120_000);

  test("what cannot be judged fails the job with 2", () => {
    const { folder, base } = sample();
    writeFileSync(path.join(folder, "warplens.json"), '{ "gates": ["kopy: time < 1 s"] }');
    const { code, log } = runAction(folder, { "fail-on": "never", diff: "false" }, pullRequest(base));
    expect(log).toContain(
      "::error file=warplens.json,line=1,title=WarpLens%3A a gate cannot be judged::kopy: time < 1 s%0Athere is no kernel `kopy`; did you mean `copy`?",
    );
    expect(code).toBe(2);
  }, 120_000);

  test("a warplens.json that is no file is named, not read", () => {
    const { folder, base } = sample();
    rmSync(path.join(folder, "warplens.json"));
    symlinkSync("/dev/zero", path.join(folder, "warplens.json"));
    const { code, log } = runAction(folder, { "fail-on": "never", diff: "false" }, pullRequest(base));
    expect(log).toContain("warplens.json is not read: it is a device, not a file");
    expect(code).toBe(2);
  }, 120_000);

  test.each([
    ["the first time", "", /^api --method POST repos\/someone\/kernels\/issues\/7\/comments --field body=@\S+report\.md --silent$/m],
    ["again", "42", /^api --method PATCH repos\/someone\/kernels\/issues\/comments\/42 --field body=@\S+report\.md --silent$/m],
  ])(
    "writes one comment: %s",
    (_, known, call) => {
      const { folder, base } = sample();
      const bin = mkdtempSync(path.join(scratch, "bin-"));
      writeFileSync(
        path.join(bin, "gh"),
        `#!/bin/sh\necho "$@" >>"${bin}/calls"\necho "$GH_TOKEN" >"${bin}/token"\ncase "$*" in *--paginate*) echo "${known}" ;; esac\n`,
      );
      chmodSync(path.join(bin, "gh"), 0o755);
      runAction(folder, { comment: "true", gate: "false", "fail-on": "never" }, pullRequest(base), { PATH: `${bin}:${process.env.PATH}` });
      expect(readFileSync(path.join(bin, "calls"), "utf8")).toMatch(call);
      expect(readFileSync(path.join(bin, "token"), "utf8")).toBe("a token\n");
    },
    120_000,
  );
});

describe("the hooks", () => {
  const run = (id, folder, ...files) => {
    const { entry, pass_filenames: passes = true } = hooks.find((hook) => hook.id === id);
    const [script, ...args] = entry.split(" ");
    const { status, stdout, stderr } = spawnSync(path.join(installed, script), [...args, ...(passes ? files : [])], {
      cwd: folder,
      encoding: "utf8",
    });
    return { code: status, out: stdout + stderr };
  };

  test("look at the files that are committed", () => {
    const { folder } = sample();
    expect(run("warplens", folder, "src/copy.cu", "src/old.cu")).toMatchObject({ code: 0 });
    expect(run("warplens-simulate", folder, "src/copy.cu")).toMatchObject({
      code: 1,
      out: expect.stringContaining("src/copy.cu:3:23  warning strided-global-access"),
    });
  }, 120_000);

  test("take a file for a file, whatever its name begins with", () => {
    const { folder } = sample();
    const name = "--nvcc=./run.cu";
    for (const each of [name, "run.cu"]) {
      mkdirSync(path.dirname(path.join(folder, each)), { recursive: true });
      writeFileSync(path.join(folder, each), "#!/bin/sh\ntouch ran\n");
      chmodSync(path.join(folder, each), 0o755);
    }
    run("warplens-simulate", folder, name, "src/copy.cu");
    expect(existsSync(path.join(folder, "ran"))).toBe(false);
    expect(run("warplens", folder, name).out).toContain("in 1 file");
  }, 120_000);

  test("judge the gates", () => {
    const { folder } = sample();
    writeFileSync(path.join(folder, "warplens.json"), '{ "gates": ["copy: load sectors per request <= 4"] }');
    expect(run("warplens-gate", folder, "src/copy.cu")).toMatchObject({ code: 1, out: expect.stringContaining("1 is broken") });
  }, 120_000);

  test.each(hooks.map(({ id, files }) => [id, files]))("%s is about CUDA sources", (_, files) => {
    expect(["a.cu", "b/c.cuh"].every((name) => new RegExp(files).test(name))).toBe(true);
    expect(["a.py", "cu.txt", "a.cuda"].some((name) => new RegExp(files).test(name))).toBe(false);
  });
});
