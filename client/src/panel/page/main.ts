/** The panel's page: shows the model that the extension sends, and says what the user does. */
import type { GpuSummary, PanelModel, PanelProgress } from "@warplens/server/protocol";
import { formatAssumption, formatCount } from "@warplens/server/units";
import { type FromPage, readToPage, type ToPage } from "../messages.ts";
import { Asker } from "./asker.ts";
import { disclosure, element, section } from "./dom.ts";
import { acceptReports } from "./drop.ts";
import { linesSection, type Measure, measureFor } from "./lines.ts";
import { type MeasuredActions, measuredBody } from "./measured.ts";
import { memorySection } from "./memory.ts";
import { occupancySection } from "./occupancy.ts";
import { whenReleased } from "./pressed.ts";
import { programBody } from "./program.ts";
import { roofline } from "./roofline.ts";
import { type Before, header, headline, launchChoice, pinNote } from "./summary.ts";
import type { Exported } from "./svg.ts";
import { Sweep } from "./sweep.ts";
import { blockSweep, gpuSweep, sizeSweep } from "./sweeps.ts";
import { timeSection } from "./time.ts";
import { WarpView } from "./warp-view.ts";
import { wavesView } from "./waves-view.ts";
import { WhatIf, type WhatIfState } from "./what-if.ts";
import "./style.css";

type Shown = Extract<ToPage, { readonly type: "model" | "empty" }>;

interface State {
  readonly shown?: Shown;
  /** The user's choice, until then the time where it is known. */
  readonly measure?: Measure;
  readonly scroll?: number;
  readonly whatIf?: WhatIfState;
  /** Titles of the sections that are open. */
  readonly open?: readonly string[];
}

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void; getState(): State | undefined; setState(state: State): void };

const vscode = acquireVsCodeApi();
const root = document.querySelector("main") as HTMLElement;
let state: State = vscode.getState() ?? {};

function change(changed: Partial<State>): void {
  state = { ...state, ...changed };
  vscode.setState(state);
}

const asker = new Asker((message) => vscode.postMessage(message));
const whatIf = new WhatIf(
  {
    asker,
    post: (message) => vscode.postMessage(message),
    changed(whatIfState) {
      change({ whatIf: whatIfState });
      render();
    },
  },
  state.whatIf,
);

const warpView = new WarpView(asker);

/** Pixels that a drawing may take: those within the page's margins. */
function drawingWidth(): number {
  const { paddingLeft, paddingRight } = getComputedStyle(root);
  return Math.max(140, root.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight));
}
let gpus: readonly GpuSummary[] = [];
const sweeps = [blockSweep(drawingWidth), sizeSweep(drawingWidth), gpuSweep(() => gpus)].map(
  (kind) =>
    new Sweep(
      kind,
      asker,
      () => whatIf.tried,
      () => render(),
    ),
);

/** They stay, so that figures dim and brighten without a flash. */
const top = element("div", { class: "top" });
const launch = element("div", { class: "launch" });
const figures = element("div", { class: "figures-shown" });
root.append(top, launch, figures);

/** A model that cannot be shown (kept by an older version of this page, say) is none: the next one is. */
function render(): void {
  try {
    draw();
  } catch (error) {
    change({ shown: { type: "empty", message: `This cannot be shown: ${error instanceof Error ? error.message : String(error)}` } });
    draw();
  }
}

function draw(): void {
  const { shown } = state;
  // Only where the user is in the panel: elsewhere it would take the keys away from whoever types.
  const focused = document.hasFocus() ? document.activeElement?.id : undefined;
  const scroll = root.scrollTop;
  markStale();
  if (shown?.type === "model") {
    const { model, words } = whatIf.imagined ?? { model: shown.model };
    top.replaceChildren(
      header(
        model,
        {
          gpu: () => vscode.postMessage({ type: "selectGpu" }),
          reset: () => whatIf.reset(),
        },
        words,
      ),
    );
    launch.replaceChildren(...launchChoice(model, (index) => vscode.postMessage({ type: "launch", index })));
    figures.replaceChildren(...page(shown.model));
  } else {
    for (const part of [top, launch]) part.replaceChildren();
    figures.replaceChildren(element("p", { class: "quiet", role: "status" }, shown?.message ?? "Loading…"));
  }
  root.scrollTop = scroll;
  if (focused) document.getElementById(focused)?.focus();
}

function markStale(): void {
  const { shown } = state;
  root.dataset.progress = shown?.type === "model" ? shown.model.progress : "";
  root.classList.toggle("stale", shown?.type === "model" && shown.model.isStale);
}

