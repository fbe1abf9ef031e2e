/** For tests: a kernel from text, and what it leaves in its buffer. */
import { type Argument, type Buffer, type Kernel, type Launch, runWhole, verifyKernel } from "@warplens/sim-engine";
import { headerFolder, withHeaders } from "../analysis/headers/index.ts";
import { lowerKernel } from "../analysis/lower/index.ts";
import { bindUnit } from "../analysis/sema/index.ts";
import { FileParser, read } from "../syntax/index.ts";
import { testParser } from "../syntax/testing/parse-text.ts";

/** The first kernel of a file. Throws where the text has errors, and for what the verifier finds. */
export async function kernelOf(text: string, computeCapability = 90): Promise<Kernel> {
  const host = withHeaders({ read: () => undefined });
  const preprocessed = read("/src/a.cu", text, host, { computeCapability, includeDirs: [headerFolder] });
  const parsed = new FileParser(await testParser).parse(preprocessed);
  if (!parsed) throw new Error("cancelled");
  const { reading, unit } = parsed;
  if (unit.errors.length > 0) throw new Error(`the text has errors: ${JSON.stringify(unit.errors)}`);
  const semantics = bindUnit(unit);
  const declaration = semantics.functions.find((each) => each.specifiers.global);
  if (!declaration) throw new Error("no kernel");
  const kernel = lowerKernel(semantics, reading, declaration, undefined, { computeCapability });
  const problems = verifyKernel(kernel);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return kernel;
}

/** A buffer of numbers that count from 0, whose values tell where they come from. */
export const counting = (name: string, elements: number): Buffer => ({
  name,
  bytes: 4 * elements,
  element: "i32",
  content: { kind: "linear", stride: 1, start: 0 },
});

/**
 * What one block leaves in its first buffer, as 32-bit numbers: of the kernel as it was lowered, which the optimised one is held to.
 * @param inputs further buffers, its other arguments
 * @param more arguments behind those
 */
export async function leaves(
  text: string,
  threads: number,
  elements: number,
  inputs: readonly Buffer[] = [],
  more: readonly Argument[] = [],
): Promise<number[]> {
  const kernel = await kernelOf(text);
  const buffers: Buffer[] = [{ name: "out", bytes: 4 * elements, element: "i32", content: { kind: "bytes", value: 0xff } }, ...inputs];
  const launch: Launch = {
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    dynamicSharedBytes: 0,
    arguments: [...buffers.map((_, buffer) => ({ kind: "pointer" as const, buffer, offset: 0 })), ...more],
    buffers,
  };
  const [plain, optimised] = [false, true].map((optimised) => {
    const run = runWhole(kernel, launch, { optimised });
    return Array.from({ length: elements }, (_, index) => Number(run.read(0, index, "i32")));
  });
  if (String(plain) !== String(optimised)) throw new Error(`optimised, it leaves ${optimised} and not ${plain}`);
  return plain ?? [];
}
