/** Which launch of a kernel lens and panel show, where the user has chosen one: else the slowest. */
import { formatBound, formatEstimate } from "../units.ts";
import { shapeText } from "./figures.ts";
import { launchKeys } from "./launch-keys.ts";
import type { LaunchChoice, PanelParams } from "./protocol.ts";
import { holds, isPending, launchesOf, shownLaunch, type View, type ViewKernel, type ViewLaunch } from "./view.ts";

export class ChosenLaunches {
  readonly #byUri = new Map<string, Map<string, string>>();

  /** @param launch of the kernel at the position; without, the slowest of it */
  choose(view: View, position: PanelParams["position"], launch: ViewLaunch | undefined): void {
    const kernel = kernelAt(view, position);
    const name = launch?.kernelName ?? kernel?.name;
    if (name === undefined) return;
    const { uri } = view.document;
    const chosen = this.#byUri.get(uri) ?? new Map<string, string>();
    this.#byUri.set(uri, chosen);
    const key = launch && launchKeys(view.launches).get(launch);
    if (key === undefined) chosen.delete(name);
    else chosen.set(name, key);
  }

  drop(uri: string): void {
    this.#byUri.delete(uri);
  }

  /** The view, with the chosen ones of its launches marked. */
  beside(view: View): View {
    const chosen = this.#byUri.get(view.document.uri);
    if (!chosen || chosen.size === 0) return view;
    const launches = [...launchKeys(view.launches)].map(
      ([launch, key]): ViewLaunch => (chosen.get(launch.kernelName) === key ? { ...launch, isChosen: true } : launch),
    );
    return { ...view, launches };
  }
}

const kernelAt = ({ document, kernels }: View, position: PanelParams["position"]): ViewKernel | undefined => {
  const offset = document.offsetAt(position);
  return kernels.find(({ at }) => holds(at, offset));
};

/** The launches of the kernel at a position. */
export function launchChoices(view: View, position: PanelParams["position"]): LaunchChoice[] {
  const kernel = kernelAt(view, position);
  if (!kernel) return [];
  const shown = shownLaunch(launchesOf(view, kernel));
  return view.launches.flatMap((launch, index): LaunchChoice[] => {
    if (launch.kernel !== kernel) return [];
    const { report, reason, line } = launch;
    const time = report?.time;
    const without = isPending(launch) ? "simulating…" : `not simulated${reason === undefined ? "" : `: ${reason}`}`;
    return [
      {
        index,
        line,
        configuration: report ? shapeText(report) : "",
        figures: time ? `${formatEstimate(time)}, bound by ${formatBound(time.boundBy)}` : report ? "its time is not known" : without,
        isShown: launch === shown,
      },
    ];
  });
}
