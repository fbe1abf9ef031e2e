import { expect, it } from "vitest";
import { currentParser, forgetTree } from "./current-parser.ts";

it("a file may be closed before a parser is there", () => {
  expect(() => currentParser()).toThrow("no parser is loaded");
  expect(() => forgetTree("/w/a.cu")).not.toThrow();
});
