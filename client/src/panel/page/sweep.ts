/** Questions of one kind about a launch, with the values that are tried, asked one at a time once its header is opened. */
import type { Overrides, PanelModel, WhatIfAnswer } from "@warplens/server/protocol";
import type { Asker, Asking } from "./asker.ts";
import { disclosure, element } from "./dom.ts";
import type { SweepPoint } from "./sweep-points.ts";

export interface Answered {
  readonly point: SweepPoint;
  readonly answer: WhatIfAnswer;
}

/** What is tried in the panel: questions begin from there. */
export interface Tried {
  readonly overrides: Overrides;
  /** In words. */
  readonly words: string;
}

interface Run {
  /** What it is about: the launch that it begins from, and the version of the text. */
  readonly of: PanelModel;
  readonly tried: Tried | undefined;
  /** The GPU that was chosen: its id. */
  readonly gpu: string;
  readonly points: readonly SweepPoint[];
  readonly answers: Answered[];
  asking?: Asking<WhatIfAnswer> | undefined;
  isCancelled: boolean;
}

export interface SweepKind {
  readonly title: string;
  /** What is asked; a sentence where there is nothing to ask. @param own the launch that it begins from @param tried what of that is tried */
  points(own: WhatIfAnswer, model: PanelModel, tried: Overrides): readonly SweepPoint[] | string;
  /** Above the drawing. */
  controls?(own: WhatIfAnswer, model: PanelModel, again: () => void): HTMLElement | undefined;
  draw(answers: readonly Answered[], points: readonly SweepPoint[], model: PanelModel): readonly HTMLElement[];
}

export class Sweep {
  readonly #kind: SweepKind;
  readonly #asker: Asker;
  readonly #tried: () => Tried | undefined;
  readonly #changed: () => void;
  #model: PanelModel | undefined;
  #isOpen = false;
  #own: WhatIfAnswer | undefined;
  #run: Run | undefined;
  /** Why there is nothing to ask. */
  #why: string | undefined;

  constructor(kind: SweepKind, asker: Asker, tried: () => Tried | undefined, changed: () => void) {
    this.#kind = kind;
    this.#asker = asker;
    this.#tried = tried;
    this.#changed = changed;
  }

  /** The model that is shown from now on: of another launch nothing stays. */
  take(model: PanelModel | undefined): void {
    const before = this.#model;
    this.#model = model;
    if (before && model && launchOf(before) === launchOf(model)) return;
    this.#stop();
    this.#isOpen = false;
    this.#own = undefined;
    this.#run = undefined;
  }

  section(): HTMLElement | undefined {
    const model = this.#model;
    if (!model?.report) return undefined;
    return disclosure(
      this.#kind.title,
      this.#isOpen,
      () => this.#toggle(),
      () => this.#body(model),
    );
  }

  #toggle(): void {
    this.#isOpen = !this.#isOpen;
    if (!this.#isOpen) this.#stop();
    else if (!this.#run || this.#isOld || this.#isOfOtherValues || this.#run.isCancelled) void this.#begin();
    this.#changed();
  }

  get #isOld(): boolean {
    const [run, model] = [this.#run, this.#model];
    return run !== undefined && model !== undefined && (run.of.version !== model.version || run.gpu !== model.gpu.id);
  }

  get #isOfOtherValues(): boolean {
    return this.#run !== undefined && JSON.stringify(this.#run.tried?.overrides) !== JSON.stringify(this.#tried()?.overrides);
  }

  #stop(): void {
    this.#run?.asking?.cancel();
    if (this.#run && this.#run.answers.length < this.#run.points.length) this.#run.isCancelled = true;
  }

  async #begin(): Promise<void> {
    const model = this.#model;
    if (!model) return;
    this.#stop();
    const tried = this.#tried();
    const run: Run = { of: model, tried, gpu: model.gpu.id, points: [], answers: [], isCancelled: false };
    this.#run = run;
    this.#why = undefined;
    const own = await this.#ask(run, {});
    if (this.#run !== run) return;
    if (!own) {
      // It gave way to something else before it had begun.
      run.isCancelled = true;
      this.#changed();
      return;
    }
    this.#own = own;
    const { report = model.report, gpu } = own;
    const of: PanelModel = { ...model, gpu, ...(report ? { report } : {}) };
    const points = own.knobs ? this.#kind.points(own, of, tried?.overrides ?? {}) : (own.reason ?? "The launch is not known.");
    if (typeof points === "string") this.#why = points;
    else await this.#goOn({ ...run, of, points });
    this.#changed();
  }

  async #goOn(run: Run): Promise<void> {
    this.#run = run;
    this.#changed();
    for (const point of run.points) {
      const answer = await this.#ask(run, point.overrides);
      if (this.#run !== run || run.isCancelled) return;
      if (!answer) {
        // Another text is there, whose figures are not these.
        run.isCancelled = true;
        return;
      }
      run.answers.push({ point, answer });
      this.#changed();
    }
  }

  async #ask(run: Run, overrides: SweepPoint["overrides"]): Promise<WhatIfAnswer | null> {
    const { uri, version, selected } = run.of;
    const asking = this.#asker.ask({ uri, version, launch: selected, overrides: withTried(run.tried?.overrides, overrides) });
    run.asking = asking;
    const answer = await asking.answer;
    run.asking = undefined;
    return answer;
  }

  #body(model: PanelModel): HTMLElement[] {
    const run = this.#run;
    if (this.#why !== undefined) return [element("p", { class: "quiet", role: "status" }, this.#why)];
    const again = (): void => {
      void this.#begin();
      this.#changed();
    };
    const id = this.#kind.title.toLowerCase().replaceAll(" ", "-");
    const button = (name: string, click: () => void) =>
      element("button", { id: `${id}-${name.toLowerCase()}`, class: "link", click }, name);
    const isOver = !run || run.isCancelled || (run.points.length > 0 && run.answers.length === run.points.length);
    const progress = run && run.points.length > 0 ? `${run.answers.length} of ${run.points.length}` : "Looking at the launch…";
    const parts = [
      run?.tried &&
        element("p", { class: "imagined" }, element("span", {}, "Begins from what is tried: ", element("strong", {}, run.tried.words))),
      this.#own && this.#kind.controls?.(this.#own, model, again),
      ...(run && run.answers.length > 0 ? this.#kind.draw(run.answers, run.points, run.of) : []),
      !isOver &&
        element(
          "p",
          { class: "progress quiet", role: "status" },
          progress,
          button("Cancel", () => {
            this.#stop();
            this.#changed();
          }),
        ),
      isOver &&
        (this.#isOld || this.#isOfOtherValues || run?.isCancelled) &&
        element(
          "p",
          { class: "progress quiet", role: "status" },
          this.#isOld
            ? "From before your last edit."
            : this.#isOfOtherValues
              ? "Of other values than those that are tried now."
              : run && run.points.length > 0
                ? `Stopped at ${progress}.`
                : "Stopped.",
          button("Again", again),
        ),
    ];
    return parts.filter((part): part is HTMLElement => part instanceof HTMLElement);
  }
}

/** A point's values go before those that are tried. */
function withTried(tried: Overrides | undefined, { parameters, ...point }: Overrides): Overrides {
  const all = { ...tried?.parameters, ...parameters };
  return { ...tried, ...point, ...(Object.keys(all).length > 0 ? { parameters: all } : {}) };
}

const launchOf = ({ uri, selected, launches }: PanelModel): string => `${uri} ${selected} ${launches[selected]?.kernel}`;
