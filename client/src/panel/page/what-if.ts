/** Knobs of a launch: what it would do with other values, on another GPU. Nothing of it is in the text until it is applied. */
import { comparedOf } from "@warplens/server/compared";
import type { GpuSummary, KnobName, Knobs, Overrides, PanelModel, WhatIfAnswer } from "@warplens/server/protocol";
import { formatCapacity, shortGpuName } from "@warplens/server/units";
import type { Asked, FromPage } from "../messages.ts";
import type { Asker, Asking } from "./asker.ts";
import { disclosure, element } from "./dom.ts";
import { type StepKind, stepped, typed } from "./steps.ts";
import type { Before } from "./summary.ts";
import type { Tried } from "./sweep.ts";
import { wrongThen } from "./wrong.ts";

/** What of it is kept while the page is hidden. */
export interface WhatIfState {
  readonly isOpen: boolean;
  /** Of which launch the values are. */
  readonly key: string;
  readonly overrides: Overrides;
}

interface Page {
  readonly asker: Asker;
  post(message: FromPage): void;
  /** What is shown has changed. */
  changed(state: WhatIfState): void;
}

const sides = ["x", "y", "z"] as const;

export class WhatIf {
  readonly #page: Page;
  #state: WhatIfState;
  #model: PanelModel | undefined;
  /** The launch as it is. */
  #own: Knobs | undefined;
  /** The last answer, and the values that it is about. */
  #answered: { readonly answer: WhatIfAnswer; readonly overrides: Overrides } | undefined;
  #asking: Asking<WhatIfAnswer> | undefined;
  /** The last question came too early or too late for an answer: it is asked again of the next model. */
  #isUnanswered = false;
  #gpus: readonly GpuSummary[] = [];
  /** Why the values were not written. */
  #why: string | undefined;

  constructor(page: Page, state: WhatIfState = { isOpen: false, key: "", overrides: {} }) {
    this.#page = page;
    this.#state = state;
  }

