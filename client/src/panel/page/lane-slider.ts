/** A drawing of a warp whose lanes can be looked at one by one, with the pointer or the arrow keys. */
import { element } from "./dom.ts";
import { exportButton } from "./svg.ts";

export interface LaneDrawing {
  readonly svg: SVGElement;
  readonly title: string;
  /** What is drawn, for those who do not see it. */
  readonly label: string;
  /** What is said while no lane is looked at. */
  readonly whole: string;
  /** What belongs to each lane: shown while it is looked at. */
  readonly marks: readonly (readonly SVGElement[])[];
  readonly wordsOf: (index: number) => string;
  /** @param across 0 at the left edge, 1 at the right */
  readonly indexAt: (across: number) => number;
}

/** @param first index of the lane to look at from the start */
export function laneSlider({ svg, title, label, whole, marks, wordsOf, indexAt }: LaneDrawing, first?: number): HTMLElement {
  const readout = element("p", { class: "readout" }, whole);
  const plot = element("div", {
    id: "warp-lanes",
    class: "chart",
    role: "slider",
    tabindex: 0,
    "aria-label": label,
    "aria-valuemin": 0,
    "aria-valuemax": marks.length - 1,
    "aria-valuenow": 0,
    "aria-valuetext": wordsOf(0),
    keydown: (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[(event as KeyboardEvent).key];
      if (step === undefined) return;
      event.preventDefault();
      look(looked === undefined ? 0 : looked + step);
    },
    pointermove: (event) => {
      const { left, width } = plot.getBoundingClientRect();
      look(indexAt(((event as PointerEvent).clientX - left) / Math.max(1, width)));
    },
    pointerleave: () => look(undefined),
    blur: () => look(undefined),
  });
  let looked: number | undefined;
  const look = (index: number | undefined): void => {
    looked = index === undefined ? undefined : Math.min(Math.max(index, 0), marks.length - 1);
    for (const [each, belonging] of marks.entries()) for (const mark of belonging) mark.classList.toggle("shown", each === looked);
    readout.textContent = looked === undefined ? whole : `${wordsOf(looked)}.`;
    if (looked === undefined) delete plot.dataset.lane;
    else plot.dataset.lane = String(looked);
    plot.setAttribute("aria-valuenow", String(looked ?? 0));
    plot.setAttribute("aria-valuetext", wordsOf(looked ?? 0));
  };
  if (first !== undefined) look(first);
  plot.append(svg);
  return element(
    "figure",
    {},
    element("figcaption", {}, element("span", {}, title), exportButton("warp-export", "Warp view", svg)),
    plot,
    readout,
  );
}
