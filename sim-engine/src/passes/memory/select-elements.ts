/**
 * Small arrays of a thread's own that are indexed by what is not constant become values all the same: ptxas compares the index with
 * each element's and selects, where few accesses are so (validation/compiler/elements.json, of elements of four bytes: of others nothing
 * is known).
 */
import { nvcc } from "../../compilers/compiler.ts";
import { createOp } from "../../ir/builder.ts";
import { intConstant } from "../../ir/constants.ts";
import { type Action, type Block, type Kernel, type Op, type ScalarType, scalarBytes, type ValueType } from "../../ir/kernel.ts";
import type { Work } from "../../work.ts";
import { Constants } from "../edit/constants.ts";
import { Substitution } from "../edit/substitution.ts";
import { findUses, type Uses } from "../facts/uses.ts";

/** An access of the element `index` + `first` of an array. */
interface Indexed {
  readonly op: Op;
  readonly index: Op;
  readonly first: number;
}

interface LocalArray {
  readonly alloca: Op;
  readonly type: ScalarType;
  readonly elements: number;
  readonly accesses: readonly Indexed[];
}

/** Returns whether any access became selections. */
export function selectElements(kernel: Kernel, work: Work): boolean {
  const allocas = (kernel.blocks[0]?.ops ?? []).filter(({ action }) => action.kind === "alloca");
  if (allocas.length === 0) return false;
  const uses = findUses(kernel);
  const arrays = allocas.flatMap((alloca) => {
    work.ask(8);
    const array = arrayOf(alloca, uses);
    return array && isSelected(array) ? [array] : [];
  });
  if (arrays.length === 0) return false;
  const selecting = new Selecting(kernel);
  for (const array of arrays) selecting.select(array, work);
  selecting.finish(work);
  return true;
}

/** By how many accesses read it; writing, of a few accesses, costs nothing. Of more nothing is known. */
function isSelected({ elements, accesses }: LocalArray): boolean {
  const reads = accesses.filter(({ op }) => op.action.kind === "load").length;
  if (accesses.length === 0 || accesses.length > nvcc.selectedElements.length) return false;
  const most = nvcc.selectedElements[Math.max(0, reads - 1)];
  return most !== undefined && elements <= most;
}

/** Undefined where something else is done with its address, or no index is unknown. */
function arrayOf(alloca: Op, uses: Uses): LocalArray | undefined {
  if (alloca.action.kind !== "alloca") return undefined;
  const accesses: Indexed[] = [];
  const types = new Set<ValueType>();
  let fits = true;
  const visit = (address: Op, offset: number, index: Op | undefined, scale: number): void => {
    for (const user of uses.by.get(address) ?? []) {
      const { action, args } = user;
      if (action.kind === "gep" && args[0] === address && args[1]) {
        const constant = intConstant(args[1]);
        if (constant !== undefined) visit(user, offset + constant * action.scale + action.offset, index, scale);
        else if (index === undefined) visit(user, offset + action.offset, args[1], action.scale);
        else fits = false;
      } else if ((action.kind === "load" || (action.kind === "store" && !args.slice(1).includes(address))) && !action.volatile) {
        if (index === undefined) continue;
        const type = action.kind === "load" ? user.type : args[1]?.type;
        if (
          type === undefined ||
          type === "void" ||
          action.components !== 1 ||
          scale !== 4 ||
          scalarBytes[type] !== 4 ||
          offset % scale !== 0
        )
          fits = false;
        else {
          types.add(type);
          accesses.push({ op: user, index, first: offset / scale });
        }
      } else fits = false;
    }
  };
  visit(alloca, 0, undefined, 1);
  const [type] = types;
  if (!fits || types.size !== 1 || type === undefined || type === "void") return undefined;
  return { alloca, type, elements: Math.floor(alloca.action.bytes / scalarBytes[type]), accesses };
}

class Selecting {
  readonly #kernel: Kernel;
  readonly #constants: Constants;
  readonly #homes = new Map<Op, Block>();
  readonly #substitution = new Substitution();
  readonly #gone = new Set<Op>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#constants = new Constants(kernel);
    for (const block of kernel.blocks) for (const op of block.ops) this.#homes.set(op, block);
  }

  select({ alloca, type, elements, accesses }: LocalArray, work: Work): void {
    for (const { op, index, first } of accesses) {
      work.ask(elements);
      const { action } = op;
      if (action.kind !== "load" && action.kind !== "store") continue;
      const made: Op[] = [];
      const emit = (of: Action, result: ValueType, ...args: Op[]): Op => {
        const each = createOp(this.#kernel, of, result, args, op.span);
        made.push(each);
        return each;
      };
      const align = scalarBytes[type];
      const place = (element: number): Op =>
        element === 0 ? alloca : emit({ kind: "gep", scale: 1, offset: element * align }, "ptr", alloca, this.#constants.int("i32", 0));
      const isAt = (element: number): Op =>
        emit({ kind: "icmp", predicate: "eq" }, "i1", index, this.#constants.int(index.type as ScalarType, element - first));
      const load = (element: number): Op => emit({ kind: "load", space: action.space, components: 1, align }, type, place(element));
      if (action.kind === "load") {
        let value = load(0);
        for (let element = 1; element < elements; element++) value = emit({ kind: "select" }, type, isAt(element), load(element), value);
        this.#substitution.replace(op, value);
      } else {
        const stored = op.args[1] as Op;
        for (let element = 0; element < elements; element++) {
          const value = emit({ kind: "select" }, type, isAt(element), stored, load(element));
          emit({ kind: "store", space: action.space, components: 1, align }, "void", place(element), value);
        }
      }
      this.#gone.add(op);
      const block = this.#homes.get(op);
      block?.ops.splice(block.ops.indexOf(op), 0, ...made);
    }
  }

  finish(work: Work): void {
    for (const block of this.#kernel.blocks) block.ops = block.ops.filter((op) => !this.#gone.has(op));
    this.#substitution.apply(this.#kernel, work);
  }
}
