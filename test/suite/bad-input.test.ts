import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { ConfigurationTarget, commands, type Hover, languages, Position, type Uri, workspace } from "vscode";
import { activated, eventually, fileUri, findings, show } from "./support.ts";

describe("bad input", () => {
  before(() => activated());
  /** The server is alive: it finds what is to be found in a good file. */
  const stillWorks = async () => {
    const good = await show("five-rules.cu");
    assert.ok((await findings(good, "legacy-warp-intrinsic")).length > 0);
  };

  for (const name of ["empty.cu", "binary.cu", "unbalanced.cu", "forever.cu"])
    it(`${name}: the server goes on`, async () => {
      const document = await show(name);
      await commands.executeCommand<Hover[]>("vscode.executeHoverProvider", document.uri, new Position(0, 0));
      await stillWorks();
    });

  it("control characters and NUL: the server goes on", async () => {
    await workspace.openTextDocument({ language: "cuda-cpp", content: "__global__ void k(\0) {\u0001\uD800 <<<\u2028>>> }\0" });
    await stillWorks();
  });

  it("a warplens.json that is not JSON is said, and goes when mended", async () => {
    const file = fileUri("warplens.json");
    await workspace.fs.writeFile(file, new TextEncoder().encode("{ gpu: "));
    const problems = (uri: Uri) => languages.getDiagnostics(uri).filter(({ source }) => source === "warplens");
    const warplens = await activated();
    try {
      const told = await eventually(warplens.onDidChangeStatus, () =>
        warplens.status()?.problems.find((problem) => problem.includes("warplens.json")),
      );
      assert.ok(told);
    } finally {
      await workspace.fs.delete(file);
    }
    await eventually(warplens.onDidChangeStatus, () => (warplens.status()?.problems.length === 0 ? true : undefined));
    assert.deepEqual(problems(file), []);
  });

  it("settings of the wrong kind are said", async () => {
    const warplens = await activated();
    const settings = workspace.getConfiguration("warplens");
    await settings.update("argv", 7, ConfigurationTarget.Workspace);
    const told = await eventually(warplens.onDidChangeStatus, () =>
      warplens.status()?.problems.find((problem) => problem.includes("warplens.argv")),
    );
    assert.ok(told);
    await settings.update("argv", undefined, ConfigurationTarget.Workspace);
    await eventually(warplens.onDidChangeStatus, () => (warplens.status()?.problems.length === 0 ? true : undefined));
  });

  it("a server that was killed is started again, and answers as before", async () => {
    const document = await show("five-rules.cu");
    const warplens = await activated();
    const before = (await findings(document, "strided-global-access")).map(({ message }) => message);
    const children = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" }).split("\n");
    const server = children.filter((line) => /dist.server\.js/.test(line)).map((line) => Number.parseInt(line, 10));
    assert.equal(server.length, 1, `the server is not among ${children.join("\n")}`);
    process.kill(server[0] as number, "SIGKILL");
    // A server says what it is about once it has started.
    const last = warplens.status();
    await eventually(warplens.onDidChangeStatus, () => (warplens.status() === last ? undefined : true));
    const after = (await findings(document, "strided-global-access")).map(({ message }) => message);
    assert.deepEqual(after, before);
  });

  it("50,000 lines: the server goes on", async () => {
    const kernel = "__global__ void k_N(float *a) {\n  int i = threadIdx.x;\n  a[i] += 1.0f;\n  a[i] *= 2.0f;\n}\n";
    const content = Array.from({ length: 10_000 }, (_, index) => kernel.replace("N", String(index))).join("");
    const long = await workspace.openTextDocument({ language: "cuda-cpp", content });
    assert.equal(long.lineCount, 50_001);
    await stillWorks();
  });
});
