/**
 * What a rule is. One rule a file, named after the pattern it finds; its page, its settings and the catalogue are
 * generated from it. Rules see facts, the typed syntax tree and simulated reports; no parser, no editor protocol.
 */
import type { Kernel, LaunchReport, Violation } from "@warplens/sim-engine";
import type { LaunchFact, Program } from "../analysis/facts.ts";
import type { Node } from "../syntax/ast.ts";
import type { Place } from "../syntax/reading.ts";
import type { SyntaxIndex } from "./support/syntax-index.ts";

export type Severity = "error" | "warning" | "information" | "hint";
/** NVIDIA's own words for how much it matters; `correctness` where the result may be wrong. */
export type Priority = "correctness" | "high" | "medium" | "low-medium" | "low";
/** What part of the work a rule is about. Also a selector: `--select memory`. */
export type Group = "correctness" | "memory" | "instructions" | "warp" | "execution" | "host" | "directives";
export type GuideDocument = "best-practices" | "volta" | "turing" | "maxwell";

export interface Guide {
  readonly document: GuideDocument;
  readonly section: string;
}

export interface Edit {
  /** What is replaced: a node's text, or a place in a user's file. */
  readonly span: Node | Place;
  readonly newText: string;
}

export interface Fix {
  /** In the imperative: "Use `int`". */
  readonly title: string;
  /** Whether the program provably computes the same, bit for bit. */
  readonly safe: boolean;
  readonly edits: readonly Edit[];
}

/**
 * How floats are rounded; results that were wrong; or how the source is spelled, alone: host code that no launch depends on, a comment,
 * another name of the same thing.
 */
export type Changes = "rounding" | "faults" | "spelling";

export interface Related {
  readonly at: Node | Place;
  readonly message: string;
}

/** Of performance: nanoseconds of the launch it is about, and those it would take without what was found, as simulated. */
export interface Gain {
  readonly ns: number;
  readonly without: number;
  /** What the program would save, with all launches that have it, as often as it makes them; absent: what the one does. */
  readonly ofProgram?: number;
}

export interface Finding {
  /** A node of the syntax tree, or a place in a user's file. */
  readonly span: Node | Place;
  readonly message: string;
  readonly fix?: Fix | undefined;
  readonly related?: readonly Related[];
  /** The kernel it is about, where the rule knows better than the place tells. */
  readonly kernel?: string;
  /** No more than this, whatever the rule's severity. */
  readonly atMost?: Severity;
  readonly gain?: Gain;
  /** What it rests on that nobody says: "`n` = 1024". */
  readonly assumed?: readonly string[];
  /** Of correctness: the threads and the memory that show it. */
  readonly witness?: Violation;
  /** It is told whatever another rule says there: it has a cause besides. */
  readonly stands?: boolean;
}

/** A launch that was simulated, with what it came from. Spans in the report index `kernel.files`. */
export interface SimulatedLaunch {
  readonly fact: LaunchFact;
  readonly kernel: Kernel;
  readonly report: LaunchReport;
}

/** A launch that the GPU refuses, for a reason that is no matter of the simulation. */
export interface RefusedLaunch {
  readonly fact: LaunchFact;
  readonly reason: string;
}

export interface RuleContext {
  readonly program: Pick<Program, "reading" | "semantics" | "code" | "launches" | "hostFaults" | "device" | "problems">;
  readonly syntax: SyntaxIndex;
  /** Empty until the simulation is done. */
  readonly launches: readonly SimulatedLaunch[];
  readonly refused?: readonly RefusedLaunch[];
}

/** A number that a rule goes by and users may set: see docs/settings.md. */
export interface RuleOption {
  /** In words: percent, µs, threads. */
  readonly unit: string;
  readonly default: number;
  /** The most that means something; the least is 0. */
  readonly most: number;
  /** One sentence: what it is. Markdown. */
  readonly says: string;
}

type RuleOptions = Readonly<Record<string, RuleOption>>;

export interface RuleDefinition<Options extends RuleOptions = RuleOptions> {
  /** The pattern that is linted against, in kebab case. */
  readonly id: string;
  readonly group: Group;
  readonly severity: Severity;
  readonly priority: Priority;
  /** Absent for rules about WarpLens' own comments. */
  readonly guide?: Guide;
  /** Further sections that it is about. */
  readonly alsoIn?: readonly Guide[];
  /** One sentence: what is found. */
  readonly summary: string;
  /** Why it is slow, or wrong. */
  readonly why: string;
  /** What to do instead. */
  readonly remedy: string;
  /** The best this rule's fixes can be. */
  readonly fix: "safe" | "unsafe" | "none";
  /** What else its fixes change, where they are not safe: what their proof is held to. Absent: nothing that a kernel leaves in memory. */
  readonly changes?: Changes;
  /** What else the page says, in Markdown: what is left alone and why, what makes a fix unsafe. */
  readonly notes?: string;
  /** Read by tests: `bad` has findings of this rule only, `good` none. */
  readonly example: { readonly bad: string; readonly good: string };
  /** Is about launches or their simulated reports: finds nothing before a simulation. */
  readonly simulated?: boolean;
  /** Is about the file as a whole, rather than about what stands in one of its declarations. */
  readonly ofFile?: boolean;
  /** Runs only where it is asked for: by a level, or by a selector that stands for it. */
  readonly offByDefault?: true;
  /** Of two findings on the same text, the rule with the higher number stays. */
  readonly specificity?: number;
  /** Rules whose findings, and what they name besides, say what this one's would within the same text. */
  readonly givesWayTo?: readonly string[];
  readonly tag?: "deprecated" | "unnecessary";
  /** Its findings say what they cost, and are told from a gain on that can be set. */
  readonly tellsGain?: true;
  /** What else of it can be set; or another default of what holds for all gains. Of simulated rules, and those of a file, alone. */
  readonly options?: Options;
  /** @param options as they are set, in their units */
  check(context: RuleContext, options: Readonly<Record<keyof Options, number>>): Iterable<Finding>;
}

export interface Rule extends RuleDefinition {
  readonly simulated: boolean;
  readonly specificity: number;
  /** The rule's page. */
  readonly url: string;
}

/** Where the pages live; each is also `docs/rules/<id>.md` in the repository. */
const pages = "https://github.com/warplens/warplens/blob/main/docs/rules";

export function defineRule<const Options extends RuleOptions = Record<never, never>>(definition: RuleDefinition<Options>): Rule {
  return { simulated: false, specificity: 0, ...definition, url: `${pages}/${definition.id}.md` };
}

const titles: Readonly<Record<GuideDocument, { readonly title: string; readonly url: string }>> = {
  "best-practices": { title: "CUDA C++ Best Practices Guide", url: "https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/" },
  volta: { title: "Volta Tuning Guide", url: "https://docs.nvidia.com/cuda/volta-tuning-guide/" },
  turing: { title: "Turing Tuning Guide", url: "https://docs.nvidia.com/cuda/turing-tuning-guide/" },
  maxwell: { title: "Maxwell Tuning Guide", url: "https://docs.nvidia.com/cuda/maxwell-tuning-guide/" },
};

/** The guide's title and address, and the section: `CUDA C++ Best Practices Guide, 11.1.2`. */
export function guideReference(guide: Guide): { readonly text: string; readonly url: string } {
  const { title, url } = titles[guide.document];
  return { text: `${title}, ${guide.section}`, url };
}
