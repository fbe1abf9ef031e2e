/** A vitest reporter: how many tests passed and failed, and which were skipped and why, as JSON in the file `UNIT_COUNTS`. */
import { writeFileSync } from "node:fs";

export default class {
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const of = (state) => tests.filter((test) => test.result().state === state);
    const broken = modules.filter((module) => module.state() === "failed" && ![...module.children.allTests("failed")].length).length;
    const reasons = new Map();
    for (const test of of("skipped")) {
      const why = test.result().note ?? `${test.module.relativeModuleId}: ${test.fullName}`;
      reasons.set(why, (reasons.get(why) ?? 0) + 1);
    }
    const skipped = [...reasons].map(([why, count]) => `${count} test${count === 1 ? "" : "s"}: ${why}`);
    const counts = { passed: of("passed").length, failed: of("failed").length + broken + errors.length, skipped };
    writeFileSync(process.env.UNIT_COUNTS, JSON.stringify(counts));
  }
}
