/** A machine as every replay begins with. */
import type { Interpreter } from "../memory/interpreter.ts";
import { codeOf } from "./expressions.ts";
import { mostElements } from "./lists.ts";
import type { Machine } from "./machine.ts";
import { statementCode } from "./statements.ts";

/** @param left operations that it may take @param more what this replay has besides */
export function begin(host: Interpreter, left: number, more: Partial<Machine> = {}): Machine {
  const machine: Machine = {
    host,
    slots: [],
    cells: new Map(),
    stored: new Set(),
    columns: new Map(),
    records: new Map(),
    scopes: [new Map()],
    result: undefined,
    resultType: undefined,
    resultOrigin: undefined,
    depth: 0,
    effects: 0,
    followed: 0,
    renewed: new Set(),
    assigned: [],
    loads: new Map(),
    storedColumns: new Set(),
    left,
    computed: host.replays.computed,
    mostElements,
    statement: (inner) => statementCode(machine, inner),
    code: (e) => codeOf(machine, e),
    ...more,
  };
  return machine;
}
