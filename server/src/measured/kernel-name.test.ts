import { expect, test } from "vitest";
import { kernelSymbol } from "./kernel-name.ts";

test.each([
  ["axpy(int, float, const float *, float *)", "axpy", []],
  ["void transpose<32>(const float *, float *, int)", "transpose", ["32"]],
  ["void scale<(int)4, float>(float *, int)", "scale", ["(int)4", "float"]],
  ["void ns::k<ns::P<int, 3>, (bool)1>(T1 *)", "ns::k", ["ns::P<int, 3>", "(bool)1"]],
  ["void outer<int>::run(float *)", "outer<int>::run", []],
  ["<unnamed>::hidden(int)", "hidden", []],
  ["(anonymous namespace)::hidden(int)", "hidden", []],
  ["void k<void (*)(int)>(int)", "k", ["void (*)(int)"]],
  ["_Z1kILi32EfEvPT0_", "k", ["32", "float"]],
  ["axpy", "axpy", []],
  ["", "", []],
  ["<<<((", "<<<((", []],
])("%s", (printed, name, templateArguments) => {
  expect(kernelSymbol(printed)).toEqual({ name, templateArguments });
});
