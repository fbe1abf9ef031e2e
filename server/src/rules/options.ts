/** What of a rule can be set besides its level: the numbers from which it finds something. */
import type { Rule, RuleOption, Severity } from "./rule.ts";
import { severities } from "./severities.ts";
import { suggest } from "./suggest.ts";
import { gainOptions } from "./worth.ts";

export type RuleLevel = Severity | "off";

/** How a rule is set: by its level alone, or by that and its options, each as it is unless something is said. */
export type RuleSetting = RuleLevel | ({ readonly level?: RuleLevel } & Readonly<Record<string, number | string>>);
export type RuleSettings = Readonly<Record<string, RuleSetting>>;

export const ruleLevels: readonly RuleLevel[] = [...severities, "off"];

const isLevel = (value: unknown): value is RuleLevel => ruleLevels.some((level) => level === value);

/** Those that every finding with a gain has, and the rule's own. */
export const optionsOf = ({ tellsGain, options = {} }: Rule): Readonly<Record<string, RuleOption>> =>
  tellsGain ? { ...gainOptions, ...options } : options;

/** The level, where the setting says one. */
export const levelIn = (setting: RuleSetting | undefined): RuleLevel | undefined => (typeof setting === "object" ? setting.level : setting);

/** The rule's options as they are set; an option that nothing is said of has its default. */
export function optionsIn(rule: Rule, setting: RuleSetting | undefined): Readonly<Record<string, number>> {
  const said: Readonly<Record<string, unknown>> = typeof setting === "object" ? setting : {};
  return Object.fromEntries(
    Object.entries(optionsOf(rule)).map(([name, option]) => [name, (said[name] as number | undefined) ?? option.default]),
  );
}

/** The first settings with what the second say otherwise, option by option. */
export function settingsOver(below: RuleSettings, above: RuleSettings): RuleSettings {
  const parts = (setting: RuleSetting | undefined): object =>
    typeof setting === "object" ? setting : setting === undefined ? {} : { level: setting };
  return Object.fromEntries(
    [...new Set([...Object.keys(below), ...Object.keys(above)])].map((id) => [id, { ...parts(below[id]), ...parts(above[id]) }]),
  );
}

/** What is wrong with how a rule is set. `path`: of the value, or the option's name with `isName`, within the setting. */
export interface SettingProblem {
  readonly path: readonly string[];
  readonly isName?: true;
  readonly message: string;
}

/**
 * The setting of a rule, less what cannot be used, and what is wrong with it.
 * @param rule undefined for an id that no rule has: only its level is looked at
 */
export function readRuleSetting(
  id: string,
  rule: Rule | undefined,
  value: unknown,
): { readonly setting?: RuleSetting; readonly problems: readonly SettingProblem[] } {
  if (isLevel(value)) return { setting: value, problems: [] };
  const levels = ruleLevels.join(", ");
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problems: [{ path: [], message: `\`${id}\` should be ${levels}, or an object with \`level\` and the rule's options` }] };
  const options = rule ? optionsOf(rule) : {};
  const problems: SettingProblem[] = [];
  const setting: Record<string, number | string> = {};
  for (const [name, each] of Object.entries(value)) {
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    const accepted = name === "level" ? isLevel(each) : option !== undefined && isWithin(option, each);
    if (accepted) setting[name] = each as number | string;
    else if (name === "level") problems.push({ path: [name], message: `\`${id}.level\` should be ${levels}` });
    else if (option) problems.push({ path: [name], message: `\`${id}.${name}\` should be ${wantedOf(option)}` });
    else problems.push({ path: [name], isName: true, message: noOption(id, name, Object.keys(options)) });
  }
  return { setting, problems };
}

const isWithin = ({ most }: RuleOption, value: unknown): boolean => typeof value === "number" && value >= 0 && value <= most;

const wantedOf = ({ unit, most }: RuleOption): string => `a number of ${unit}, 0 to ${most.toLocaleString("en-US")}`;

function noOption(id: string, name: string, options: readonly string[]): string {
  const near = suggest(name, ["level", ...options]);
  const has = options.length === 0 ? "it has none" : `it has ${options.map((each) => `\`${each}\``).join(", ")}`;
  return `\`${id}\` has no option \`${name}\`${near === undefined ? `; ${has}` : `; did you mean \`${near}\`?`}`;
}
