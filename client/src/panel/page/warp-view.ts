/** What a warp does at an access or a branch: the warp, its block and its executions are the user's choice. */
import type {
  AccessReport,
  BranchReport,
  LaunchReport,
  Overrides,
  PanelModel,
  WarpPlace,
  WarpQuestion,
  WarpSeen,
} from "@warplens/server/protocol";
import { formatCount, formatPercent, formatRatio } from "@warplens/server/units";
import type { Asker, Asking } from "./asker.ts";
import { branchPicture } from "./branch-picture.ts";
import { element } from "./dom.ts";
import { requestPicture, unitOf } from "./request-picture.ts";
import { warpRequest } from "./warp-lanes.ts";

/** Accesses and branches to choose from: those that need most beyond the ideal, and those that part most often. */
const mostAccesses = 12;
const mostBranches = 8;
const warpSize = 32;

/** Where a warp is looked at. */
type Place = { readonly key: string; readonly line: number; readonly name: string; readonly place: WarpPlace } & (
  | { readonly access: AccessReport }
  | { readonly branch: BranchReport }
);

/** What is shown now. */
interface Shown {
  readonly report: LaunchReport;
  readonly model: PanelModel;
  readonly overrides: Overrides;
  readonly width: number;
}

export class WarpView {
  readonly #asker: Asker;
  /** It stays, so that a slider that is dragged does. */
  readonly #root = element("div", { class: "warp-view" });
  readonly #controls = element("div", { class: "warp-controls" });
  readonly #picture = element("div");
  #shown: Shown | undefined;
  #places: readonly Place[] = [];
  /** The choice, as far as it was made: a place by its key, a block by its index. */
  #chosen: string | undefined;
  #block: number | undefined;
  #warp = 0;
  #execution = 0;
  /** What was asked last: of which text, launch and place, and the warp. */
  #asked: string | undefined;
  #asking: Asking<WarpSeen> | undefined;
  /** What came last of the place, and of which warp: shown until more comes. */
  #answered: { readonly seen: WarpSeen; readonly of: WarpQuestion } | undefined;
  #launch = "";

  constructor(asker: Asker) {
    this.#asker = asker;
  }

