/** What a user sees, looked at from outside with a browser's eyes: the editor's decorations, the panel's page, the themes. */
import Mocha from "mocha";
import type { BrowserContext } from "playwright-core";
import { follow, type TestResult } from "../harness/results.ts";
import type { VscodeServer } from "../harness/vscode-server.ts";

export interface PageContext {
  readonly server: VscodeServer;
  readonly browser: BrowserContext;
  /** Undefined where the extension is installed. */
  readonly extension: string | undefined;
  readonly folder: string;
  /** The repository: a browser's extension host loads the extension from there. */
  readonly root: string;
}

export async function checkPage(context: PageContext, record: (result: TestResult) => void): Promise<void> {
  const { describeEditor } = await import("./editor.ts");
  const { describeBrowserWorker, describeVirtualWorkspace } = await import("./browser-worker.ts");
  const { describePanel } = await import("./panel.ts");
  const { describeMeasured } = await import("./measured.ts");
  // Of the package it is asked whether its panel is there and works, which the measured figures do; every control of it is tried from source.
  const fromSource = context.extension ? [describePanel, describeBrowserWorker, describeVirtualWorkspace] : [];
  await check([describeEditor, ...fromSource, describeMeasured], context, record);
}

/** What a user sees in a folder that is not trusted. */
export async function checkRestricted(context: PageContext, record: (result: TestResult) => void): Promise<void> {
  const { describeRestricted } = await import("./restricted.ts");
  await check([describeRestricted], context, record);
}

type Describing = (context: PageContext) => void;

async function check(all: readonly Describing[], context: PageContext, record: (result: TestResult) => void): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", timeout: 60_000, reporter: Mocha.reporters.Base });
  mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_PRE_REQUIRE, globalThis, "", mocha);
  for (const describing of all) describing(context);
  await new Promise<number>((resolve) => follow(mocha.run(resolve), record));
}
