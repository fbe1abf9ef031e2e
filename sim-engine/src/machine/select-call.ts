/**
 * Calls of the device's runtime, as nvcc 13.0 makes them (sm_90): the function's address comes from a table, arguments stand in R4 to R7, and
 * what `printf` prints in the thread's frame, which R6 and R7 point to.
 */
import { isConstant } from "../ir/constants.ts";
import { type Kernel, type Op, scalarBytes } from "../ir/kernel.ts";
import type { Register } from "./machine.ts";
import type { BlockCode, Selection } from "./selection.ts";

/**
 * Registers that hold nothing across a call: R0 to R15, and R20 and R21 for the way back, but for those that every kernel is given
 * (`reservedRegisters`): with nothing kept, and up to six words, nvcc 13.0 takes 24, with eight 26 and with eleven 29.
 */
const calleeWords = 15;

const sizeOf = ({ type }: Op): number => (type === "void" ? 0 : scalarBytes[type]);

/** Where each argument of `printf` begins in the frame, and the bytes that they take: each at a multiple of its size. */
function frameOf(args: readonly Op[]): { readonly offsets: readonly number[]; readonly bytes: number } {
  let bytes = 0;
  const offsets = args.map((arg) => {
    const size = sizeOf(arg);
    const offset = Math.ceil(bytes / size) * size;
    bytes = offset + size;
    return offset;
  });
  return { offsets, bytes: Math.ceil(bytes / 8) * 8 };
}

const isPrinting = ({ action }: Op): boolean => action.kind === "call" && action.callee === "printf";

const callsOf = ({ blocks }: Kernel): Op[] => blocks.flatMap(({ ops }) => ops.filter(({ action }) => action.kind === "call"));

/** Bytes of a thread's frame for what the kernel prints. */
export const printedBytes = (kernel: Kernel): number =>
  Math.max(0, ...callsOf(kernel).map((op) => (isPrinting(op) ? frameOf(op.args).bytes : 0)));

export const hasCalls = (kernel: Kernel): boolean => callsOf(kernel).length > 0;

export function selectCall(selection: Selection, code: BlockCode, op: Op): void {
  const { action, args, span } = op;
  if (action.kind !== "call") return;
  const emit = (opcode: string, defs: readonly Register[], uses: readonly Register[]): void => {
    code.body.push(selection.instruction(opcode, span, defs, uses));
  };
  const [at, callee] = [selection.newRegister("R"), selection.newRegister("R", 2)];
  const given: Register[] = [];
  if (isPrinting(op)) {
    const format = [selection.newRegister("UR", 2), selection.newRegister("R"), selection.newRegister("R")] as const;
    emit("ULDC.64", [format[0]], []);
    emit("MOV", [format[1]], [format[0]]);
    emit("IMAD.U32", [format[2]], [format[0]]);
    given.push(format[1], format[2], ...framePointer(selection, code, op));
    storePrinted(selection, code, op);
  } else {
    for (const arg of args) given.push(...selection.use(arg, code.block));
    // A size is brought there; a pointer that was loaded stands there already.
    if (action.callee === "malloc") {
      const [low, high] = [selection.newRegister("R"), selection.newRegister("R")];
      for (const half of [low, high]) emit("IMAD.MOV", [half], given);
      given.splice(0, given.length, low, high);
    }
  }
  emit("MOV", [at], []);
  emit("LDC.64", [callee], [at]);
  emit("LEPC", [], []);
  code.body.push({ ...selection.instruction("CALL.ABS.NOINC", span, [], [callee, ...given], op), callee: calleeWords });
}

/** The frame's generic address, made once and kept where several calls want it; none where nothing is printed but the text. */
function framePointer(selection: Selection, code: BlockCode, op: Op): readonly Register[] {
  const { span, args } = op;
  const pointer = selection.newRegister("R", 2);
  if (args.length === 0) {
    code.body.push(selection.instruction("CS2R", span, [pointer], []));
    return [pointer];
  }
  const frame = selection.leaf(
    "frame",
    code.block,
    () => {
      const [register, window, high] = [selection.newRegister("R", 2), selection.newRegister("UR"), selection.newRegister("UR")];
      return {
        register,
        made: [
          selection.instruction("ULDC", span, [window], []),
          selection.instruction("ULDC", span, [high], []),
          selection.instruction("IADD3", span, [register], [window]),
          selection.instruction("IMAD.X", span, [register], [register, high]),
        ],
      };
    },
    { once: true },
  );
  if (callsOf(selection.shape.kernel).filter(isPrinting).length === 1) return [frame];
  for (const opcode of ["MOV", "IMAD.MOV"]) code.body.push(selection.instruction(opcode, span, [pointer], [frame]));
  return [pointer];
}

/** Stores what is printed into the frame: neighbours together, as far as they stand at a multiple of what one instruction stores. */
function storePrinted(selection: Selection, code: BlockCode, { args, span }: Op): void {
  const { offsets } = frameOf(args);
  for (let k = 0; k < args.length; ) {
    const from = offsets[k]!;
    const width = [16, 8, 4].find((bytes) => from % bytes === 0 && (bytes === 4 || ends(offsets, args, from + bytes) > k)) ?? 4;
    const end = Math.max(k + 1, ends(offsets, args, from + width));
    const together = args.slice(k, end);
    const uses = together.flatMap((arg) => {
      if (!isConstant(arg)) return selection.use(arg, code.block);
      const register = selection.newRegister("R", sizeOf(arg) === 8 ? 2 : 1);
      for (let word = 0; word < register.words; word++) code.body.push(selection.instruction("IMAD.MOV", span, [register], []));
      return [register];
    });
    code.body.push(selection.instruction(`STL${width === 16 ? ".128" : width === 8 ? ".64" : ""}`, span, [], uses));
    k = end;
  }
}

/** The argument behind the last of those that end at this byte; 0 where one goes on beyond it, or none ends there. */
const ends = (offsets: readonly number[], args: readonly Op[], byte: number): number =>
  args.findIndex((arg, k) => offsets[k]! + sizeOf(arg) === byte) + 1;