  /** The model that is shown from now on. */
  take(model: PanelModel | undefined): void {
    const before = this.#model;
    this.#model = model;
    const { overrides, key } = this.#state;
    if (!model?.report || model.isStale) return;
    if (key !== keyOf(model)) {
      this.#own = undefined;
      this.#answered = undefined;
      this.#state = { ...this.#state, key: keyOf(model), overrides: {} };
    } else if (before && before.version === model.version && before.gpu.id === model.gpu.id && this.#own && !this.#isUnanswered) return;
    if (this.#state.isOpen || Object.keys(overrides).length > 0) this.#begin();
  }

  setGpus(gpus: readonly GpuSummary[]): void {
    this.#gpus = gpus;
    this.#changed();
  }

  /** What was tried is in the text, or why it is not. */
  applied(why: string | undefined): void {
    this.#why = why;
    if (why === undefined) this.#set({});
    else this.#changed();
  }

  /** The model as it would be, and what it is compared with; undefined while nothing is tried. */
  get imagined():
    | { readonly model: PanelModel; readonly before: Before; readonly words: string; readonly overrides: Overrides }
    | undefined {
    const { answer, overrides = {} } = this.#answered ?? {};
    const model = this.#model;
    if (!model?.report || !answer?.report || !this.#isChanged || Object.keys(overrides).length === 0) return undefined;
    const { report, sweeps, gpu } = answer;
    const { pinned: _, fault, ...rest } = model;
    const wrong = wrongThen(report, model.report);
    const then = wrong === undefined ? fault : { text: wrong, message: "With these values, not with those that the source gives it." };
    return {
      model: { ...rest, report, sweeps, gpu, hasPins: false, ...(then ? { fault: then } : {}) },
      before: { figures: comparedOf(model.report, model.gpu.name, model.source.lines), same: "unchanged" },
      words: wordsOf(overrides, gpu),
      overrides,
    };
  }

  /** The values that are tried, for what begins from them; undefined while none are. */
  get tried(): Tried | undefined {
    const model = this.#model;
    if (!model || !this.#isChanged) return undefined;
    const { overrides } = this.#state;
    const gpu = this.#gpus.find(({ id }) => id === overrides.gpu) ?? model.gpu;
    return { overrides, words: wordsOf(overrides, gpu) };
  }

  reset(): void {
    this.#why = undefined;
    this.#set({});
  }

  section(): HTMLElement | undefined {
    if (!this.#model?.report) return undefined;
    const { isOpen } = this.#state;
    return disclosure(
      "What if",
      isOpen,
      () => this.#toggle(),
      () => this.#body(),
    );
  }

  get #isChanged(): boolean {
    return Object.keys(this.#state.overrides).length > 0;
  }

  #toggle(): void {
    const isOpen = !this.#state.isOpen;
    this.#state = { ...this.#state, isOpen };
    if (isOpen && !this.#own) this.#begin();
    this.#changed();
  }

  #changed(): void {
    this.#page.changed(this.#state);
  }

  /** What can be turned first, then what is tried. */
  #begin(): void {
    this.#ask({}, (answer) => {
      this.#own = answer.knobs;
      if (this.#isChanged) this.#try();
    });
  }

  #try(): void {
    this.#ask(this.#state.overrides, () => undefined);
  }

  /** The newest question wins. */
  #ask(overrides: Overrides, then: (answer: WhatIfAnswer) => void): void {
    const asked = this.#asked(overrides);
    if (!asked) return;
    this.#asking?.cancel();
    const asking = this.#page.asker.ask(asked);
    this.#asking = asking;
    void asking.answer.then((answer) => {
      if (this.#asking !== asking) return;
      this.#asking = undefined;
      this.#isUnanswered = !answer;
      if (answer) {
        this.#answered = { answer, overrides };
        then(answer);
      }
      this.#changed();
    });
  }

  #asked(overrides: Overrides): Asked | undefined {
    const model = this.#model;
    return model && { uri: model.uri, version: model.version, launch: model.selected, overrides };
  }

