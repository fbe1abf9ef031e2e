/**
 * Which memory an address may point into, found by following it back to a parameter, a variable or an allocation:
 * stores to other memory need not be carried out to know what a load gives.
 */
import type { Kernel, Launch, Op } from "../ir/kernel.ts";
import type { Work } from "../work.ts";

/** `any`: not known, so it may be all of them. */
export type MemoryObject = "any" | "param" | `buffer ${number}` | `shared ${string}` | `global ${number}` | `local ${number}`;

export interface Provenance {
  of(address: Op): ReadonlySet<MemoryObject>;
}

const nowhere: ReadonlySet<MemoryObject> = new Set();
const anywhere: ReadonlySet<MemoryObject> = new Set(["any"]);

/** @param launch of which the arguments matter */
export function traceAddresses(kernel: Kernel, launch: Launch, work: Work): Provenance {
  const found = new Map<Op, ReadonlySet<MemoryObject>>();
  const ops = kernel.blocks.flatMap((block) => [...block.phis, ...block.ops]).filter((op) => op.type === "ptr");
  const single = (object: MemoryObject): ReadonlySet<MemoryObject> => new Set([object]);
  const origin = (op: Op): ReadonlySet<MemoryObject> => {
    const { action } = op;
    switch (action.kind) {
      case "param":
        return pointedAt(launch, action.index, 0);
      case "param.address":
        return single("param");
      case "shared.address": {
        const variable = kernel.shared[action.index];
        // Every `extern __shared__` array starts at the same place.
        return single(variable?.bytes === undefined ? "shared dynamic" : `shared ${action.index}`);
      }
      case "global.address":
        return single(`global ${action.index}`);
      case "alloca":
        return single(`local ${op.id}`);
      case "const":
        return nowhere;
      case "gep":
      case "texel":
      case "phi":
      case "select":
      case "shuffle": {
        const args =
          action.kind === "gep" || action.kind === "texel"
            ? op.args.slice(0, 1)
            : action.kind === "shuffle"
              ? op.args.slice(1, 2)
              : op.args;
        const union = new Set<MemoryObject>();
        for (const arg of args) if (arg.type === "ptr") for (const object of found.get(arg) ?? nowhere) union.add(object);
        return union;
      }
      case "load": {
        const place = parameterPlace(op.args[0]);
        return place ? pointedAt(launch, place.index, place.offset) : anywhere;
      }
      default:
        return anywhere;
    }
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const op of ops) {
      work.ask(1);
      const objects = origin(op);
      if (objects.size === found.get(op)?.size) continue;
      found.set(op, objects);
      changed = true;
    }
  }
  return { of: (address) => found.get(address) ?? anywhere };
}

/** What a pointer parameter, or the pointer at an offset of an aggregate, points at: a number, such as null, at nothing. */
function pointedAt(launch: Launch, index: number, offset: number): ReadonlySet<MemoryObject> {
  const argument = launch.arguments[index];
  const value = argument?.kind === "aggregate" ? argument.fields.find((field) => field.offset === offset)?.value : argument;
  if (value?.kind === "pointer") return new Set<MemoryObject>([`buffer ${value.buffer}`]);
  return value?.kind === "scalar" ? nowhere : anywhere;
}

/** What the tensor map at this address describes: its first field points there. */
export function tensorOf(launch: Launch, map: Op): ReadonlySet<MemoryObject> {
  const place = parameterPlace(map);
  return place ? pointedAt(launch, place.index, place.offset) : anywhere;
}

/** The by-value parameter and offset an address names, when they are constant. */
function parameterPlace(address: Op | undefined): { index: number; offset: number } | undefined {
  if (!address) return undefined;
  const { action } = address;
  if (action.kind === "param.address") return { index: action.index, offset: 0 };
  if (action.kind === "convert" && address.args[0]) return parameterPlace(address.args[0]);
  if (action.kind !== "gep") return undefined;
  const base = parameterPlace(address.args[0]);
  const index = address.args[1]?.action;
  return base && index?.kind === "const"
    ? { index: base.index, offset: base.offset + Number(index.value) * action.scale + action.offset }
    : undefined;
}

export const mayOverlap = (a: ReadonlySet<MemoryObject>, b: ReadonlySet<MemoryObject>): boolean =>
  a.has("any") || b.has("any") || [...a].some((object) => b.has(object));
