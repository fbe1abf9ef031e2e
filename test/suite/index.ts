/** The suite that runs inside the extension host, in whichever VS Code. */
import Mocha from "mocha";
import { follow, type TestResult, writeResult } from "../harness/results.ts";

/** VS Code calls this once its window is up. Rejects where a test failed. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", timeout: 60_000, reporter: Mocha.reporters.Base });
  mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_PRE_REQUIRE, globalThis, "", mocha);
  await import("./editor.test.ts");
  await import("./measured.test.ts");
  // What a package may lack shows above; what the server makes of files is in the same bundle from source.
  if (process.env.WARPLENS_E2E_INSTALLED === undefined) {
    await import("./figures.test.ts");
    await import("./many.test.ts");
    await import("./bad-input.test.ts");
  }
  const file = process.env.WARPLENS_E2E_RESULTS;
  const record = (result: TestResult) => {
    if (file) writeResult(file, result);
  };
  const failures = await new Promise<number>((resolve) => follow(mocha.run(resolve), record));
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
