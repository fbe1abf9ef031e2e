/** How values of a launch could be written into the source: numbers in place of numbers, else a directive. */
import type { Dim3 } from "@warplens/sim-engine";
import type { LaunchFact, Program } from "../analysis/facts.ts";
import { withValue } from "../directive-text.ts";
import type { OffsetEdit } from "../lint/fix-edits.ts";
import { argumentPlace, configurationPlaces, type NumberPlace } from "./places.ts";
import type { Overrides } from "./question.ts";

/** One way: whoever takes it sees first that the launch comes out as it should. */
interface Way {
  readonly edits: readonly OffsetEdit[];
  /** `256 → 128 in line 54`, `// warplens: block=(128) above line 54`. */
  readonly words: string;
  /** Lines that are put in above the launch. */
  readonly linesAbove: number;
}

/** A value that the source is to say: by a number's place where it is a literal, and as a directive. */
interface Said {
  readonly directive: readonly [name: string, value: string];
  readonly numbers: readonly { readonly place: NumberPlace; readonly value: number }[] | undefined;
}

/** The best first: as a programmer would write it. @param wanted the launch as it should be */
export function* ways(fact: LaunchFact, program: Program, wanted: LaunchFact, overrides: Overrides): Generator<Way> {
  const values = valuesOf(fact, program, wanted, overrides);
  const inCode = values.filter(({ numbers }) => numbers);
  const others = values.filter(({ numbers }) => !numbers);
  // What host code works out of the numbers, such as the grid, needs no word: it comes out, or the way is not taken.
  const worked = others.filter(({ directive: [name] }) => name !== "grid");
  if (inCode.length > 0 && worked.length === 0) yield numbers(inCode, program);
  if (inCode.length > 0 && worked.length > 0)
    for (const above of directives(worked, fact, program)) yield together(numbers(inCode, program), above);
  if (worked.length < others.length)
    yield* directives(
      values.filter(({ directive: [name] }) => name !== "grid"),
      fact,
      program,
    );
  yield* directives(values, fact, program);
}

function valuesOf(fact: LaunchFact, program: Program, { launch }: LaunchFact, overrides: Overrides): Said[] {
  if (!launch) return [];
  const sides = (what: "block" | "grid", now: Dim3 | undefined, then: Dim3): Said[] => {
    if (now?.every((side, axis) => side === then[axis])) return [];
    const places = configurationPlaces(fact, program, what);
    const changed = then.flatMap((side, axis) => (side === (now?.[axis] ?? 1) ? [] : [{ place: places[axis], value: side }]));
    return [{ directive: [what, `(${written(then)})`], numbers: literals(changed) }];
  };
  const one = (name: string, now: number | undefined, then: number, place: NumberPlace | undefined): Said[] =>
    now === then ? [] : [{ directive: [name, String(then)], numbers: literals([{ place, value: then }]) }];
  const { shared, registers, parameters = {} } = overrides;
  const argument = (name: string): number | undefined => {
    const given = fact.launch?.arguments[fact.kernel?.declaration.parameters.findIndex((each) => each.name === name) ?? -1];
    return given?.kind === "scalar" && given.assumed !== true ? Number(given.value) : undefined;
  };
  return [
    ...sides("block", fact.launch?.block, launch.block),
    ...sides("grid", fact.launch?.grid, launch.grid),
    ...(shared === undefined
      ? []
      : one("shared", fact.launch?.dynamicSharedBytes, shared, configurationPlaces(fact, program, "shared")[0])),
    ...(registers === undefined ? [] : one("registers", undefined, registers, undefined)),
    ...Object.entries(parameters).flatMap(([name, value]) => one(name, argument(name), value, argumentPlace(fact, program, name))),
  ];
}

/** Undefined where one of them is no literal. */
function literals(all: readonly { readonly place: NumberPlace | undefined; readonly value: number }[]): Said["numbers"] {
  const found = all.flatMap(({ place, value }) => (place?.isLiteral ? [{ place, value }] : []));
  return found.length === all.length ? found : undefined;
}

const written = ([x, y, z]: Dim3): string => [x, y, z].slice(0, z > 1 ? 3 : y > 1 ? 2 : 1).join(", ");

function numbers(said: readonly Said[], { reading }: Program): Way {
  const all = said.flatMap((each) => each.numbers ?? []);
  const line = (offset: number): number => reading.position(0, offset).line + 1;
  return {
    edits: all.map(({ place: { start, end }, value }) => ({ start, end, newText: String(value) })),
    words: all.map(({ place, value }) => `${place.text} to ${value} in line ${line(place.start)}`).join(", "),
    linesAbove: 0,
  };
}

const together = (some: Way, others: Way): Way => ({
  edits: [...some.edits, ...others.edits],
  words: `${some.words}; ${others.words}`,
  linesAbove: some.linesAbove + others.linesAbove,
});

/** Above the launch's line, or in front of it; above the kernel where nothing of this file launches it. */
function* directives(said: readonly Said[], { at, expression, kernel }: LaunchFact, { reading }: Program): Generator<Way> {
  const place = expression ? at : kernel?.at;
  if (place?.file !== 0 || said.length === 0) return;
  const source = reading.sources[0] ?? "";
  const line = reading.position(0, place.start).line + 1;
  const start = place.start - reading.position(0, place.start).character;
  const indent = /^[ \t]*/.exec(source.slice(start))?.[0] ?? "";
  const above = /[^\r\n]*(?=\r?\n$)/.exec(source.slice(0, start));
  const added = said.reduce((text, { directive: [name, value] }) => text && withValue(text, name, value), above?.[0]);
  const words = said.map(({ directive: [name, value] }) => `${name}=${value}`).join(" ");
  if (above && added)
    yield {
      edits: [{ start: above.index, end: above.index + above[0].length, newText: added }],
      words: `${words} in the directive above line ${line}`,
      linesAbove: 0,
    };
  yield {
    edits: [{ start, end: start, newText: `${indent}// warplens: ${words}\n` }],
    words: `the directive ${words} above line ${line}`,
    linesAbove: 1,
  };
  yield {
    edits: [{ start: place.start, end: place.start, newText: `/* warplens: ${words} */ ` }],
    words: `the directive ${words} in line ${line}`,
    linesAbove: 0,
  };
}
