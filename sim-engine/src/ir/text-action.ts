/** Actions as text: a mnemonic with its modifiers, and settings that follow the operands. */
import type {
  Action,
  AtomicOperation,
  CacheHint,
  Conversion,
  FloatBinary,
  FloatPredicate,
  GroupElement,
  GroupProduct,
  IntBinary,
  IntPredicate,
  MathFunction,
  MatrixElement,
  MatrixShape,
  Op,
  ShuffleMode,
  Space,
  SpecialRegister,
  ValueType,
} from "./kernel.ts";

export interface ActionText {
  readonly mnemonic: string;
  readonly settings: readonly string[];
  /** Scalars in the value. */
  readonly components: number;
}

const intBinaries: readonly string[] = [
  "add",
  "sub",
  "mul",
  "mulhi.s",
  "mulhi.u",
  "sdiv",
  "udiv",
  "srem",
  "urem",
  "and",
  "or",
  "xor",
  "shl",
  "lshr",
  "ashr",
  "smin",
  "smax",
  "umin",
  "umax",
] satisfies IntBinary[];
const floatBinaries: readonly string[] = ["fadd", "fsub", "fmul", "fdiv", "frem", "fmin", "fmax"] satisfies FloatBinary[];
const conversions: readonly string[] = [
  "trunc",
  "sext",
  "zext",
  "fptosi",
  "fptoui",
  "sitofp",
  "uitofp",
  "fpext",
  "fptrunc",
  "ptrtoint",
  "inttoptr",
  "bitcast",
] satisfies Conversion[];
const cacheHints: readonly string[] = ["ca", "cg", "cs", "cv", "lu", "nc", "wb", "wt"] satisfies CacheHint[];
const spaces: readonly string[] = ["global", "shared", "local", "constant", "param", "texture", "generic"] satisfies Space[];

const isIntBinary = (text: string): text is IntBinary => intBinaries.includes(text);
const isFloatBinary = (text: string): text is FloatBinary => floatBinaries.includes(text);
const isConversion = (text: string): text is Conversion => conversions.includes(text);
const isCacheHint = (text: string): text is CacheHint => cacheHints.includes(text);
const isSpace = (text: string): text is Space => spaces.includes(text);

/** The text of an action; `void` operations and phis included, but a phi's operands are the printer's. */
export function printAction(action: Action): ActionText {
  const text = (mnemonic: string, ...settings: string[]): ActionText => ({ mnemonic, settings, components: 1 });
  switch (action.kind) {
    case "const":
      return text("const", Object.is(action.value, -0) ? "-0" : String(action.value));
    case "param":
    case "param.address":
    case "shared.address":
    case "global.address":
      return text(action.kind, String(action.index));
    case "alloca":
      return text("alloca", String(action.bytes), `align ${action.align}`, JSON.stringify(action.name));
    case "special":
      return text("special", action.register);
    case "int":
      return text(action.exact ? `${action.op}.exact` : action.op);
    case "float":
      return text(action.precision ? `${action.op}.${action.precision}` : action.op);
    case "icmp":
    case "fcmp":
      return text(`${action.kind}.${action.predicate}`);
    case "convert":
      return text(action.rounding ? `${action.op}.r${action.rounding}` : action.op);
    case "math":
      return text(`math.${action.fn}.${action.precision}`);
    case "gep":
      return text(
        "gep",
        `scale ${action.scale}`,
        ...(action.offset === 0 ? [] : [`offset ${action.offset}`]),
        ...(action.ofLane ? ["lane"] : []),
      );
    case "matrix": {
      const settings = action.ofFragment === undefined ? [] : [`fragment ${action.ofFragment}`];
      if (action.op === "transpose") return text("matrix.transpose", ...settings);
      return { mnemonic: `matrix.multiply.${action.shape}.${action.of}`, settings, components: action.components };
    }
    case "wgmma":
      return { mnemonic: "wgmma", settings: groupProductText(action.product), components: action.components };
    case "wgmma.wait":
      return text("wgmma.wait", String(action.pending));
    case "texel":
      return text(`texel.${action.fetch}.${action.shape}`, `bytes ${action.bytes}`, ...(action.layered ? ["layered"] : []));
    case "load":
    case "store": {
      const settings = [
        `align ${action.align}`,
        ...(action.matrix ? ["matrix"] : []),
        ...(action.uninferred ? ["uninferred"] : []),
        ...(action.kind === "load" && action.ofFragment !== undefined ? [`fragment ${action.ofFragment}`] : []),
        ...(action.volatile ? ["volatile"] : []),
        ...(action.atomic ? [`atomic ${action.atomic}`] : []),
        ...(action.cache ? [action.cache] : []),
      ];
      return { mnemonic: `${action.kind}.${action.space}`, settings, components: action.kind === "load" ? action.components : 1 };
    }
    case "extract":
      return text("extract", String(action.index));
    case "atomic":
      return text(`atomic.${action.space}.${action.scope}.${action.op}`);
    case "copy.async":
      return text("copy.async", String(action.bytes), ...(action.bypassL1 ? ["bypass"] : []));
    case "copy.wait":
      return text("copy.wait", String(action.pending));
    case "mbarrier":
      return text(`mbarrier.${action.op}`, ...(action.op === "copies" && action.counted ? ["counted"] : []));
    case "mbarrier.wait":
      return text(action.suspends ? "mbarrier.wait" : "mbarrier.test");
    case "copy.bulk":
      return text(
        `copy.bulk.${action.to}`,
        ...(action.tensor === undefined ? [] : [`tensor ${action.tensor}`]),
        ...(action.multicast ? ["multicast"] : []),
      );
    case "bulk.wait":
      return text("bulk.wait", String(action.pending), ...(action.read ? ["read"] : []));
    case "barrier":
      return text(
        action.reduce
          ? `barrier.${action.reduce}`
          : action.object
            ? "barrier.object"
            : action.named
              ? action.arrives
                ? "barrier.arrives"
                : "barrier.named"
              : action.grid
                ? "barrier.grid"
                : "barrier",
      );
    case "fence":
      return text(`fence.${action.scope}`);
    case "shuffle":
      return text(`shuffle.${action.mode}.${action.width}`);
    case "vote":
    case "match":
      return text(`${action.kind}.${action.mode}`);
    case "reduce":
      return text(`reduce.${action.op}`);
    case "call":
      return text(`call.${action.callee}`);
    case "unknown":
      return text("unknown", JSON.stringify(action.reason));
    case "syncwarp":
      return action.mask === undefined ? text("syncwarp") : text("syncwarp", String(action.mask));
    case "fma":
    case "select":
    case "barrier.arrive":
    case "copy.commit":
    case "bulk.commit":
    case "wgmma.fence":
    case "wgmma.commit":
    case "phi":
    case "trap":
      return text(action.kind);
  }
}

