/** From a file's text to its facts. */
import type { FunctionDeclaration } from "../syntax/ast.ts";
import type { Reading } from "../syntax/reading.ts";
import { stage } from "../trace.ts";
import { compileOptions } from "./compile-commands.ts";
import type { AnalysisSettings, FileHost, KernelFact, LaunchFact, Program } from "./facts.ts";
import { launchFacts } from "./launch-facts.ts";
import { cachedUnit, loadUnit } from "./load-unit.ts";
import { ProgramLinker } from "./program-linker.ts";
import type { Semantics } from "./sema/index.ts";
import { UserDirectives } from "./user-directives.ts";

/**
 * Everything the rules, the editor and the engine need to know of a file. `path` is absolute, `/` separated. Never throws on
 * any text; launches are worked out when they are first asked for.
 */
export function analyze(path: string, text: string, given: AnalysisSettings, host: FileHost): Program {
  const compiled = compileOptions(path, host);
  const run = given.argv.length === 0 && compiled.run !== undefined && compiled.run.argv.length > 0 ? compiled.run : undefined;
  const settings = run === undefined ? given : { ...given, argv: run.argv };
  const own = loadUnit(path, text, settings, host, compiled);
  const { reading, unit, semantics } = own;
  const kernels = kernelFacts(semantics, reading);
  const directives = new UserDirectives(reading, settings);
  const project = new ProgramLinker(
    own,
    host,
    (other, source, launching) => cachedUnit(other, source, settings, host, launching),
    compiled.files,
  );
  let launches: readonly LaunchFact[] | undefined;
  const facts = () =>
    (launches ??= stage("host evaluation", () => launchFacts({ own, project, settings, kernels, directives, ...(run ? { run } : {}) })));
  return {
    path,
    reading,
    unit,
    semantics,
    kernels,
    get launches() {
      return facts();
    },
    get problems() {
      facts();
      return directives.problems;
    },
  };
}

/** Every `__global__` function with a body, in the order of the reading. */
function kernelFacts(semantics: Semantics, reading: Reading): KernelFact[] {
  return semantics.functions.filter((fn) => fn.specifiers.global && fn.body !== undefined).map((fn) => kernelFact(fn, reading));
}

function kernelFact(declaration: FunctionDeclaration, reading: Reading): KernelFact {
  return {
    name: declaration.name.parts.at(-1)?.text ?? "",
    declaration,
    nameAt: reading.locate(declaration.nameSpan.start, declaration.nameSpan.end),
    at: reading.locate(declaration.start, declaration.end),
    isTemplate: (declaration.templateParameters?.length ?? 0) > 0,
  };
}
