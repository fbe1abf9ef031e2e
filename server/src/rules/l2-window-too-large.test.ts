import { testRule } from "../testing/rule-tables.ts";
import rule from "./l2-window-too-large.ts";

testRule(rule, {
  clean: {
    "set aside": `void f(cudaStreamAttrValue v, int n) {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, n);
  v.accessPolicyWindow.num_bytes = n;
}`,
    "taken back": "void f(cudaStreamAttrValue v) { v.accessPolicyWindow.num_bytes = 0; }",
  },
  found: {
    "not set aside": {
      code: `void f(cudaStreamAttrValue v, int n) {
  v.accessPolicyWindow.num_bytes = n;
//^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ set aside
}`,
    },
  },
});
