/** Checks that a kernel is well formed: what every pass must keep. */
import { successors } from "./builder.ts";
import { type DominatorTree, dominators } from "./graph.ts";
import { type Action, type Block, type Kernel, type Op, scalarBits, type ValueType } from "./kernel.ts";
import { printOp } from "./text.ts";

const isInt = (type: ValueType | undefined): boolean => type !== undefined && /^i\d/.test(type);
const isFloat = (type: ValueType | undefined): boolean => type !== undefined && /^(f|bf)\d/.test(type);

/** What is wrong with the kernel, each problem with the operation it is about; empty when it is well formed. */
export function verifyKernel(kernel: Kernel): string[] {
  const problems: string[] = [];
  const defined = new Map<Op, { readonly block: Block; readonly position: number }>();
  const ids = new Set<number>();
  const known = new Set(kernel.blocks);
  for (const block of kernel.blocks) {
    for (const [position, op] of [...block.phis, ...block.ops].entries()) {
      if (defined.has(op)) problems.push(`%${op.id} stands in two places`);
      if (ids.has(op.id)) problems.push(`two operations have the id ${op.id}`);
      if (op.id >= kernel.nextId) problems.push(`%${op.id} is not below nextId ${kernel.nextId}`);
      ids.add(op.id);
      defined.set(op, { block, position });
    }
  }
  const incoming = new Map<Block, number>();
  for (const block of kernel.blocks) {
    for (const to of successors(block)) {
      incoming.set(to, (incoming.get(to) ?? 0) + 1);
      if (!known.has(to)) problems.push(`b${block.id} goes to b${to.id}, which is not in the kernel`);
      const edges = (list: readonly Block[], each: Block): number => list.filter((one) => one === each).length;
      if (edges(to.predecessors, block) !== edges(successors(block), to))
        problems.push(`b${to.id}: predecessors do not agree with the edges from b${block.id}`);
    }
  }
  for (const block of kernel.blocks) {
    if (block.predecessors.length !== (incoming.get(block) ?? 0))
      problems.push(`b${block.id} has ${incoming.get(block) ?? 0} edges but ${block.predecessors.length} predecessors`);
  }
  if (kernel.blocks[0]?.predecessors.length) problems.push("the entry block has predecessors");
  if (problems.length > 0) return problems;

  const tree = dominators(kernel);
  for (const block of kernel.blocks) {
    for (const phi of block.phis) problems.push(...phiProblems(phi, block, defined, tree));
    for (const [index, op] of block.ops.entries()) {
      const position = block.phis.length + index;
      const found = operandProblem(op);
      if (found) problems.push(`${printOp(op)}: ${found}`);
      if (op.action.kind === "alloca" && block !== kernel.blocks[0]) problems.push(`${printOp(op)}: alloca outside the entry block`);
      for (const arg of op.args) {
        const at = defined.get(arg);
        if (!at) problems.push(`${printOp(op)}: operand %${arg.id} is not in the kernel`);
        else if (at.block === block ? at.position >= position : !tree.dominates(at.block, block))
          problems.push(`${printOp(op)}: operand %${arg.id} does not dominate its use`);
      }
    }
    if (block.end.kind === "branch") {
      const { cond } = block.end;
      const at = defined.get(cond);
      if (cond.type !== "i1") problems.push(`b${block.id}: branch on %${cond.id}, which is ${cond.type}, not i1`);
      if (!at || !tree.dominates(at.block, block)) problems.push(`b${block.id}: branch condition %${cond.id} does not dominate its use`);
    }
  }
  return problems;
}

