import { expect, test } from "vitest";
import { checkArrows, violations } from "./arrows.mjs";

test("the tree keeps its arrows", () => expect(checkArrows(process.cwd())).toEqual([]));

test.each([
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
  ["server/src/lsp/server.ts", `import { lint } from "../lint.ts";\nimport type { PanelModel } from "./protocol.ts";`],
  ["server/src/node.ts", `import { serve } from "./lsp/server.ts";`],
  ["client/src/status/item.ts", `import type { GpuSummary } from "@warplens/server/protocol";`],
  ["server/src/analysis/host/run.ts", `import type { Kernel } from "@warplens/sim-engine";\nimport { read } from "../facts.ts";`],
])("%s keeps to them", (file, text) => expect(violations(file, text)).toEqual([]));
