import { defineRule } from "./rule.ts";

export default defineRule({
  id: "invalid-directive",
  group: "directives",
  severity: "warning",
  priority: "correctness",
  summary: "A `// warplens:` comment that cannot be read.",
  why: "What it was meant to say about a kernel or a launch is not used, so the simulation may assume something else.",
  remedy: "Write it as `// warplens: block=(256) grid=(4096) n=1<<20 index=uniform(0, n)`, directly above the kernel or the launch.",
  fix: "none",
  simulated: true,
  example: {
    bad: `// warplens: block=(many)
__global__ void clear(float *data) { data[threadIdx.x] = 0.0f; }`,
    good: `// warplens: block=(256) grid=(4)
__global__ void clear(float *data) { data[threadIdx.x] = 0.0f; }`,
  },
  *check({ program }) {
    for (const { message, at } of program.problems) yield { span: at, message };
  },
});
