/** Figures that the user pinned, to see what edits, another GPU or other settings change of them. */
import type { LaunchReport } from "@warplens/sim-engine";
import { comparedOf } from "../compared.ts";
import { formatChange, formatTime, shortGpuName } from "../units.ts";
import { launchKeys } from "./launch-keys.ts";
import type { Pinned } from "./protocol.ts";
import { sourceLines } from "./source-lines.ts";
import { isSimulated, type View, type ViewLaunch } from "./view.ts";

/** The launches of open documents that are pinned. */
export class Pins {
  readonly #byUri = new Map<string, ReadonlyMap<string, Pinned>>();

  /** Pins what is simulated of a document; where something is pinned, nothing is any more. @returns how many launches are pinned now */
  toggle(view: View): number {
    const { uri } = view.document;
    if (this.#byUri.delete(uri)) return 0;
    const pins = new Map<string, Pinned>();
    for (const [launch, key] of launchKeys(view.launches))
      if (isSimulated(launch) && !launch.isStale)
        pins.set(key, comparedOf(launch.report, view.gpu.name, sourceLines(view, Object.keys(launch.report.lines))));
    if (pins.size > 0) this.#byUri.set(uri, pins);
    return pins.size;
  }

  drop(uri: string): void {
    this.#byUri.delete(uri);
  }

  /** The view, with what is pinned beside each of its launches. */
  beside(view: View): View {
    const pins = this.#byUri.get(view.document.uri);
    if (!pins) return view;
    const launches = [...launchKeys(view.launches)].map(([launch, key]): ViewLaunch => {
      const pinned = pins.get(key);
      return pinned ? { ...launch, pinned } : launch;
    });
    return { ...view, launches };
  }
}

/** "−53 % from 304 µs pinned" or "as pinned", with the GPU where it is another one; undefined where either time is not known. */
export function pinText({ time }: LaunchReport, { ns, gpu }: Pinned, now: string): string | undefined {
  if (!time || ns === undefined) return undefined;
  const [change, on] = [formatChange(ns, time.ns), gpu === now ? "" : ` on ${shortGpuName(gpu)}`];
  return change === undefined ? `as pinned${on}` : `${change} from ${formatTime(ns)} pinned${on}`;
}
