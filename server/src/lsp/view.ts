/**
 * What the features show of one document: its text as it is now, and the newest simulation carried over to it.
 * Features are functions of a view; they know no server and no connection.
 */
import type { GpuModel } from "@warplens/sim-engine";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { FileDiagnostic, KernelPlace, LaunchPlace, LaunchResult, OffsetRange, SharedArrayFact } from "../worker/messages.ts";
import type { Carry } from "./carry.ts";
import type { Settings } from "./settings.ts";

export type KernelSummary = KernelPlace & { readonly sharedArrays: readonly SharedArrayFact[] };
export type LaunchSummary = LaunchPlace & Partial<LaunchResult>;

/** All that the editor shows of one file's simulation. */
export interface FileSimulation {
  readonly kernels: readonly KernelSummary[];
  readonly launches: readonly LaunchSummary[];
  /** Of every rule, the simulated ones among them. */
  readonly diagnostics: readonly FileDiagnostic[];
}

export interface View {
  readonly document: TextDocument;
  readonly gpu: GpuModel;
  readonly settings: Settings;
  /** Absent until the first simulation is done. Its places are offsets into `document`. */
  readonly simulation?: FileSimulation;
}

/** A launch that was simulated. */
export type SimulatedLaunch = LaunchSummary & { readonly report: NonNullable<LaunchSummary["report"]> };

export const isSimulated = (launch: LaunchSummary): launch is SimulatedLaunch => launch.report !== undefined;

/** The simulated launches of a kernel, in source order. */
export function launchesOf(simulation: FileSimulation, kernel: KernelSummary): SimulatedLaunch[] {
  const index = simulation.kernels.indexOf(kernel);
  return simulation.launches.filter(isSimulated).filter((launch) => launch.kernel === index);
}

/** The launch that takes longest: the one to show where there is room for one. */
export function worstLaunch(launches: readonly SimulatedLaunch[]): SimulatedLaunch | undefined {
  return launches.reduce<SimulatedLaunch | undefined>(
    (worst, launch) => (worst && (worst.report.time?.ns ?? 0) >= (launch.report.time?.ns ?? 0) ? worst : launch),
    undefined,
  );
}

export const holds = (range: OffsetRange, offset: number): boolean => range.start <= offset && offset <= range.end;

/** The file a report's places lie in, seen from the opened document: only that one has a view. */
export const inDocument = <Place extends { readonly file: number }>(place: Place): boolean => place.file === 0;

const carried = <Place extends OffsetRange>(places: readonly Place[], carry: Carry): Place[] =>
  places.flatMap((place) => {
    const moved = carry(place);
    return moved ? [moved] : [];
  });

/** Moves a simulation's places to an edited text; what the edit touched is dropped. Diagnostics and line counters stay those of the old text. */
export function carrySimulation(simulation: FileSimulation, carry: Carry): FileSimulation {
  const moveOwn = <Place extends OffsetRange & { readonly file: number }>(places: readonly Place[]) => [
    ...carried(places.filter(inDocument), carry),
    ...places.filter((place) => !inDocument(place)),
  ];
  const nowhere = { start: -1, end: -1 };
  return {
    ...simulation,
    kernels: simulation.kernels.map(({ launchBounds, ...kernel }) => {
      const bounds = launchBounds && carry(launchBounds);
      const name = carry(kernel.nameAt) ?? nowhere;
      return {
        ...kernel,
        nameAt: name,
        at: carry(kernel.at) ?? name,
        ...(bounds ? { launchBounds: bounds } : {}),
        sharedArrays: carried(kernel.sharedArrays, carry),
      };
    }),
    launches: simulation.launches.map(({ at, ...launch }) => {
      const place = at && carry(at);
      const report = launch.report && {
        ...launch.report,
        accesses: moveOwn(launch.report.accesses),
        branches: moveOwn(launch.report.branches),
        loops: moveOwn(launch.report.loops),
      };
      return { ...launch, ...(report ? { report } : {}), ...(place ? { at: place } : {}) };
    }),
  };
}
