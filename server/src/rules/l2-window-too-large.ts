import { defineRule, type Finding } from "./rule.ts";
import { excerpt } from "./support/edits.ts";

export default defineRule({
  id: "l2-window-too-large",
  group: "host",
  severity: "information",
  priority: "low",
  guide: { document: "best-practices", section: "9.2.2.1" },
  alsoIn: [
    { document: "best-practices", section: "9.2.2.2" },
    { document: "best-practices", section: "9.2.2" },
  ],
  ofFile: true,
  summary: "An access policy window of the L2 cache in a program that sets none of the cache aside for it.",
  why: "Persisting accesses live in the part of L2 that was set aside, and by default that is none. A window with a hit ratio of 1.0 that is larger than that part drives its own lines out again.",
  remedy: "`cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes)`, and a `hitRatio` of that part over `num_bytes` at most.",
  fix: "none",
  example: {
    bad: `void keep(cudaStream_t stream, void *data, size_t bytes) {
  cudaStreamAttrValue value;
  value.accessPolicyWindow.base_ptr = data;
  value.accessPolicyWindow.num_bytes = bytes;
  value.accessPolicyWindow.hitRatio = 1.0;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}`,
    good: `void keep(cudaStream_t stream, void *data, size_t bytes) {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes);
  cudaStreamAttrValue value;
  value.accessPolicyWindow.base_ptr = data;
  value.accessPolicyWindow.num_bytes = bytes;
  value.accessPolicyWindow.hitRatio = 1.0;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}`,
  },
  *check({ program: { reading, semantics }, syntax }): Generator<Finding> {
    if (reading.sources.some((source) => /cudaLimitPersistingL2CacheSize|CU_LIMIT_PERSISTING_L2_CACHE_SIZE/.test(source))) return;
    for (const { left, right } of syntax.expressions("assign", /accessPolicyWindow/)) {
      if (left.kind !== "member" || left.base.kind !== "member") continue;
      const [outer, inner] = [left.base.name.parts.at(-1)?.text, left.name.parts.at(-1)?.text];
      if (outer !== "accessPolicyWindow" || inner !== "num_bytes" || semantics.constant(right) === 0n) continue;
      yield {
        span: left,
        message: `A window of \`${excerpt(reading, right, 40)}\` bytes, and none of the L2 cache is set aside for it: \`cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, ...)\`.`,
      };
    }
  },
});
