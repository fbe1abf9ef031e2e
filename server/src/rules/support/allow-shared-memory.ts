/** The call that allows a kernel more dynamic shared memory than every launch gets. */
import type { LaunchFact } from "../../analysis/facts.ts";
import { isLibraryHeader } from "../../analysis/headers/index.ts";
import { namedKernel } from "../../analysis/host/launches/launch-sites.ts";
import type { Fix, RuleContext } from "../rule.ts";
import { indentationAt, textAt } from "./edits.ts";

const attribute = "FuncSetAttribute";
const maxDynamicShared = "cudaFuncAttributeMaxDynamicSharedMemorySize";

/**
 * The call that allows the shared memory, before the launch; undefined where one stands there, a statement has no room for it, or the name
 * alone, as it is written there, does not say which kernel.
 */
export function allowing({ expression, kernelName }: LaunchFact, context: RuleContext): Fix | undefined {
  const { syntax, program } = context;
  const { reading } = program;
  const bytes = expression?.kind === "call" ? expression.launch?.shared : undefined;
  if (expression?.kind !== "call" || !bytes || allowedBytes(context, kernelName) !== 0) return undefined;
  const namesakes = program.semantics.functions.filter(
    ({ name, specifiers }) => specifiers.global && name.parts.at(-1)?.text === kernelName,
  );
  if (namesakes.length > 1) return undefined;
  const statement = syntax.parent(expression);
  if (statement?.role !== "statement" || statement.node.kind !== "expression") return undefined;
  const block = syntax.parent(statement.node);
  const at = reading.locate(statement.node.start, statement.node.end);
  const indentation = indentationAt(reading, at);
  if (block?.role !== "statement" || block.node.kind !== "block" || at.file !== 0 || indentation === undefined) return undefined;
  const [kernel, size] = [expression.callee, bytes].map((node) => textAt(reading, reading.locate(node.start, node.end)));
  const call = `cuda${attribute}(${kernel}, ${maxDynamicShared}, ${size});`;
  return {
    title: "Allow the shared memory before the launch",
    safe: false,
    edits: [{ span: { file: 0, start: at.start, end: at.start }, newText: `${call}\n${indentation}` }],
  };
}

/**
 * The most dynamic shared memory that the file's calls of `cudaFuncSetAttribute` allow a kernel, 0 where all of them are for others;
 * undefined where one of them cannot be told.
 */
export function allowedBytes({ program: { reading, semantics, launches }, syntax }: RuleContext, kernelName: string): number | undefined {
  const calls = syntax
    .expressionsMentioning(`cuda${attribute}`, "call")
    .filter(({ callee }) => callee.kind === "name" && callee.name.parts.at(-1)?.text === `cuda${attribute}`);
  const written = reading.sources.flatMap((source, file) =>
    isLibraryHeader(reading.files[file] ?? "") ? [] : [...source.matchAll(new RegExp(attribute, "g"))],
  );
  if (calls.length !== written.length) return undefined;
  let most = 0;
  for (const { arguments: args } of calls) {
    const [kernel, which, value] = args;
    const name = kernel && namedKernel(kernel);
    // What is no kernel's name may stand for any.
    if (!which || !value || !launches.some((launch) => launch.kernelName === name)) return undefined;
    if (which.kind !== "name" || which.name.parts.at(-1)?.text !== maxDynamicShared || name !== kernelName) continue;
    const bytes = semantics.constant(value);
    if (typeof bytes !== "bigint") return undefined;
    most = Math.max(most, Number(bytes));
  }
  return most;
}
