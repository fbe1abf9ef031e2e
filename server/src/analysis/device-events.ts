/** What host code has the device do, in the order in which it asks for it. */
import type { Expression } from "../syntax/ast.ts";

/** Where memory lies: that of the host, of the device, managed, or page-locked. */
export type Residence = "host" | "device" | "managed" | "pinned";

/** A stream that the program has made, by a number of its own; absent: the default stream. */
interface OnStream {
  readonly stream?: number;
}

interface Asked {
  readonly at: Expression;
  /** `at` stands in another file than the one that `main` does. */
  readonly isElsewhere?: true;
  /** Whether it happens depends on what is not known. */
  readonly uncertain?: true;
}

export type DeviceEvent = Asked &
  (
    | ({
        readonly kind: "launch";
        readonly kernel: string;
        /** As they are told: `?` where one is not known. */
        readonly templateArguments: readonly string[];
        /** Undefined where a side is not known. */
        readonly grid: readonly (number | undefined)[];
        readonly block: readonly (number | undefined)[];
      } & OnStream)
    | ({
        readonly kind: "copy";
        /** What is copied to and from; undefined where the memory is not known. */
        readonly to: Residence | undefined;
        readonly from: Residence | undefined;
        readonly bytes: number | undefined;
        /** The host goes on while it is under way. */
        readonly async: boolean;
      } & OnStream)
    | ({ readonly kind: "set"; readonly bytes: number | undefined } & OnStream)
    /** The host waits: for a stream, 0 for the default one, for what stood before an event, or for all. */
    | ({
        readonly kind: "wait";
        readonly event?: number;
        /** The host has worked by itself since it last asked for something. */
        readonly afterWork?: true;
      } & OnStream)
    /** An event stands for what its stream has done until then. */
    | ({ readonly kind: "record"; readonly event: number } & OnStream)
    /** A stream waits for what stood before an event. */
    | ({ readonly kind: "join"; readonly event: number } & OnStream)
  );

/** Turns of a loop that do the same. */
export interface RepeatedEvents {
  readonly kind: "repeat";
  /** Undefined where nobody knows how often. */
  readonly times: number | undefined;
  readonly events: readonly DeviceEvents[];
}

export type DeviceEvents = DeviceEvent | RepeatedEvents;

/** Of a run from `main` to its end. */
export interface DeviceProgram {
  readonly events: readonly DeviceEvents[];
  /** Streams that do not wait for the default stream, nor it for them. */
  readonly independent: ReadonlySet<number>;
  /** Why it may not be all, or not in this order. */
  readonly doubts: readonly string[];
}
