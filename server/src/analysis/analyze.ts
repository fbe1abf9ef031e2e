/** From a file's text to its facts. */
import type { FunctionDeclaration } from "../syntax/ast.ts";
import { currentParser } from "../syntax/current-parser.ts";
import { parse } from "../syntax/index.ts";
import { read } from "../syntax/preprocess/preprocess.ts";
import type { Reading } from "../syntax/reading.ts";
import { compileOptions } from "./compile-commands.ts";
import type { AnalysisSettings, FileHost, KernelFact, LaunchFact, Program } from "./facts.ts";
import { type Lower, launchFacts } from "./launch-facts.ts";
import { lowerKernel } from "./lower/index.ts";
import { bindUnit, type Semantics } from "./sema/index.ts";
import { UserDirectives } from "./user-directives.ts";

/**
 * Everything the rules, the editor and the engine need to know of a file. `path` is absolute, `/` separated. Never throws on
 * any text; launches are worked out when they are first asked for.
 */
export function analyze(path: string, text: string, settings: AnalysisSettings, host: FileHost): Program {
  const compiled = compileOptions(path, host);
  const options = {
    computeCapability: settings.computeCapability,
    defines: [...compiled.defines, ...settings.defines],
    includeDirs: [...settings.includeDirs, ...compiled.includeDirs],
  };
  const reading = read(path, text, host, options);
  const unit = parse(currentParser(), reading)?.unit ?? { declarations: [], errors: [] };
  const semantics = bindUnit(unit);
  const kernels = kernelFacts(semantics, reading);
  const directives = new UserDirectives(reading, settings);
  const lower: Lower = (kernel, substitution, contentOf) => {
    const lowered = lowerKernel(semantics, reading, kernel, substitution, { computeCapability: settings.computeCapability });
    lowered.globals = lowered.globals.map((variable) => {
      const content = contentOf(variable.name, variable.content);
      return content ? { ...variable, content } : variable;
    });
    return lowered;
  };
  let launches: readonly LaunchFact[] | undefined;
  const facts = () => (launches ??= launchFacts({ reading, unit, semantics, settings, kernels, directives, lower }));
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
