import { defineRule } from "./rule.ts";
import { groupBy } from "./support/group-by.ts";

/** Of more findings, and of more places in one of them, a file has some other problem. */
const most = 20;

export default defineRule({
  id: "unread-include",
  group: "directives",
  severity: "information",
  priority: "correctness",
  summary: "An `#include` of a file that is there and is not read.",
  why: "What it declares is not known: kernels and macros may be missing, and what is said of the rest may rest on less than the compiler knows.",
  remedy: "Do as the message says, or suppress the finding where nothing of the file matters.",
  fix: "none",
  ofFile: true,
  notes: `Files are read that belong to the project: the workspace's folders or what the command line names, and the repository around them.
Of other folders headers are read where the project names them, by \`-I\` or by \`includeDirs\`, and those of the system and the toolkit.
Hidden files, devices, pipes and what is larger than 8 MB are not read. An \`#include\` of which there is no file is not reported: most are
the toolkit's, which need not be there.`,
  example: {
    bad: `#include "/etc/passwd"
__global__ void clear(float *data) { data[threadIdx.x] = 0.0f; }`,
    good: `#include <cuda_runtime.h>
__global__ void clear(float *data) { data[threadIdx.x] = 0.0f; }`,
  },
  *check({ program: { reading } }) {
    const once = new Map([...reading.missingIncludes].reverse().map((each) => [each.path, each])).values();
    const told = [...once].reverse().flatMap(({ path, place, reason }) => (reason === undefined ? [] : [{ path, place, reason }]));
    const alike = groupBy(told, ({ place, reason }) => `${place.file} ${reason}`);
    for (const [first, ...others] of [...alike.values()].slice(0, most)) {
      if (!first) continue;
      const which = others.length === 0 ? "is" : `and ${others.length} more are`;
      yield {
        span: first.place,
        message: `\`${first.path}\` ${which} not read: ${first.reason}`,
        related: others.slice(0, most).map(({ path, place }) => ({ at: place, message: `\`${path}\` is not read either` })),
      };
    }
  },
});
