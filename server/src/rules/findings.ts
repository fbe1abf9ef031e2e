/** What the rules that need no simulation find, item by item: kept until the item, or the head of something it mentions, changes. */
import type { Database, Query } from "../analysis/database/database.ts";
import type { FileQueries } from "../analysis/database/queries.ts";
import { mostOverloads } from "../analysis/sema/overload.ts";
import { deepestMeaning } from "../analysis/sema/recursion.ts";
import type { Item } from "../syntax/item.ts";
import { stage } from "../trace.ts";
import analysisLimit from "./analysis-limit.ts";
import { rules } from "./index.ts";
import type { Finding, Rule } from "./rule.ts";
import { SyntaxIndex } from "./support/syntax-index.ts";

export interface RuleFindings {
  readonly rule: Rule;
  readonly findings: readonly Finding[];
  /** It would find other things knowing the launches, which it was not told. */
  readonly asksLaunches: boolean;
  /** It threw, and what it found is not known. */
  readonly failure?: { readonly error: unknown };
}

/** The query of a workspace's files: what rules say of an item, less those that say nothing, which of most items are all of them. */
export function findingsOf(files: FileQueries): Query<Item, readonly RuleFindings[]> {
  const known = queries.get(files);
  if (known) return known;
  const query: Query<Item, readonly RuleFindings[]> = {
    name: "findings",
    compute(db, item) {
      db.get(files.foundation, item);
      const syntax = syntaxOf(db, files, item);
      const { recursion } = db.peek(files.meaning, files.unitOf(item)).semantics.context;
      const before = recursion.ended;
      const said: RuleFindings[] = [];
      for (const rule of rulesOfItems) {
        const found = stage("rules", () => ruleFindings(db, files, item, rule, syntax));
        if (found.findings.length > 0 || found.asksLaunches || found.failure) said.push(found);
      }
      const limit = recursion.ended === before ? undefined : limitOf(item);
      return limit ? [...said, limit] : said;
    },
  };
  queries.set(files, query);
  return query;
}

/** What the rules asked of the item led deeper than answers are looked for. */
function limitOf({ declarations }: Item): RuleFindings | undefined {
  const [span] = declarations;
  const message = `what this means rests on more than ${deepestMeaning} levels of other code, or on a name of more than ${mostOverloads} functions: some of it is not known, and findings that rest on it are missing`;
  return span && { rule: analysisLimit, findings: [{ span, message }], asksLaunches: false };
}

const rulesOfItems = rules.filter(({ simulated, ofFile }) => !simulated && !ofFile);
const queries = new WeakMap<FileQueries, Query<Item, readonly RuleFindings[]>>();

/** What a rule may ask of an item and, where it must, of others. */
function syntaxOf(db: Database, files: FileQueries, item: Item): SyntaxIndex {
  const unit = files.unitOf(item);
  const { reading } = db.peek(files.parsed, unit).file;
  const { semantics } = db.peek(files.meaning, unit);
  return new SyntaxIndex({ items: () => db.get(files.items, unit), reading, semantics }, item);
}

function ruleFindings(db: Database, files: FileQueries, item: Item, rule: Rule, syntax: SyntaxIndex): RuleFindings {
  const unit = files.unitOf(item);
  const { reading } = db.peek(files.parsed, unit).file;
  const { semantics } = db.peek(files.meaning, unit);
  let asksLaunches = false;
  const program = {
    reading,
    semantics,
    get code() {
      return db.get(files.code, unit).options;
    },
    get launches() {
      asksLaunches = true;
      return [];
    },
    hostFaults: [],
    device: undefined,
    problems: [],
  };
  try {
    const findings = [...rule.check({ program, syntax, launches: [] }, {})];
    return { rule, findings, asksLaunches };
  } catch (error) {
    return { rule, findings: [], asksLaunches, failure: { error } };
  }
}
