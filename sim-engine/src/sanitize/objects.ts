/** The memory that each access may point into, and where it lies. */
import type { Program } from "../execute/program.ts";
import type { Op } from "../ir/kernel.ts";
import type { TouchedObject } from "../report/violation.ts";

/** An object at its addresses. */
export interface Extent {
  readonly start: number;
  readonly end: number;
  readonly object: TouchedObject;
}

/**
 * What an address points into, where that is known: all objects that it may, each with its size. Undefined where one is not known.
 */
export function extentsOf({ kernel, launch, environment, provenance }: Program, address: Op): readonly Extent[] | undefined {
  const extents: Extent[] = [];
  for (const each of provenance.of(address)) {
    const [kind = "", name = ""] = each.split(" ");
    const index = Number(name);
    const add = (start: number | undefined, bytes: number | undefined, object: Omit<TouchedObject, "bytes">): boolean => {
      if (start === undefined || bytes === undefined) return false;
      extents.push({ start, end: start + bytes, object: { ...object, bytes } });
      return true;
    };
    const known = ((): boolean => {
      switch (kind) {
        case "buffer": {
          const buffer = launch.buffers[index];
          if (buffer?.image) return false;
          return add(environment.bufferStarts[index], buffer?.bytes, { kind: "buffer", name: buffer?.name ?? "" });
        }
        case "shared": {
          const at = name === "dynamic" ? kernel.shared.findIndex(({ bytes }) => bytes === undefined) : index;
          const array = kernel.shared[at];
          return add(environment.sharedAddresses[at], array?.bytes ?? launch.dynamicSharedBytes, {
            kind: "shared",
            name: array?.name ?? "",
          });
        }
        case "global": {
          const variable = kernel.globals[index];
          return add(environment.globalAddresses[index], variable?.bytes, { kind: "variable", name: variable?.name ?? "" });
        }
        case "local": {
          for (const [op, start] of environment.allocas)
            if (op.id === index && op.action.kind === "alloca") return add(start, op.action.bytes, { kind: "local", name: op.action.name });
          return false;
        }
        default:
          return false;
      }
    })();
    if (!known) return undefined;
  }
  return extents.length === 0 ? undefined : extents;
}
