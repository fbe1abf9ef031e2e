/** The memory that each access may point into, and where it lies. */
import type { Program } from "../execute/program.ts";
import type { Kernel, Launch, Op } from "../ir/kernel.ts";
import type { SizedObject, TouchedObject } from "../report/violation.ts";

/** An object at its addresses. */
export interface Extent {
  readonly start: number;
  readonly end: number;
  readonly object: SizedObject;
}

/**
 * What an address points into, where that is known: all objects that it may, each with its size. Undefined where one is not known.
 */
export function extentsOf({ kernel, launch, environment, provenance }: Program, address: Op): readonly Extent[] | undefined {
  const extents: Extent[] = [];
  const objects = provenance.of(address);
  // Made of nothing but numbers: as a pointer, only null is.
  if (objects.size === 0) return [{ start: 0, end: 0, object: { kind: "null", name: parameterOf(kernel, address), bytes: 0 } }];
  for (const each of objects) {
    const [kind = "", name = ""] = each.split(" ");
    const index = Number(name);
    const add = (start: number | undefined, bytes: number | undefined, object: Omit<SizedObject, "bytes">): boolean => {
      if (start === undefined || bytes === undefined) return false;
      extents.push({ start, end: start + bytes, object: { ...object, bytes } });
      return true;
    };
    const known = ((): boolean => {
      switch (kind) {
        case "buffer": {
          const buffer = launch.buffers[index];
          // One of no bytes was sized by what is not known here, such as what a file would have said.
          if (buffer?.image || buffer?.bytes === 0) return false;
          return add(environment.bufferStarts[index], buffer?.bytes, {
            kind: "buffer",
            name: buffer?.name ?? "",
            ...elementOf(kernel, launch, index),
          });
        }
        case "shared": {
          const at = name === "dynamic" ? kernel.shared.findIndex(({ bytes }) => bytes === undefined) : index;
          const array = kernel.shared[at];
          return add(environment.sharedAddresses[at], array?.bytes ?? launch.dynamicSharedBytes, {
            kind: "shared",
            name: array?.name ?? "",
            ...(array ? { elementBytes: array.elementBytes } : {}),
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

/** The parameter that an address is made of; empty where it is none. */
function parameterOf({ parameters }: Program["kernel"], address: Op): string {
  let at: Op | undefined = address;
  while (at?.action.kind === "gep") at = at.args[0];
  return at?.action.kind === "param" ? (parameters[at.action.index]?.name ?? "") : "";
}

/** The size of what the parameters that lead to a buffer point to, where all say the same. */
function elementOf({ parameters }: Kernel, launch: Launch, buffer: number): { readonly elementBytes?: number } {
  const sizes = new Set(
    launch.arguments.flatMap((argument, index) =>
      argument.kind === "pointer" && argument.buffer === buffer ? [parameters[index]?.pointee?.bytes ?? 0] : [],
    ),
  );
  const [elementBytes = 0] = sizes;
  return sizes.size === 1 && elementBytes > 0 ? { elementBytes } : {};
}

/** The buffer that an address is in, of those that a pointer may point into, whose sizes may be unknown; and where it begins. */
export function bufferAt(
  { kernel, launch, environment, provenance }: Program,
  pointer: Op,
  address: number,
): { readonly start: number; readonly object: TouchedObject } | undefined {
  let found: { readonly start: number; readonly object: TouchedObject } | undefined;
  for (const each of provenance.of(pointer)) {
    const [kind, name] = each.split(" ");
    const start = kind === "buffer" ? environment.bufferStarts[Number(name)] : undefined;
    const buffer = launch.buffers[Number(name)];
    if (start === undefined || buffer === undefined) return undefined;
    if (start > address || (found && found.start > start)) continue;
    found = { start, object: { kind: "buffer", name: buffer.name, bytes: buffer.bytes, ...elementOf(kernel, launch, Number(name)) } };
  }
  return found;
}

/** The shared array that an address is in. */
export function sharedAt({ kernel, launch, environment }: Program, address: number): Extent | undefined {
  for (const [index, { name, elementBytes, bytes = launch.dynamicSharedBytes }] of kernel.shared.entries()) {
    const start = environment.sharedAddresses[index];
    if (start !== undefined && address >= start && address < start + bytes)
      return { start, end: start + bytes, object: { kind: "shared", name, bytes, elementBytes } };
  }
  return undefined;
}

/** The object that an address is in, or else is the least beyond. */
export function nearestOf(extents: readonly Extent[], address: number): Extent {
  const distance = ({ start, end }: Extent): number => (address < start ? start - address : address < end ? 0 : address - end + 1);
  return extents.reduce((best, each) => (distance(each) < distance(best) ? each : best));
}
