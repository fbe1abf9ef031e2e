/** A fault of a kernel that running it showed, with the threads that showed it. */
import type { Dim3, Span } from "../ir/kernel.ts";

/** One thread's part in it. */
export interface Actor {
  readonly block: Dim3;
  readonly thread: Dim3;
  /** Where in the source; `file` indexes the kernel's files. */
  readonly at: Pick<Span, "file" | "line" | "start" | "end">;
  readonly operation: "load" | "store" | "atomic" | "copy" | "barrier" | "arithmetic";
}

/** The memory it is about. */
export interface TouchedObject {
  readonly kind: "buffer" | "shared" | "local" | "variable" | "null";
  /** As the source calls it; empty where it has no name. */
  readonly name: string;
  /** Its size, where it is known; of dynamic shared memory what the launch gives. */
  readonly bytes: number | undefined;
  /** That of one element, as the array or the pointer to it is declared; absent where that is not known, or several ways. */
  readonly elementBytes?: number;
}

export interface SizedObject extends TouchedObject {
  readonly bytes: number;
}

export type Violation = (
  | OutOfBounds
  | Misaligned
  | SharedRace
  | GlobalRace
  | DivergentBarrier
  | UninitialisedRead
  | Overflow
  | DivisionByZero
) & {
  /** Not what the launch does the first time that the host makes it, but in a later turn of a loop. */
  readonly later?: true;
  /** It rests on numbers that were assumed for these parameters. */
  readonly assumed?: readonly string[];
};

interface OfAccess {
  readonly by: Actor;
  readonly object: TouchedObject;
  /** Bytes from the object's start to the access, negative before it, and bytes that the access takes. */
  readonly offset: number;
  readonly width: number;
}

export interface OutOfBounds extends OfAccess {
  readonly object: SizedObject;
  readonly kind: "out-of-bounds";
}

export interface Misaligned extends OfAccess {
  readonly kind: "misaligned";
}

export interface UninitialisedRead extends OfAccess {
  readonly kind: "uninitialised";
}

/** Two threads of a block access the same bytes of shared memory, one of them writes, and nothing orders them. */
export interface SharedRace extends OfAccess {
  readonly kind: "shared-race";
  /** Whose access stands earlier in the source, where both are of one file. */
  readonly other: Actor;
  /** Both are of one warp. */
  readonly sameWarp: boolean;
  /** Which of the times between barriers that their block has come by it was: those of one number lack the same barrier. */
  readonly interval: number;
  /** Of two that store by one place in the source: what each does, where that is known to differ. */
  readonly values?: readonly [number, number];
  /** The other is an asynchronous copy that its thread has not waited for. */
  readonly underWay: boolean;
}

/** Two threads, of two blocks or of one, access the same bytes of global memory, one of them writes, and nothing orders them. */
export interface GlobalRace extends OfAccess {
  readonly kind: "global-race";
  /** Whose access stands earlier in the source, where both are of one file. */
  readonly other: Actor;
  /** Both are of one warp of a block. */
  readonly sameWarp: boolean;
  /** Both hold one lock, and no fence that reaches the other stands behind taking it. */
  readonly unfenced: boolean;
  /** Which of the times between barriers that their block has come by it was: those of one number lack the same barrier. */
  readonly interval: number;
  /** Of two that store by one place in the source: what each does, where that is known to differ. */
  readonly values?: readonly [number, number];
}

export interface DivergentBarrier {
  readonly kind: "divergent-barrier";
  readonly by: Actor;
  /** A thread of the block that does not come to it. */
  readonly missing: Dim3;
  /** Of a barrier of the grid: that thread's block. */
  readonly missingBlock?: Dim3;
  /** Where that thread waits instead, if it waits. */
  readonly instead?: Actor["at"];
  /** It has returned from the kernel. */
  readonly ended: boolean;
}

/** An index of 32 bits that does not hold what it should, and becomes part of an address. */
export interface Overflow {
  readonly kind: "overflow";
  readonly by: Actor;
  /** What exact arithmetic gives there, and the index that comes of it. */
  readonly exact: number;
  readonly value: number;
  readonly signed: boolean;
}

export interface DivisionByZero {
  readonly kind: "division-by-zero";
  readonly by: Actor;
  /** The remainder is asked for. */
  readonly remainder: boolean;
}