function phiProblems(phi: Op, block: Block, defined: ReadonlyMap<Op, { readonly block: Block }>, tree: DominatorTree): string[] {
  const problems: string[] = [];
  if (phi.action.kind !== "phi") problems.push(`%${phi.id}: not a phi, but among the phis of b${block.id}`);
  if (phi.args.length !== block.predecessors.length)
    problems.push(`%${phi.id}: phi of ${phi.args.length} operands in b${block.id}, which has ${block.predecessors.length} predecessors`);
  for (const [index, arg] of phi.args.entries()) {
    const at = defined.get(arg);
    const from = block.predecessors[index];
    if (arg.type !== phi.type) problems.push(`%${phi.id}: phi of ${phi.type} takes %${arg.id} of ${arg.type}`);
    if (!at) problems.push(`%${phi.id}: operand %${arg.id} is not in the kernel`);
    else if (from && !tree.dominates(at.block, from))
      problems.push(`%${phi.id}: operand %${arg.id} does not dominate the edge from b${from.id}`);
  }
  return problems;
}

const pointer = (op: Op | undefined): string | undefined => (op?.type === "ptr" ? undefined : "the address is not a ptr");

/** What is wrong with the operands' number and types. */
function operandProblem(op: Op): string | undefined {
  const { action, args, type } = op;
  const [a, b, c] = args;
  const count = (low: number, high = low): string | undefined =>
    args.length >= low && args.length <= high
      ? undefined
      : `has ${args.length} operands, takes ${low === high ? low : `${low} to ${high}`}`;
  const same = (...ops: (Op | undefined)[]): string | undefined =>
    ops.every((each) => each?.type === type) ? undefined : `operands are not all ${type}`;
  switch (action.kind) {
    case "const":
      return (
        count(0) ??
        (type === "void"
          ? "a constant has a type"
          : (typeof action.value === "bigint") === (type === "i64")
            ? undefined
            : "an i64 constant, and no other, is a bigint")
      );
    case "param":
    case "param.address":
    case "shared.address":
    case "global.address":
    case "alloca":
    case "special":
    case "unknown":
      return count(0);
    case "call":
    case "trap":
    case "barrier.arrive":
    case "copy.commit":
    case "copy.wait":
    case "bulk.commit":
    case "bulk.wait":
    case "wgmma.fence":
    case "wgmma.commit":
    case "wgmma.wait":
    case "syncwarp":
    case "fence":
      return type === "void" ? undefined : "has no value";
    case "int":
      return (
        count(2) ??
        (isInt(type) ? undefined : "not an integer type") ??
        (/^(shl|lshr|ashr)$/.test(action.op) ? (b?.type === "i32" ? same(a) : "the shift count is not i32") : same(a, b))
      );
    case "float":
      return count(2) ?? (isFloat(type) ? undefined : "not a floating type") ?? same(a, b);
    case "fma":
      return count(3) ?? (isFloat(type) ? undefined : "not a floating type") ?? same(a, b, c);
    case "icmp":
      return (
        count(2) ??
        (type === "i1" && a?.type === b?.type && (isInt(a?.type) || a?.type === "ptr")
          ? undefined
          : "compares two integers or pointers of one type, giving i1")
      );
    case "fcmp":
      return (
        count(2) ?? (type === "i1" && a?.type === b?.type && isFloat(a?.type) ? undefined : "compares two floats of one type, giving i1")
      );
    case "select":
      return count(3) ?? (a?.type === "i1" ? same(b, c) : "the condition is not i1");
    case "convert":
      return count(1) ?? conversionProblem(action.op, a?.type, type);
    case "math":
      return count(1, 3);
    case "gep":
      return (
        count(2) ??
        (type === "ptr" ? pointer(a) : "its value is not a ptr") ??
        (b?.type === "i32" || b?.type === "i64" ? undefined : "the index is neither i32 nor i64")
      );
    case "matrix":
      return action.op === "transpose" ? count(1) : count(3, 64);
    case "wgmma": {
      const wordsOfA = action.product.aIn === "shared" ? 1 : 4;
      return (
        count(3 + wordsOfA + action.components) ??
        (a?.type === "i32" && b?.type === "i1" ? undefined : "begins with neither a warp nor a condition") ??
        same(...args.slice(3 + wordsOfA))
      );
    }
    case "texel":
      return count(2, 5) ?? (type === "ptr" ? pointer(a) : "its value is not a ptr");
    case "load":
      return count(1) ?? (type === "void" ? "a load has a value" : pointer(a));
    case "store":
      return (
        count(1 + action.components) ??
        pointer(a) ??
        (args.slice(1).every((each) => each.type === b?.type) ? undefined : "stores values of several types")
      );
    case "extract":
      return count(1) ?? extractProblem(a, action.index, type);
    case "atomic":
      return count(action.op === "cas" ? 3 : 2) ?? pointer(a) ?? (action.op === "cas" ? same(b, c) : same(b));
    case "copy.async":
      return count(c ? 3 : 2) ?? pointer(a) ?? pointer(b) ?? (c && c.type !== "i32" ? "its count is not i32" : undefined);
    case "copy.bulk":
      return (
        count(2 + (action.tensor ?? 1) + (action.to === "shared" ? 1 : 0) + (action.multicast ? 1 : 0)) ??
        pointer(a) ??
        pointer(b) ??
        (c?.type === "i32" ? undefined : "a size or coordinate is not i32")
      );
    case "mbarrier":
      return mbarrierProblem(action.op, args, type) ?? pointer(a);
    case "mbarrier.wait":
      return count(2) ?? pointer(a) ?? (type === "i1" ? undefined : "its value is not i1");
    case "barrier":
      return action.reduce ? count(1) : action.named ? (args.length > 2 ? "too many operands" : undefined) : count(0);
    case "shuffle":
      return count(3) ?? same(b) ?? (c?.type === "i32" ? undefined : "the lane is not i32");
    case "vote":
      return count(2) ?? (b?.type === "i1" ? undefined : "the predicate is not i1");
    case "match":
    case "reduce":
      return count(2);
    case "phi":
      return "a phi that is not among the phis";
  }
}

