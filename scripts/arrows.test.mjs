import { expect, test } from "vitest";
import { checkArrows, circles, violations } from "./arrows.mjs";

test("the tree keeps its arrows", () => expect(checkArrows(process.cwd())).toEqual([]));

test("the arrows within the engine lead down", () => expect(circles()).toEqual([]));

test.each([
  ["sim-engine/src/ir/graph.ts", `import { hasEffect } from "../passes/facts/alias.ts";`],
  ["sim-engine/src/passes/facts/alias.ts", `import { promote } from "../memory/promote.ts";`],
  ["sim-engine/src/passes/fold/gvn.ts", `import { unrollLoops } from "../loops/unroll.ts";`],
  ["sim-engine/src/cache/estimate.ts", `import type { WarpTrace } from "../timing/summary.ts";`],
  ["sim-engine/src/execute/run.ts", `import { simulate } from "../simulate.ts";`],
  ["sim-engine/src/work.ts", `import type { Kernel } from "./ir/kernel.ts";`],
  ["server/src/rules/strided.ts", `import { compile } from "../../../sim-engine/src/execute/compile.ts";`],
  ["sim-engine/src/occupancy/limits.ts", `import { parse } from "../../../server/src/syntax/parser.ts";`],
  ["server/src/syntax/parser.ts", `import type { KernelFact } from "../analysis/facts.ts";`],
  ["server/src/analysis/facts.ts", `import { rules } from "../rules/index.ts";`],
  ["server/src/rules/strided.ts", `export * from "../lsp/convert.ts";`],
  ["server/src/lint.ts", `const cli = await import("./cli/main.ts");`],
  ["server/src/cli/main.ts", `import { serve } from "../lsp/server.ts";`],
  ["server/src/lsp/protocol.ts", `import type { KernelFact } from "../analysis/facts.ts";`],
  ["server/src/analysis/host/values/convert.ts", `import { read } from "../memory/read-write.ts";`],
  ["server/src/analysis/host/library/launch.ts", `import { launchKernel } from "../evaluate/launch.ts";`],
  ["server/src/analysis/sema/deduce.ts", `import { deduce } from "../host/resolve/deduce.ts";`],
  ["server/src/analysis/lower/emit/memory.ts", `import { lowerAsm } from "../asm/lower-asm.ts";`],
  ["client/src/status/item.ts", `import type { LaunchReport } from "@warplens/sim-engine";`],
  ["client/src/panel/page/main.ts", `import { provider } from "../provider.ts";`],
])("a planted violation in %s is found", (file, text) => expect(violations(file, text)).toHaveLength(1));

test.each([
  ["sim-engine/src/passes/pipeline.ts", `import { fold } from "./fold/fold.ts";\nimport { linkBlocks } from "../ir/builder.ts";`],
  ["sim-engine/src/simulate.ts", `import { Sampler } from "./sampling/sample.ts";\nimport { Work } from "./work.ts";`],
  ["server/src/lsp/server.ts", `import { lint } from "../lint.ts";\nimport type { PanelModel } from "./protocol.ts";`],
  ["server/src/node.ts", `import { serve } from "./lsp/server.ts";`],
  ["client/src/status/item.ts", `import type { GpuSummary } from "@warplens/server/protocol";`],
  ["server/src/analysis/host/run.ts", `import type { Kernel } from "@warplens/sim-engine";\nimport { read } from "../facts.ts";`],
])("%s keeps to them", (file, text) => expect(violations(file, text)).toEqual([]));
