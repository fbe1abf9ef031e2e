import { expect, test } from "vitest";
import { demangleKernel } from "./demangle.ts";

test.each([
  ["_Z12transposePadPfPKfii", "transposePad", []],
  ["_ZN2ns5plainEPf", "ns::plain", []],
  ["_Z1kILi32EfEvPT0_", "k", ["32", "float"]],
  ["_Z1kILi64EyEvPT0_", "k", ["64", "unsigned long long"]],
  ["_Z1kILb1ELin3EEvv", "k", ["true", "-3"]],
  ["_ZN1a1b6kernelIfLj4EEEvPT_", "a::b::kernel", ["float", "4"]],
  ["_Z3addI6float4EvPT_", "add", ["float4"]],
  ["_Z3addIN2ns3VecIfLi3EEEEvT_", "add", ["ns::Vec<float, 3>"]],
  ["_Z3mapIPKfS0_EvT_T0_", "map", ["const float*", "const float"]],
  ["_ZN6thrust4coreIiE3runIdEEvv", "thrust::core<int>::run", ["double"]],
  ["_ZN3_GLOBAL__N_16kernelEv", undefined, []],
  ["plain_c_kernel", "plain_c_kernel", []],
  ["_ZN12_GLOBAL__N_16kernelEv", "(anonymous namespace)::kernel", []],
])("%s", (symbol, name, templateArguments) => {
  const found = demangleKernel(symbol);
  if (name === undefined) expect(found).toBeUndefined();
  else expect(found).toEqual({ name, templateArguments });
});