/** `n128.f16.f16.f32`, then what differs from two plain matrices in shared memory. */
function groupProductText({ columns, a, b, sums, aIn, negated, transposed }: GroupProduct): string[] {
  const flags = {
    "a registers": aIn === "registers",
    "-a": negated.a,
    "-b": negated.b,
    "a turned": transposed.a,
    "b turned": transposed.b,
  };
  return [`n${columns}.${a}.${b}.${sums}`, ...Object.entries(flags).flatMap(([name, set]) => (set ? [name] : []))];
}

function parseGroupProduct([shape = "", ...flags]: readonly string[]): GroupProduct {
  const [columns = "", a, b, sums] = shape.split(".") as [string, GroupElement, GroupElement, GroupProduct["sums"]];
  return {
    columns: Number(columns.slice(1)),
    a,
    b,
    sums,
    aIn: flags.includes("a registers") ? "registers" : "shared",
    negated: { a: flags.includes("-a"), b: flags.includes("-b") },
    transposed: { a: flags.includes("a turned"), b: flags.includes("b turned") },
  };
}

const memoryPattern = /^(load|store)\.(\w+)$/;

/** The action a mnemonic and settings name; undefined if none. `value` is what the line says of its result. */
export function parseAction(
  mnemonic: string,
  settings: readonly string[],
  value: { readonly type: ValueType; readonly components: number; readonly args: readonly Op[] },
): Action | undefined {
  const [first = ""] = settings;
  const setting = (name: string): number => Number(settings.find((each) => each.startsWith(`${name} `))?.slice(name.length + 1) ?? 0);
  const memory = memoryPattern.exec(mnemonic);
  const ofFragment = settings.some((each) => each.startsWith("fragment ")) ? { ofFragment: setting("fragment") } : {};
  if (memory?.[2] && isSpace(memory[2])) {
    const cache = settings.find(isCacheHint);
    const atomic = (["block", "device", "system"] as const).find((scope) => settings.includes(`atomic ${scope}`));
    const options = {
      space: memory[2],
      align: setting("align"),
      ...(settings.includes("volatile") ? { volatile: true } : {}),
      ...(atomic ? { atomic } : {}),
      ...(cache ? { cache } : {}),
    };
    const form = {
      ...(settings.includes("matrix") ? { matrix: true as const } : {}),
      ...(settings.includes("uninferred") ? { uninferred: true as const } : {}),
    };
    if (memory[1] === "load") return { kind: "load", components: value.components, ...options, ...form, ...ofFragment };
    return { kind: "store", components: value.args.length - 1, ...options, ...form };
  }
  const [head = "", ...rest] = mnemonic.split(".");
  const tail = rest.join(".");
  switch (mnemonic) {
    case "const":
      return { kind: "const", value: value.type === "i64" ? BigInt(first) : Number(first) };
    case "param":
    case "param.address":
    case "shared.address":
    case "global.address":
      return { kind: mnemonic, index: Number(first) };
    case "alloca":
      return { kind: "alloca", bytes: Number(first), align: setting("align"), name: JSON.parse(settings[2] ?? '""') as string };
    case "special":
      return { kind: "special", register: first as SpecialRegister };
    case "gep":
      return { kind: "gep", scale: setting("scale"), offset: setting("offset"), ...(settings.includes("lane") ? { ofLane: true } : {}) };
    case "extract":
      return { kind: "extract", index: Number(first) };
    case "copy.async":
      return { kind: "copy.async", bytes: Number(first), bypassL1: settings.includes("bypass") };
    case "copy.wait":
      return { kind: "copy.wait", pending: Number(first) };
    case "mbarrier.wait":
    case "mbarrier.test":
      return { kind: "mbarrier.wait", suspends: mnemonic === "mbarrier.wait" };
    case "bulk.wait":
      return { kind: "bulk.wait", pending: Number(first), read: settings.includes("read") };
    case "copy.bulk.shared":
    case "copy.bulk.global":
      return {
        kind: "copy.bulk",
        to: mnemonic === "copy.bulk.shared" ? "shared" : "global",
        ...(setting("tensor") > 0 ? { tensor: setting("tensor") } : {}),
        ...(settings.includes("multicast") ? { multicast: true as const } : {}),
      };
    case "wgmma":
      return { kind: "wgmma", product: parseGroupProduct(settings), components: value.components };
    case "wgmma.wait":
      return { kind: "wgmma.wait", pending: Number(first) };
    case "barrier":
      return { kind: "barrier" };
    case "barrier.grid":
      return { kind: "barrier", grid: true };
    case "barrier.named":
      return { kind: "barrier", named: true };
    case "barrier.arrives":
      return { kind: "barrier", named: true, arrives: true };
    case "barrier.object":
      return { kind: "barrier", object: true };
    case "syncwarp":
      return first === "" ? { kind: "syncwarp" } : { kind: "syncwarp", mask: Number(first) };
    case "unknown":
      return { kind: "unknown", reason: JSON.parse(first) as string };
    case "fma":
    case "select":
    case "barrier.arrive":
    case "copy.commit":
    case "bulk.commit":
    case "wgmma.fence":
    case "wgmma.commit":
    case "trap":
      return { kind: mnemonic };
  }
  switch (head) {
    case "mbarrier": {
      const op = tail as Extract<Action, { kind: "mbarrier" }>["op"];
      return op === "copies" ? { kind: "mbarrier", op, counted: settings.includes("counted") } : { kind: "mbarrier", op };
    }
    case "matrix": {
      const [op, shape, of] = rest as [string, MatrixShape, MatrixElement];
      if (op === "transpose") return { kind: "matrix", op, components: 1, ...ofFragment };
      return { kind: "matrix", op: "multiply", shape, of, components: value.components, ...ofFragment };
    }
    case "texel": {
      const [fetch, shape] = rest as [(Action & { kind: "texel" })["fetch"], (Action & { kind: "texel" })["shape"]];
      return { kind: "texel", fetch, shape, layered: settings.includes("layered"), bytes: setting("bytes") };
    }
    case "icmp":
      return { kind: "icmp", predicate: tail as IntPredicate };
    case "fcmp":
      return { kind: "fcmp", predicate: tail as FloatPredicate };
    case "math": {
      const fast = tail.endsWith(".fast");
      return { kind: "math", fn: tail.replace(/\.(fast|precise)$/, "") as MathFunction, precision: fast ? "fast" : "precise" };
    }
    case "atomic": {
      const [space = "", scope = "", ...op] = rest;
      if (!isSpace(space) || (scope !== "block" && scope !== "device" && scope !== "system")) return undefined;
      return { kind: "atomic", op: op.join(".") as AtomicOperation, space, scope };
    }
    case "barrier":
      return tail === "count" || tail === "and" || tail === "or" ? { kind: "barrier", reduce: tail } : undefined;
    case "fence":
      return tail === "block" || tail === "device" || tail === "system" ? { kind: "fence", scope: tail } : undefined;
    case "shuffle":
      return { kind: "shuffle", mode: rest[0] as ShuffleMode, width: Number(rest[1] ?? 32) };
    case "vote":
      return tail === "any" || tail === "all" || tail === "uni" || tail === "ballot" ? { kind: "vote", mode: tail } : undefined;
    case "match":
      return tail === "any" || tail === "all" ? { kind: "match", mode: tail } : undefined;
    case "call":
      return tail === "printf" || tail === "malloc" || tail === "free" ? { kind: "call", callee: tail } : undefined;
    case "reduce":
      return { kind: "reduce", op: tail as Extract<Action, { kind: "reduce" }>["op"] };
  }
  const exact = mnemonic.endsWith(".exact");
  const bare = exact ? mnemonic.slice(0, -".exact".length) : mnemonic;
  if (isIntBinary(bare)) return exact ? { kind: "int", op: bare, exact } : { kind: "int", op: bare };
  if (isFloatBinary(head))
    return tail === "fast" || tail === "precise" ? { kind: "float", op: head, precision: tail } : { kind: "float", op: head };
  if (isConversion(head)) {
    const rounding = tail.slice(1);
    return rounding === "n" || rounding === "z" || rounding === "d" || rounding === "u"
      ? { kind: "convert", op: head, rounding }
      : { kind: "convert", op: head };
  }
  return undefined;
}