  #set(overrides: Overrides): void {
    this.#state = { ...this.#state, overrides };
    this.#try();
    this.#changed();
  }

  /** Another value of one knob; what is as it was is not said. */
  #turn(change: Partial<Record<Exclude<keyof Overrides, "parameters">, unknown>>): void {
    this.#why = undefined;
    const own: Readonly<Record<string, unknown>> = { ...this.#own, gpu: this.#model?.gpu.id, registers: this.#ownRegisters };
    const all = Object.entries({ ...this.#state.overrides, ...change });
    const isOwn = ([name, value]: [string, unknown]): boolean =>
      value === undefined || (name !== "grid" && JSON.stringify(value) === JSON.stringify(own[name]));
    this.#set(Object.fromEntries(all.filter((each) => !isOwn(each))) as Overrides);
  }

  #turnParameter(name: string, value: number): void {
    this.#why = undefined;
    const { parameters: before = {}, ...rest } = this.#state.overrides;
    const own = this.#own?.parameters.find((each) => each.name === name)?.value;
    const parameters = Object.fromEntries(
      Object.entries({ ...before, [name]: value }).filter(([key, each]) => key !== name || each !== own),
    );
    this.#set({ ...rest, ...(Object.keys(parameters).length > 0 ? { parameters } : {}) });
  }

  get #ownRegisters(): number {
    return this.#model?.report?.resources.registersPerThread.value ?? 0;
  }

  #body(): HTMLElement[] {
    const own = this.#own;
    if (!own)
      return [
        element("p", { class: "quiet", role: "status" }, this.#asking ? "Looking at the launch…" : (this.#answered?.answer.reason ?? "")),
      ];
    const { overrides } = this.#state;
    const { reason, of } = this.#answered?.answer ?? {};
    const problem = (knob: KnobName): string | undefined => (JSON.stringify(of) === JSON.stringify(knob) ? reason : undefined);
    const isWhole = reason !== undefined && of === undefined;
    return [
      element("div", { class: "knobs" }, this.#gpuKnob(problem("gpu")), ...this.#knobs(own, overrides, problem)),
      element(
        "p",
        { class: isWhole || this.#why !== undefined ? "refused" : "quiet", role: "status" },
        this.#why !== undefined ? `Not applied: ${this.#why}.` : isWhole ? `Not simulated: ${reason}.` : this.#asking ? "Simulating…" : "",
      ),
      element(
        "div",
        { class: "actions" },
        element(
          "button",
          {
            id: "apply",
            class: "primary",
            title: "Write it into the source, as numbers or a directive; the GPU into the settings",
            disabled: !this.#isChanged || reason !== undefined || this.#asking !== undefined,
            click: () => this.#apply(),
          },
          "Apply",
        ),
        element("button", { id: "reset", class: "secondary", disabled: !this.#isChanged, click: () => this.reset() }, "Reset"),
      ),
    ];
  }

  #apply(): void {
    const asked = this.#asked(this.#state.overrides);
    if (asked) this.#page.post({ type: "apply", asked });
  }

  #knobs(own: Knobs, overrides: Overrides, problem: (knob: KnobName) => string | undefined): (HTMLElement | false)[] {
    const now = this.#answered?.answer.knobs ?? own;
    const { block = own.block, grid = now.grid, shared = own.shared, registers = this.#ownRegisters } = overrides;
    const used = sides.slice(0, own.dimensions);
    const triple = (name: "block" | "grid", values: readonly number[], kind: StepKind): HTMLElement[] =>
      used.map((side, axis) =>
        knob({
          id: `knob-${name}-${side}`,
          label: used.length > 1 ? `${name === "block" ? "Block" : "Grid"} ${side}` : name === "block" ? "Block" : "Grid",
          unit: name === "block" ? "threads" : "blocks",
          value: values[axis] ?? 1,
          own: own[name][axis] ?? 1,
          kind,
          problem: axis === used.length - 1 ? problem(name) : undefined,
          isWrong: problem(name) !== undefined,
          turn: (value) => this.#turn({ [name]: values.map((each, index) => (index === axis ? value : each)) }),
        }),
      );
    return [
      ...triple("block", block, used.length > 1 ? "doubling" : "threads"),
      ...triple("grid", grid, "doubling"),
      element(
        "label",
        { class: "follows" },
        element("input", {
          type: "checkbox",
          id: "grid-follows",
          checked: overrides.grid === undefined,
          change: ({ target }) => this.#turn({ grid: (target as HTMLInputElement).checked ? undefined : now.grid }),
        }),
        "Grid follows: as many threads",
      ),
      ...own.parameters.map(({ name, value, isAssumed, isReal, isSize }) =>
        knob({
          id: `knob-${name}`,
          label: name,
          unit: isAssumed ? "assumed" : "",
          value: overrides.parameters?.[name] ?? value,
          own: value,
          kind: isReal ? "real" : isSize ? "doubling" : "one",
          problem: problem({ parameter: name }),
          isName: true,
          turn: (other) => this.#turnParameter(name, other),
        }),
      ),
      knob({
        id: "knob-registers",
        label: "Registers",
        unit: "a thread",
        value: registers,
        own: this.#ownRegisters,
        kind: "registers",
        problem: problem("registers"),
        turn: (value) => this.#turn({ registers: value }),
      }),
      knob({
        id: "knob-shared",
        label: "Dynamic shared",
        unit: shared === 0 ? "bytes a block" : formatCapacity(shared),
        value: shared,
        own: own.shared,
        kind: "bytes",
        problem: problem("shared"),
        turn: (value) => this.#turn({ shared: value }),
      }),
    ];
  }

  #gpuKnob(problem: string | undefined): HTMLElement {
    const chosen = this.#state.overrides.gpu ?? this.#model?.gpu.id;
    const all = this.#gpus.length > 0 ? this.#gpus : this.#model ? [this.#model.gpu] : [];
    return element(
      "div",
      { class: "knob" },
      element("label", { for: "knob-gpu" }, "GPU"),
      element(
        "select",
        {
          id: "knob-gpu",
          class: this.#state.overrides.gpu === undefined ? "" : "turned",
          change: ({ target }) => this.#turn({ gpu: (target as HTMLSelectElement).value }),
        },
        ...all.map(({ id, name }) => element("option", { value: id, selected: id === chosen }, shortGpuName(name))),
      ),
      problem !== undefined && element("p", { class: "problem", role: "alert" }, problem),
    );
  }
}

/** `block 128, n 1,048,576 on the T4` */
function wordsOf({ gpu, parameters = {}, ...rest }: Overrides, { name }: GpuSummary): string {
  const values = Object.entries({ ...rest, ...parameters }).map(([knob, value]) => `${knob} ${textOf(value)}`);
  return [...(values.length > 0 ? [values.join(", ")] : []), ...(gpu === undefined ? [] : [`on the ${shortGpuName(name)}`])].join(" ");
}

const keyOf = ({ uri, selected, launches }: PanelModel): string => {
  const { kernel = "", templateArguments = "" } = launches[selected] ?? {};
  return `${uri} ${selected} ${kernel}${templateArguments}`;
};

const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? value
        .slice(0, value[2] > 1 ? 3 : value[1] > 1 ? 2 : 1)
        .map(textOf)
        .join(" × ")
    : shown(Number(value));

/** All digits, as it is to be typed, too. */
const shown = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 20 });

