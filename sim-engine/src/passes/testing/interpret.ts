/** For the tests of passes: one thread at a time, plainly, with what it leaves in memory. Not part of the engine. */

import { compareFloat, compareInt, evaluateConversion, evaluateFloat, evaluateInt, evaluateMath, roundTo } from "../../ir/evaluate.ts";
import { type Block, type Kernel, type Op, type ScalarType, scalarBytes } from "../../ir/kernel.ts";

type Value = number | bigint;

export interface Run {
  /** Values by address and type, as last stored or first given. */
  readonly memory: ReadonlyMap<string, Value>;
  readonly loads: number;
  readonly stores: number;
  readonly steps: number;
}

const asNumber = (value: Value | undefined): number => Number(value ?? 0);

/** Runs thread `tid` with the given parameters. Memory not yet written holds a value that depends on its address. */
export function interpret(kernel: Kernel, parameters: readonly Value[], tid = 0, limit = 100_000): Run {
  const values = new Map<Op, Value>();
  const vectors = new Map<Op, readonly Value[]>();
  const memory = new Map<string, Value>();
  let loads = 0;
  let stores = 0;
  let steps = 0;
  let local = 1 << 28;
  const value = (op: Op | undefined): Value => (op && values.get(op)) ?? 0;
  const read = (address: number, type: ScalarType): Value => {
    const key = `${address} ${scalarBytes[type]}`;
    const known = memory.get(key);
    if (known !== undefined) return known;
    const made = type === "i64" ? BigInt(address % 1009) : type.startsWith("f") ? (address % 97) / 8 : address % 61;
    return made;
  };
  let block: Block | undefined = kernel.blocks[0];
  let from: Block | undefined;
  while (block) {
    const at: Block = block;
    const incoming = at.predecessors.indexOf(from as Block);
    const phis = at.phis.map((phi) => value(phi.args[incoming]));
    for (const [index, phi] of at.phis.entries()) values.set(phi, phis[index] as Value);
    for (const op of at.ops) {
      if (++steps > limit) throw new Error("does not end");
      const { action, args } = op;
      const type = op.type as ScalarType;
      const a = value(args[0]);
      const b = value(args[1]);
      switch (action.kind) {
        case "const":
          values.set(op, action.value);
          break;
        case "param":
          values.set(op, parameters[action.index] ?? 0);
          break;
        case "shared.address":
          values.set(op, (action.index + 1) << 26);
          break;
        case "alloca":
          values.set(op, (local += 4096));
          break;
        case "special":
          values.set(op, action.register === "tid.x" ? tid : action.register.startsWith("n") ? 64 : 0);
          break;
        case "int":
          values.set(op, evaluateInt(action.op, type, a, b) ?? 0);
          break;
        case "float":
          values.set(op, evaluateFloat(action.op, type, asNumber(a), asNumber(b)) ?? 0);
          break;
        case "fma":
          values.set(op, roundTo(type, asNumber(a) * asNumber(b) + asNumber(value(args[2]))));
          break;
        case "icmp":
          values.set(op, Number(compareInt(action.predicate, args[0]?.type as ScalarType, a, b)));
          break;
        case "fcmp":
          values.set(op, Number(compareFloat(action.predicate, asNumber(a), asNumber(b))));
          break;
        case "select":
          values.set(op, a ? b : value(args[2]));
          break;
        case "convert":
          values.set(op, evaluateConversion(action.op, args[0]?.type as ScalarType, type, a) ?? a);
          break;
        case "math":
          values.set(
            op,
            evaluateMath(
              action.fn,
              type,
              args.map((arg) => asNumber(value(arg))),
            ) ?? 0,
          );
          break;
        case "gep":
          values.set(op, asNumber(a) + asNumber(b) * action.scale + action.offset);
          break;
        case "load": {
          loads++;
          const each = Array.from({ length: action.components }, (_, index) => read(asNumber(a) + index * scalarBytes[type], type));
          vectors.set(op, each);
          values.set(op, each[0] as Value);
          break;
        }
        case "extract":
          values.set(op, (args[0] && vectors.get(args[0])?.[action.index]) ?? 0);
          break;
        case "store":
          stores++;
          for (const [index, arg] of args.slice(1).entries()) {
            const bytes = scalarBytes[arg.type as ScalarType];
            memory.set(`${asNumber(a) + index * bytes} ${bytes}`, value(arg));
          }
          break;
        default:
          break;
      }
    }
    from = at;
    const { end }: Block = at;
    block = end.kind === "jump" ? end.to : end.kind === "branch" ? (value(end.cond) ? end.then : end.else) : undefined;
  }
  for (const key of memory.keys()) if (Number(key.split(" ")[0]) > 1 << 28) memory.delete(key);
  return { memory, loads, stores, steps };
}
