/** `warplens.json` at the workspace's root: what the project says for everyone who works on it. */
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { type RuleLevel, selectorProblem, severities } from "../rules/selection.ts";
import { suggest } from "../rules/suggest.ts";

export interface ProjectFile {
  readonly gpu?: string;
  readonly simulate?: boolean;
  /** Levels by rule id. */
  readonly rules?: Readonly<Record<string, RuleLevel>>;
  readonly select?: readonly string[];
  readonly ignore?: readonly string[];
  /** `KERNEL: grid=(X,Y,Z) block=(X,Y,Z) shared=BYTES` */
  readonly launches?: readonly string[];
  /** `KERNEL.PARAM=VALUE` */
  readonly assume?: readonly string[];
  readonly argv?: readonly string[];
  /** `NAME` or `NAME=VALUE` */
  readonly defines?: readonly string[];
  /** Relative to the file's folder. */
  readonly includeDirs?: readonly string[];
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");
const isLevel = (value: unknown): value is RuleLevel => value === "off" || severities.some((severity) => severity === value);

const keys: { readonly [Key in keyof Required<ProjectFile>]: { readonly accepts: (value: unknown) => boolean; readonly wanted: string } } =
  {
    gpu: { accepts: (value) => typeof value === "string", wanted: 'a GPU\'s id, such as "h200"' },
    simulate: { accepts: (value) => typeof value === "boolean", wanted: "true or false" },
    rules: {
      accepts: (value) => isRecord(value) && Object.values(value).every(isLevel),
      wanted: `rule ids with ${[...severities, "off"].join(", ")}`,
    },
    select: { accepts: isTexts, wanted: "a list of rules" },
    ignore: { accepts: isTexts, wanted: "a list of rules" },
    launches: { accepts: isTexts, wanted: 'a list of texts such as "kernel: grid=(64) block=(256)"' },
    assume: { accepts: isTexts, wanted: 'a list of texts such as "kernel.n=1024"' },
    argv: { accepts: isTexts, wanted: "a list of texts" },
    defines: { accepts: isTexts, wanted: 'a list of texts such as "NAME=VALUE"' },
    includeDirs: { accepts: isTexts, wanted: "a list of folders" },
  };

/**
 * What a `warplens.json` says (comments are welcome), less what cannot be used.
 * @returns also one sentence for each thing that is wrong, naming where
 */
export function readProjectFile(source: string): { readonly file: ProjectFile; readonly problems: readonly string[] } {
  const text = source.replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  const content: unknown = parse(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [error] = errors;
  if (error) return { file: {}, problems: [`warplens.json is not JSON: ${said(error)} at ${position(text, error.offset)}`] };
  if (!isRecord(content)) return { file: {}, problems: ['warplens.json must hold an object: { "gpu": "h200" }'] };
  const problems: string[] = [];
  const file: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(content)) {
    if (name === "$schema") continue;
    const key = Object.entries(keys).find(([known]) => known === name)?.[1];
    if (!key) {
      const near = suggest(name, Object.keys(keys));
      problems.push(`warplens.json has a key \`${name}\` that means nothing${near === undefined ? "" : `; did you mean \`${near}\`?`}`);
    } else if (!key.accepts(value)) problems.push(`warplens.json: \`${name}\` should be ${key.wanted}`);
    else file[name] = value;
  }
  const read = file as ProjectFile;
  const selectors = [...(read.select ?? []), ...(read.ignore ?? []), ...Object.keys(read.rules ?? {})];
  for (const selector of selectors) {
    const problem = selectorProblem(selector);
    if (problem !== undefined) problems.push(`warplens.json: ${problem}`);
  }
  return { file: read, problems };
}

/** `InvalidSymbol` in words. */
const said = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();

function position(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}
