/**
 * The settings under `warplens.`: the one place they are declared. The manifest's part and docs/settings.md are generated from
 * here; the server reads its configuration through `readSettings`.
 */

import { rules } from "../rules/index.ts";
import { type RuleSetting, type RuleSettings, readRuleSetting, ruleLevels } from "../rules/options.ts";

interface Kinds {
  boolean: boolean;
  number: number;
  string: string;
  strings: readonly string[];
  rules: RuleSettings;
}

interface Setting<Kind extends keyof Kinds> {
  readonly kind: Kind;
  readonly default: Kinds[Kind];
  /** Markdown. */
  readonly description: string;
}

const flag = (description: string, initial = true): Setting<"boolean"> => ({ kind: "boolean", default: initial, description });
const list = (description: string): Setting<"strings"> => ({ kind: "strings", default: [], description });

export const settings = {
  gpu: {
    kind: "string",
    default: "auto",
    description:
      "The GPU model to simulate. `auto` takes the first one that fits `-arch` in `compile_commands.json`, and the H200 where nothing says one.",
  } as Setting<"string">,
  simulate: flag("Simulate launches. When off, only the rules that need no simulation run."),
  "codeLens.enabled": flag("Show occupancy, bandwidth and time above each kernel."),
  "heat.enabled": flag(
    "Show in the gutter, by the length of a bar, what share of its kernel's time each line takes, coloured by what it waits for most.",
  ),
  "inlayHints.globalAccesses": flag("Show sectors per request at global memory accesses that need more than the ideal."),
  "inlayHints.sharedAccesses": flag("Show the ways of a bank conflict at shared memory accesses."),
  "inlayHints.loops": flag("Show the trip count of loops in kernels."),
  "inlayHints.sharedArrays": flag("Show the size of shared arrays in bytes."),
  "inlayHints.assumptions": flag(
    "Show at a kernel's parameters the values that are assumed of them. A click with Ctrl or Cmd says what they are, in a comment above the kernel.",
  ),
  rules: {
    kind: "rules",
    default: {},
    description:
      'The level of a rule, by its id, where it should differ from the rule\'s own; `off` silences it. Or an object with `level` and the options of the rule\'s page, which go before those of `warplens.json` one by one: `{ "small-block": { "minGain": 10 } }`.',
  } as Setting<"rules">,
  leastGain: {
    kind: "number",
    default: 5,
    description:
      "Percent of a launch's time below which findings of performance are not told; where the launch rests on values that nobody says, below 25, or 75 where these are seven or more, unless less than 5 is asked for. What comes to less than 0.5 µs is never told, to less than 1.5 µs only where it is 5 % of all that the file launches, each launch counted once.",
  } as Setting<"number">,
  launches: list("Launches that the source does not show: `KERNEL: grid=(X,Y,Z) block=(X,Y,Z) shared=BYTES`. They replace or add."),
  assume: list(
    "Values that the source does not show: `KERNEL.PARAM=VALUE` or `PARAM=VALUE`; for arrays `constant(c)`, `linear(stride)`, `uniform(lo, hi)`, `permutation(n)`.",
  ),
  nvcc: {
    kind: "string",
    default: "off",
    description:
      "Register counts from your own nvcc, compiled in the background: `auto` uses the one on PATH, a path that one, `off` estimates them. Runs in trusted workspaces only.",
  } as Setting<"string">,
  ncu: {
    kind: "string",
    default: "off",
    description:
      "Your own Nsight Compute, to print report files (`.ncu-rep`) that are loaded: `auto` uses the `ncu` on PATH, a path that one, `off` none. Runs in trusted workspaces only.",
  } as Setting<"string">,
  argv: list("The arguments of `main`, to follow host values through `argv`."),
  defines: list("Macros, as `NAME` or `NAME=VALUE`, besides those of `compile_commands.json`."),
  nvccOptions: list(
    "What nvcc is told of code, such as `-use_fast_math` or `-maxrregcount=64`: goes before what `compile_commands.json` or the makefile says. See docs/settings.md.",
  ),
  includeDirs: list("Folders to search for quoted includes, besides those of `compile_commands.json`. Relative to the workspace folder."),
} as const;

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: (typeof settings)[Name]["default"] };

/** Of a list, and characters of a text: more than anyone writes. A workspace may say these settings. */
const mostEntries = 1_000;
const longestText = 10_000;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

const accepts: { [Kind in keyof Kinds]: (value: unknown) => boolean } = {
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number" && value >= 0 && value <= 100,
  string: (value) => typeof value === "string",
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  rules: isRecord,
};
const wanted: { [Kind in keyof Kinds]: string } = {
  boolean: "true or false",
  number: "a number from 0 to 100",
  string: "a text",
  strings: "a list of texts",
  rules: `rule ids with ${ruleLevels.join(", ")}, or with an object`,
};

/** Whether a value is of a size that means something. */
function isSized(value: unknown): boolean {
  const entries: readonly unknown[] = isRecord(value) ? Object.entries(value) : Array.isArray(value) ? value : [value];
  return entries.length <= mostEntries && entries.flat().every((each) => typeof each !== "string" || each.length <= longestText);
}

/**
 * Settings from what the editor answers for the section `warplens`: nested objects, anything may be missing.
 * @returns the settings, defaults where a value is missing or of the wrong kind, and one sentence for each value of the wrong kind
 */
export function readSettings(section: unknown): { settings: Settings; problems: string[] } {
  const problems: string[] = [];
  const read = ([name, setting]: [string, Setting<keyof Kinds>]): [string, unknown] => {
    const value = name.split(".").reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), section);
    if (value === undefined || value === null) return [name, setting.default];
    if (accepts[setting.kind](value) && isSized(value))
      return [name, setting.kind === "rules" ? usable(name, value as object, problems) : value];
    const limits = `up to ${mostEntries} entries, of up to ${longestText} characters`;
    problems.push(`The setting warplens.${name} should be ${isSized(value) ? wanted[setting.kind] : limits}; its default is used.`);
    return [name, setting.default];
  };
  return { settings: Object.fromEntries(Object.entries(settings).map(read)) as Settings, problems };
}

/** The settings of rules that can be used; one sentence for each that cannot. */
function usable(name: string, value: object, problems: string[]): RuleSettings {
  const read: [string, RuleSetting][] = [];
  for (const [id, each] of Object.entries(value)) {
    const { setting, problems: wrong } = readRuleSetting(
      id,
      rules.find((rule) => rule.id === id),
      each,
    );
    if (setting !== undefined) read.push([id, setting]);
    for (const { message } of wrong) problems.push(`The setting warplens.${name}: ${message}; it is not used.`);
  }
  return Object.fromEntries(read);
}
