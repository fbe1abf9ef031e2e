import { defineRule } from "./rule.ts";

/** Of more a file has some other problem. */
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
    const told = new Set<string>();
    for (const { path, place, reason } of reading.missingIncludes) {
      if (reason === undefined || told.has(path) || told.size >= most) continue;
      told.add(path);
      yield { span: place, message: `\`${path}\` is not read: ${reason}` };
    }
  },
});
