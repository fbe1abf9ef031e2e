/** Which rules run, and how severe their findings are. */
import { rules } from "./index.ts";
import { levelIn, type RuleSettings } from "./options.ts";
import type { Group, Rule, Severity } from "./rule.ts";
import { suggest } from "./suggest.ts";

export interface Selection {
  /** Rules, prefixes of rules, groups, or `ALL`. Empty: all but those that are off by default. */
  readonly select?: readonly string[];
  readonly ignore?: readonly string[];
  /** By rule id: levels, of which `off` silences, and options. */
  readonly rules?: RuleSettings;
}

const groups: readonly Group[] = ["correctness", "memory", "instructions", "warp", "execution", "host", "directives"];

/** How closely a selector names a rule; 0: not at all. Closer beats farther, as ruff does it. */
function closeness(selector: string, rule: Rule): number {
  if (selector === rule.id) return 1000;
  if (selector === "ALL") return 1;
  if (selector === rule.group) return 2;
  return selector !== "" && rule.id.startsWith(selector.endsWith("-") ? selector : `${selector}-`) ? 2 + selector.length : 0;
}

/** The rules a selector stands for. */
export const matching = (selector: string): readonly Rule[] => rules.filter((rule) => closeness(selector, rule) > 0);

/** One sentence when a selector stands for no rule. */
export function selectorProblem(selector: string): string | undefined {
  if (matching(selector).length > 0 || groups.some((group) => group === selector)) return undefined;
  const near = suggest(selector, ["ALL", ...groups, ...rules.map((rule) => rule.id)]);
  return `There is no rule \`${selector}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
}

/** The rules that run, each with the severity of its findings. */
export function selectedRules({ select = [], ignore = [], rules: settings = {} }: Selection): ReadonlyMap<Rule, Severity> {
  const closest = (selectors: readonly string[], rule: Rule): number => Math.max(0, ...selectors.map((each) => closeness(each, rule)));
  const selected = new Map<Rule, Severity>();
  for (const rule of rules) {
    const wanted = select.length === 0 ? 1 : closest(select, rule);
    const asked = select.length > 0 || !rule.offByDefault;
    const level = levelIn(settings[rule.id]) ?? (asked ? rule.severity : "off");
    if (wanted > 0 && wanted > closest(ignore, rule) && level !== "off") selected.set(rule, level);
  }
  return selected;
}