interface Knob {
  readonly id: string;
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  /** As it is without. */
  readonly own: number;
  readonly kind: StepKind;
  /** What the GPU allows. */
  readonly problem: string | undefined;
  /** It takes part in the problem that is told at another knob. */
  readonly isWrong?: boolean;
  /** The label is a name of the source's. */
  readonly isName?: boolean;
  turn(value: number): void;
}

function knob({ id, label, unit, value, own, kind, problem, isWrong = problem !== undefined, isName = false, turn }: Knob): HTMLElement {
  const step = (direction: 1 | -1) =>
    element(
      "button",
      {
        id: `${id}-${direction > 0 ? "more" : "less"}`,
        class: "step",
        "aria-label": `${direction > 0 ? "More" : "Less"}: ${label}`,
        click: () => turn(stepped(kind, value, direction)),
      },
      direction > 0 ? "+" : "\u2212",
    );
  const input = element("input", {
    id,
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    spellcheck: "false",
    value: shown(value),
    class: value === own ? "" : "turned",
    "aria-invalid": isWrong ? "true" : undefined,
    "aria-describedby": problem === undefined ? undefined : `${id}-problem`,
    change: ({ target }) => {
      const other = typed((target as HTMLInputElement).value);
      if (other === undefined) (target as HTMLInputElement).value = shown(value);
      else if (other !== value) turn(other);
    },
    keydown: (event) => {
      const { key } = event as KeyboardEvent;
      if (key !== "ArrowUp" && key !== "ArrowDown") return;
      event.preventDefault();
      turn(stepped(kind, typed((event.target as HTMLInputElement).value) ?? value, key === "ArrowUp" ? 1 : -1));
    },
  });
  return element(
    "div",
    { class: "knob" },
    element(
      "label",
      { for: id },
      isName ? element("code", {}, label) : label,
      unit !== "" && element("span", { class: "quiet" }, ` ${unit}`),
    ),
    element("span", { class: "stepper" }, step(-1), input, step(1)),
    value !== own && element("span", { class: "was" }, `was ${shown(own)}`),
    problem !== undefined && element("p", { class: "problem", id: `${id}-problem`, role: "alert" }, problem),
  );
}