function page(own: PanelModel): HTMLElement[] {
  const { pinned, program } = own;
  const reveal = (line: number): void => vscode.postMessage({ type: "reveal", line });
  // What was measured is of the launch as it is, not of what is tried.
  const measured = whatIf.imagined ? undefined : own.measured;
  const {
    model,
    overrides,
    before = pinned && ({ figures: pinned, same: "as pinned" } satisfies Before),
  } = whatIf.imagined ?? {
    model: own,
    overrides: {},
  };
  const { report, reason } = model;
  if (!report) return [element("p", { class: "lead", role: "status" }, reason ? `Not simulated: ${reason}` : waiting[model.progress])];
  const lines = linesSection(model, measured?.launch?.lines, before?.figures, state.measure ?? measureFor(report), {
    measure: (measure) => {
      change({ measure });
      render();
    },
    reveal,
  });
  return [
    headline(report, before, measured?.launch),
    pinNote(model),
    measured && section("Measured", ...measuredBody(measured, onMeasured)),
    whatIf.section(),
    timeSection(report, before?.figures),
    occupancySection(report, model.sweeps, before?.figures, drawingWidth()),
    memorySection(report, before?.figures),
    lines,
    opened("Blocks on SMs", () => wavesView(report, model.gpu, drawingWidth())),
    opened("Warp view", () => warpView.body(report, model, overrides, drawingWidth())),
    opened("Roofline", () => roofline(report, model.gpu, before?.figures, drawingWidth())),
    ...sweeps.map((sweep) => sweep.section()),
    program && opened("Whole program", () => programBody(program, drawingWidth(), reveal)),
    measured ? undefined : opened("Measured", () => measuredBody(undefined, onMeasured)),
    basis(model),
  ].filter((part) => part !== undefined);
}

const onMeasured: MeasuredActions = {
  load: () => vscode.postMessage({ type: "loadReport" }),
  show: (id) => vscode.postMessage({ type: "showReport", id }),
  remove: (id) => vscode.postMessage({ type: "removeReport", id }),
  outlier: () => vscode.postMessage({ type: "outlier" }),
  gpu: (id) => vscode.postMessage({ type: "gpu", id }),
};

/** A section that is drawn once its header is clicked, and stays open for other launches. */
function opened(title: string, body: () => readonly HTMLElement[]): HTMLElement {
  const { open = [] } = state;
  const isOpen = open.includes(title);
  const toggle = (): void => {
    change({ open: isOpen ? open.filter((each) => each !== title) : [...open, title] });
    render();
  };
  return disclosure(title, isOpen, toggle, body);
}

/** In place of figures that are still to come. */
const waiting: Readonly<Record<PanelProgress, string>> = {
  waiting: "Simulating…",
  running: "Simulating…",
  done: "Not simulated.",
  stopped: "The simulation was stopped. It starts again with the next edit.",
  off: "Simulation is switched off in the settings.",
};

/** What the figures rest on. */
function basis({ report }: PanelModel): HTMLElement | undefined {
  if (!report) return undefined;
  const { simulated, assumptions } = report;
  const blocks = `${formatCount(simulated.blocks)} of ${formatCount(simulated.of)} blocks simulated in ${formatCount(simulated.ms)} ms`;
  return section(
    "Basis",
    element("p", { class: "quiet" }, `${blocks}.`),
    assumptions.length > 0 &&
      element(
        "ul",
        { class: "assumptions" },
        ...assumptions.map(({ what, value, why }) => element("li", {}, element("code", {}, formatAssumption(what, value)), ` ${why}`)),
      ),
  );
}

const receive = whenReleased(window, (message: ToPage) => {
  if (message.type === "imagined" || message.type === "watched") asker.answered(message);
  else if (message.type === "gpus") {
    gpus = message.gpus;
    whatIf.setGpus(message.gpus);
  } else if (message.type === "applied") whatIf.applied(message.why);
  else if (message.type !== "stale") {
    change({ shown: message });
    const model = message.type === "model" ? message.model : undefined;
    for (const each of [whatIf, ...sweeps]) each.take(model);
    render();
  } else if (state.shown?.type === "model") {
    change({ shown: { ...state.shown, model: { ...state.shown.model, isStale: true } } });
    markStale();
  }
});
window.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  const message = readToPage(data);
  if (message) receive(message);
});
root.addEventListener("export", (event) => vscode.postMessage({ type: "export", ...(event as CustomEvent<Exported>).detail }));
acceptReports((message) => vscode.postMessage(message));
window.addEventListener("resize", () => render());
root.addEventListener("scroll", () => change({ scroll: root.scrollTop }), { passive: true });

render();
root.scrollTop = state.scroll ?? 0;
vscode.postMessage({ type: "ready" });
vscode.postMessage({ type: "gpus" });