  /** @param overrides what is tried of the launch that is shown @param width in pixels of the page */
  body(report: LaunchReport, model: PanelModel, overrides: Overrides, width: number): HTMLElement[] {
    this.#shown = { report, model, overrides, width };
    const launch = `${model.uri} ${model.selected} ${model.launches[model.selected]?.kernel}`;
    if (launch !== this.#launch) this.#forget(launch);
    this.#places = placesOf(report);
    this.#draw();
    return [this.#root];
  }

  /** Nothing of another launch stays. */
  #forget(launch: string): void {
    this.#launch = launch;
    this.#chosen = this.#block = this.#answered = undefined;
    this.#warp = this.#execution = 0;
  }

  #draw(): void {
    const place = this.#place;
    const { model } = this.#shown ?? {};
    if (!place || !model) {
      this.#root.replaceChildren(element("p", { class: "quiet" }, "No branch and no access to global or shared memory was seen."));
      return;
    }
    this.#ask(place);
    const held = this.#laneHeld;
    const code = model.source.lines[place.line];
    this.#root.replaceChildren(
      this.#picker(place),
      ...(code === undefined ? [] : [element("code", { class: "source" }, code)]),
      this.#controls,
      this.#picture,
    );
    this.#drawControls();
    this.#drawPicture(held);
  }

  get #place(): Place | undefined {
    return this.#places.find(({ key }) => key === this.#chosen) ?? this.#places[0];
  }

  get #warps(): number {
    const [x, y, z] = this.#shown?.report.block ?? [1, 1, 1];
    return Math.ceil((x * y * z) / warpSize);
  }

  get #blocks(): number {
    const [x, y, z] = this.#shown?.report.grid ?? [1, 1, 1];
    return x * y * z;
  }

  /** In the middle, where most are alike, until another one is chosen. */
  get #blockShown(): number {
    return Math.min(this.#block ?? Math.floor(this.#blocks / 2), this.#blocks - 1);
  }

  get #warpShown(): number {
    return Math.min(this.#warp, this.#warps - 1);
  }

  /** One question for each choice; the newest wins. Of a text before the last edit nothing is asked. */
  #ask({ place }: Place): void {
    const { model, overrides } = this.#shown ?? {};
    if (!model || !overrides || model.isStale) return;
    const { uri, version, selected, gpu } = model;
    const warp: WarpQuestion = { place, block: this.#blockShown, warp: this.#warpShown };
    const key = JSON.stringify([uri, version, selected, gpu.id, overrides, warp]);
    if (key === this.#asked) return;
    this.#asked = key;
    this.#asking?.cancel();
    if (JSON.stringify(this.#answered?.of.place) !== JSON.stringify(place)) this.#answered = undefined;
    const asking = this.#asker.watch({ uri, version, launch: selected, overrides }, warp);
    this.#asking = asking;
    void asking.answer.then((seen) => {
      if (this.#asking !== asking) return;
      this.#asking = undefined;
      // Whoever gave way may ask again.
      if (!seen) this.#asked = undefined;
      this.#answered = seen ? { seen, of: warp } : undefined;
      this.#drawControls();
      this.#drawPicture();
    });
  }

  #picker(shown: Place): HTMLElement {
    const options = (of: "access" | "branch"): HTMLElement[] =>
      this.#places
        .filter((place) => of in place)
        .map((place) => element("option", { value: place.key, selected: place === shown }, place.name));
    const [accesses, branches] = [options("access"), options("branch")];
    return element(
      "select",
      {
        id: "warp-place",
        "aria-label": "Access or branch",
        change: ({ target }) => {
          this.#chosen = (target as HTMLSelectElement).value;
          this.#execution = 0;
          this.#draw();
          document.getElementById("warp-place")?.focus();
        },
      },
      accesses.length > 0 && element("optgroup", { label: "Accesses" }, ...accesses),
      branches.length > 0 && element("optgroup", { label: "Branches" }, ...branches),
    );
  }

  /** Those for which there is a choice; what is dragged is left as it is. */
  #drawControls(): void {
    const executions = this.#executions.length;
    const sliders = [
      this.#blocks > 1 && this.#blockPicker(),
      this.#warps > 1 &&
        slider("warp-number", `Warp ${this.#warpShown} (of ${this.#warps})`, this.#warpShown, this.#warps, (warp) => {
          this.#warp = warp;
          this.#execution = 0;
          if (this.#place) this.#ask(this.#place);
          this.#drawControls();
          this.#drawPicture();
        }),
      executions > 1 &&
        slider("warp-execution", this.#executionText, this.#executionShown, executions, (execution) => {
          this.#execution = execution;
          this.#drawControls();
          this.#drawPicture();
        }),
    ].filter((each): each is HTMLElement => each instanceof HTMLElement);
    const [before, now] = [[...this.#controls.children], sliders];
    const isAlike = before.length === now.length && before.every((each, index) => each.id === now[index]?.id);
    if (!isAlike) this.#controls.replaceChildren(...now);
    else for (const [index, each] of before.entries()) takeOver(each as HTMLElement, now[index] as HTMLElement);
  }

  #blockPicker(): HTMLElement {
    const last = this.#blocks - 1;
    const middle = Math.floor(this.#blocks / 2);
    const choices = new Map([
      [0, "the first"],
      [middle, "in the middle"],
      [last, "the last"],
    ]);
    const options = [...choices].map(([block, name]) =>
      element("option", { value: block, selected: block === this.#blockShown }, `${block.toLocaleString("en-US")}, ${name}`),
    );
    const select = element(
      "select",
      {
        id: "warp-block",
        change: ({ target }) => {
          this.#block = Number((target as HTMLSelectElement).value);
          this.#execution = 0;
          if (this.#place) this.#ask(this.#place);
          this.#drawControls();
          this.#drawPicture();
        },
      },
      ...options,
    );
    return element("label", { id: "warp-block-control", class: "control" }, element("span", {}, "Block"), select);
  }

  get #executions() {
    const { seen } = this.#answered ?? {};
    return seen && "executions" in seen ? seen.executions : [];
  }

  get #executionShown(): number {
    return Math.min(this.#execution, Math.max(0, this.#executions.length - 1));
  }

  get #executionText(): string {
    const { seen } = this.#answered ?? {};
    if (!seen || "why" in seen) return "";
    const all = seen.isCut ? `at least ${formatCount(seen.count)}` : formatCount(seen.count);
    const told = seen.executions.length < seen.count ? `, the first ${seen.executions.length} are shown` : "";
    return `Execution ${this.#executionShown + 1} (of ${all}${told})`;
  }

  /** The lane that is looked at by keyboard, -1 before the first; undefined where the picture has no focus. */
  get #laneHeld(): number | undefined {
    const picture = document.getElementById("warp-lanes");
    return picture && picture === document.activeElement ? Number(picture.dataset.lane ?? -1) : undefined;
  }

  /** Whoever goes through the lanes while more comes goes on there. */
  #drawPicture(held = this.#laneHeld): void {
    const place = this.#place;
    if (!place || !this.#shown) return;
    this.#picture.replaceChildren(...this.#pictureOf(place, this.#shown.width, held === -1 ? undefined : held));
    if (held !== undefined) document.getElementById("warp-lanes")?.focus();
  }

  #pictureOf(place: Place, width: number, lane: number | undefined): HTMLElement[] {
    const { seen, of } = this.#answered ?? {};
    const execution = this.#executions[this.#executionShown];
    const title = `Block ${of?.block.toLocaleString("en-US")}, warp ${of?.warp}, execution ${this.#executionShown + 1}`;
    const quiet = (text: string): HTMLElement => element("p", { class: "quiet", role: "status" }, text);
    if (execution && "taken" in execution && seen && "executions" in seen)
      return [branchPicture(execution, seen.lines, title, width, lane)];
    if ("access" in place) {
      const { access, name } = place;
      if (execution && "bytes" in execution) {
        const request = warpRequest({ ...access, example: execution.bytes, exampleAt: execution.at }, execution.lanes);
        if (request) return [requestPicture(access, request, title, name, width, lane)];
      }
      if (seen && "executions" in seen) return [quiet(notHere(seen.isCut))];
      const example = warpRequest(access);
      const why = seen && "why" in seen ? [quiet(`No single warp can be looked at: ${seen.why}.`)] : [];
      if (example) return [...why, requestPicture(access, example, "The costliest request that was looked at", name, width, lane)];
      return why;
    }
    return [quiet(!seen ? "Looking at the warp…" : "why" in seen ? `No single warp can be looked at: ${seen.why}.` : notHere(seen.isCut))];
  }
}

const notHere = (isCut: boolean): string =>
  isCut ? "The warp does not come here in what was run of it, which takes too long to be run whole." : "This warp does not come here.";

/** What there is to look at: accesses first. */
function placesOf({ accesses, branches }: LaunchReport): Place[] {
  return [
    ...accesses
      .filter((access) => access.file === 0 && access.requests > 0 && warpRequest(access))
      .sort((a, b) => b.transactions - b.ideal - (a.transactions - a.ideal))
      .slice(0, mostAccesses)
      .map((access): Place => {
        const { file, line, start, end, space, operation, bytesPerLane } = access;
        const place = { kind: "access", file, start, end, space, operation, bytesPerLane } as const;
        return { key: `${line} ${start} ${space} ${operation} ${bytesPerLane}`, line, name: nameOf(access), place, access };
      }),
    ...branches
      .filter(({ file, executions }) => file === 0 && executions > 0)
      .sort((a, b) => b.divergent - a.divergent || a.start - b.start)
      .slice(0, mostBranches)
      .map((branch): Place => {
        const { file, line, start, end, executions, divergent } = branch;
        const name = `line ${line}, branch: ${formatPercent((100 * divergent) / executions)} of ${formatCount(executions)} part`;
        return { key: `${line} ${start} branch`, line, name, place: { kind: "branch", file, start, end }, branch };
      }),
  ];
}

const nameOf = (access: AccessReport): string =>
  `line ${access.line}, ${access.space} ${access.operation}: ${formatRatio(access.transactions / access.requests)} ${unitOf(access)}, ideal ${formatRatio(access.ideal / access.requests)}`;

/** A slider with its words above: from 0 on, by the arrow keys, too. */
function slider(id: string, words: string, value: number, count: number, turn: (value: number) => void): HTMLElement {
  const input = element("input", {
    id,
    type: "range",
    min: 0,
    max: count - 1,
    step: 1,
    value,
    "aria-valuetext": words,
    input: ({ target }) => turn(Number((target as HTMLInputElement).value)),
  });
  return element("label", { id: `${id}-control`, class: "control" }, element("span", {}, words), input);
}

/** A control goes on as another one is: its words, range and value. */
function takeOver(before: HTMLElement, now: HTMLElement): void {
  const [words, newWords] = [before.querySelector("span"), now.querySelector("span")];
  if (words && newWords) words.textContent = newWords.textContent;
  const [input, newInput] = [before.querySelector("input"), now.querySelector("input")];
  if (input && newInput) {
    input.max = newInput.max;
    input.value = newInput.value;
    input.setAttribute("aria-valuetext", newInput.getAttribute("aria-valuetext") ?? "");
  }
  const [select, newSelect] = [before.querySelector("select"), now.querySelector("select")];
  if (select && newSelect) {
    // Options that move from one to the other do not take along which of them is chosen.
    const { value } = newSelect;
    if (select.textContent !== newSelect.textContent) select.replaceChildren(...newSelect.children);
    select.value = value;
  }
}
