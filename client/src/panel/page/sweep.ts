/** Questions of one kind about a launch, asked one at a time once its header is opened. */
import type { PanelModel, WhatIfAnswer } from "@warplens/server/protocol";
import type { Asker, Asking } from "./asker.ts";
import { disclosure, element } from "./dom.ts";
import type { SweepPoint } from "./sweep-points.ts";

export interface Answered {
  readonly point: SweepPoint;
  readonly answer: WhatIfAnswer;
}

interface Run {
  /** What it is about: the launch, and the version of the text and the GPU. */
  readonly of: PanelModel;
  readonly points: readonly SweepPoint[];
  readonly answers: Answered[];
  asking?: Asking | undefined;
  isCancelled: boolean;
}

export interface SweepKind {
  readonly title: string;
  /** What is asked; a sentence where there is nothing to ask. @param own the launch as it is */
  points(own: WhatIfAnswer, model: PanelModel): readonly SweepPoint[] | string;
  /** Above the drawing. */
  controls?(own: WhatIfAnswer, model: PanelModel, again: () => void): HTMLElement | undefined;
  draw(answers: readonly Answered[], points: readonly SweepPoint[], model: PanelModel): readonly HTMLElement[];
}

export class Sweep {
  readonly #kind: SweepKind;
  readonly #asker: Asker;
  readonly #changed: () => void;
  #model: PanelModel | undefined;
  #isOpen = false;
  #own: WhatIfAnswer | undefined;
  #run: Run | undefined;
  /** Why there is nothing to ask. */
  #why: string | undefined;

  constructor(kind: SweepKind, asker: Asker, changed: () => void) {
    this.#kind = kind;
    this.#asker = asker;
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
    else if (!this.#run || this.#isOld || this.#run.isCancelled) void this.#begin();
    this.#changed();
  }

  get #isOld(): boolean {
    const [of, model] = [this.#run?.of, this.#model];
    return of !== undefined && model !== undefined && (of.version !== model.version || of.gpu.id !== model.gpu.id);
  }

  #stop(): void {
    this.#run?.asking?.cancel();
    if (this.#run && this.#run.answers.length < this.#run.points.length) this.#run.isCancelled = true;
  }

  async #begin(): Promise<void> {
    const model = this.#model;
    if (!model) return;
    this.#stop();
    const run: Run = { of: model, points: [], answers: [], isCancelled: false };
    this.#run = run;
    this.#why = undefined;
    const own = await this.#ask(run, {});
    if (!own || this.#run !== run) return;
    this.#own = own;
    const points = own.knobs ? this.#kind.points(own, model) : (own.reason ?? "The launch is not known.");
    if (typeof points === "string") this.#why = points;
    else await this.#goOn({ ...run, points });
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
    const asking = this.#asker.ask({ uri, version, launch: selected, overrides });
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
        (this.#isOld || run?.isCancelled) &&
        element(
          "p",
          { class: "progress quiet", role: "status" },
          this.#isOld ? "From before your last edit." : `Stopped at ${progress}.`,
          button("Again", again),
        ),
    ];
    return parts.filter((part): part is HTMLElement => part instanceof HTMLElement);
  }
}

const launchOf = ({ uri, selected, launches }: PanelModel): string => `${uri} ${selected} ${launches[selected]?.kernel}`;
