/** mbarriers and the copy engine. */
import { isConstant } from "../ir/constants.ts";
import type { Op, Span } from "../ir/kernel.ts";
import type { Register } from "./machine.ts";
import type { BlockCode, Choice, Selection } from "./selection.ts";

export function selectAsync(selection: Selection, code: BlockCode, op: Op): Choice {
  const { action } = op;
  switch (action.kind) {
    case "mbarrier":
      return mbarrier(selection, code, op, action.op);
    case "mbarrier.wait":
      return wait(selection, code, op);
    case "copy.bulk":
      return bulk(selection, code, op);
    case "bulk.commit":
      return ["UTMACMDFLUSH"];
    case "bulk.wait":
      // What was stored is seen by other ways only once the L1 has forgotten it.
      return action.read ? ["DEPBAR.LE"] : ["DEPBAR.LE", "CCTL.IVALL"];
    default:
      return [];
  }
}

/** A register that a constant is put into, or that holds the value already. */
function operand(selection: Selection, code: BlockCode, value: Op | undefined, span: Span): readonly Register[] {
  if (!value || !isConstant(value)) return value ? selection.use(value, code.block) : [];
  const register = selection.newRegister("R");
  code.body.push(selection.instruction("IMAD.MOV", span, [register], []));
  return [register];
}

function mbarrier(selection: Selection, code: BlockCode, op: Op, what: string): Choice {
  const { span, args } = op;
  const [address, count, bytes] = args;
  if (!address) return [];
  const emit = (opcode: string, defs: readonly Register[], uses: readonly Register[], of?: Op): void => {
    code.body.push(selection.instruction(opcode, span, defs, uses, of));
  };
  const at = selection.use(address, code.block);
  switch (what) {
    case "init": {
      // The arrivals are packed into the object's two words, then put there at once by one lane after another.
      const words = selection.newRegister("UR", 2);
      const given = count && !isConstant(count) ? selection.use(count, code.block) : [];
      for (const opcode of ["VOTEU", "UIADD3", "USHF", "USHF"]) emit(opcode, [words], given);
      emit("SYNCS.EXCH.64", [], [...at, words], op);
      break;
    }
    case "invalidate":
      emit("SYNCS.CCTL.IV", [], at, op);
      break;
    case "copies":
      emit("ARRIVES.LDGSTSBAR.64", [], at, op);
      break;
    default: {
      const isOne = count !== undefined && isConstant(count) && count.action.kind === "const" && count.action.value === 1;
      const expects = what === "arrive" && bytes !== undefined && !isZero(bytes);
      const given =
        what === "arrive" && isOne && !expects
          ? []
          : operand(selection, code, expects || what !== "arrive" ? (bytes ?? count) : count, span);
      emit(what === "arrive" ? "SYNCS.ARRIVE.TRANS64" : "SYNCS.ARRIVE.TRANS64.RED", resultOf(selection, op), [...at, ...given], op);
    }
  }
  return [];
}

const isZero = (op: Op): boolean => op.action.kind === "const" && Number(op.action.value) === 0;

const resultOf = (selection: Selection, op: Op): readonly Register[] =>
  op.type === "void" || selection.shape.useCount(op) === 0 ? [] : [selection.define(op)];

/** The parity goes into the sign. Who has to wait on asks again elsewhere, in code that is rarely run. */
function wait(selection: Selection, code: BlockCode, op: Op): Choice {
  const [address, phase] = op.args;
  if (!address || !phase) return [];
  const parity = selection.newRegister("R");
  code.body.push(selection.instruction("SHF", op.span, [parity], isConstant(phase) ? [] : selection.use(phase, code.block)));
  const uses = [...selection.use(address, code.block), parity];
  const suspends = op.action.kind === "mbarrier.wait" && op.action.suspends;
  const opcode = suspends ? "SYNCS.PHASECHK.TRANS64.TRYWAIT" : "SYNCS.PHASECHK.TRANS64";
  code.body.push(selection.instruction(opcode, op.span, [selection.define(op)], uses, op));
  return [];
}

/** Its operands are a warp's: into shared memory it is gone through once for each lane that takes part. */
function bulk(selection: Selection, code: BlockCode, op: Op): Choice {
  const { action, args, span } = op;
  if (action.kind !== "copy.bulk") return [];
  const uses = args.flatMap((arg) => (isConstant(arg) ? [] : selection.use(arg, code.block)));
  const emit = (opcode: string, defs: readonly Register[], used: readonly Register[], of?: Op): void => {
    code.body.push(selection.instruction(opcode, span, defs, used, of));
  };
  const into = action.to === "shared";
  const lanes = selection.newRegister("P");
  if (into) emit("PLOP3", [lanes], []);
  const numbers = selection.newRegister("UR");
  // The size, or of each coordinate that is known a register: operands stand side by side.
  for (const number of args.slice(2, 2 + (action.tensor ?? 1)))
    if (action.tensor === undefined || isConstant(number)) emit("UMOV", [numbers], []);
  if (into) emit("ELECT", [lanes], [lanes]);
  const opcode = action.tensor === undefined ? (into ? "UBLKCP.S.G" : "UBLKCP.G.S") : `${into ? "UTMALDG" : "UTMASTG"}.${action.tensor}D`;
  emit(opcode, [], [...uses, numbers], op);
  if (into) {
    for (const each of ["PLOP3", "PLOP3"]) emit(each, [lanes], [lanes]);
    emit("BRA.U.ANY", [], [lanes]);
  }
  return [];
}