/** Operands of each: the address, then 32-bit counts. */
const mbarrierOperands = { init: 2, arrive: 3, drop: 3, expect: 2, complete: 2, invalidate: 1, copies: 1 } as const;

function mbarrierProblem(op: keyof typeof mbarrierOperands, args: readonly Op[], type: ValueType): string | undefined {
  if (args.length !== mbarrierOperands[op]) return `takes ${mbarrierOperands[op]} operands, not ${args.length}`;
  if (args.slice(1).some((arg) => arg.type !== "i32")) return "a count is not i32";
  const fits = type === "void" || (type === "i64" && (op === "arrive" || op === "drop"));
  return fits ? undefined : "its value is no phase";
}

function extractProblem(vector: Op | undefined, index: number, type: ValueType): string | undefined {
  if (vector?.action.kind !== "load" && vector?.action.kind !== "matrix" && vector?.action.kind !== "wgmma")
    return "takes a component of what is no vector";
  if (index >= vector.action.components) return "no such component";
  return vector.type === type ? undefined : `a component is ${vector.type}`;
}

const width: Readonly<Record<ValueType, number>> = { void: 0, ...scalarBits };

function conversionProblem(op: Extract<Action, { kind: "convert" }>["op"], from: ValueType | undefined, to: ValueType): string | undefined {
  if (from === undefined) return "no operand";
  const fits: Readonly<Record<typeof op, boolean>> = {
    trunc: isInt(from) && isInt(to) && width[from] > width[to],
    sext: isInt(from) && isInt(to) && width[from] < width[to],
    zext: isInt(from) && isInt(to) && width[from] < width[to],
    fptosi: isFloat(from) && isInt(to),
    fptoui: isFloat(from) && isInt(to),
    sitofp: isInt(from) && isFloat(to),
    uitofp: isInt(from) && isFloat(to),
    fpext: isFloat(from) && isFloat(to) && width[from] < width[to],
    fptrunc: isFloat(from) && isFloat(to) && (width[from] > width[to] || from !== to),
    ptrtoint: from === "ptr" && isInt(to),
    inttoptr: isInt(from) && to === "ptr",
    bitcast: width[from] === width[to],
  };
  return fits[op] ? undefined : `no ${op} from ${from} to ${to}`;
}
