import { type CstNode, child } from "../parser/cst.ts";
import type { TypeScope } from "./context.ts";
import type { PieceText } from "./piece-text.ts";

/** Types CUDA and its headers declare, which a cast may name without the file saying what they are. */
const wellKnown: readonly string[] = [
  ...["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong", "float", "double"].flatMap((base) =>
    [1, 2, 3, 4].map((n) => base + n),
  ),
  ..."double4_16a double4_32a dim3 uint uchar ushort ulong uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t size_t ssize_t ptrdiff_t intptr_t uintptr_t".split(
    " ",
  ),
  ..."half half2 __half __half2 __nv_bfloat16 __nv_bfloat162 nv_bfloat16 nv_bfloat162 __nv_fp8_e4m3 __nv_fp8_e5m2 __half_raw __half2_raw".split(
    " ",
  ),
  ..."cudaStream_t cudaEvent_t cudaError_t cudaDeviceProp cudaTextureObject_t cudaSurfaceObject_t cudaArray_t cudaPitchedPtr cudaExtent cuComplex cuFloatComplex cuDoubleComplex".split(
    " ",
  ),
  ..."curandState curandState_t curandStateXORWOW_t curandStatePhilox4_32_10_t clock_t time_t FILE CUdeviceptr".split(" "),
];
const alwaysTypes: ReadonlySet<string> = new Set(wellKnown);

/** The names that a piece of a unit declares as types. */
export function declaredTypes(piece: CstNode, text: PieceText): string[] {
  const types = new Set<string>();
  const add = (node: CstNode | undefined) => {
    if (node) types.add(text.slice(node.start, node.end));
  };
  const pending: CstNode[] = [piece];
  for (let node = pending.pop(); node; node = pending.pop()) {
    switch (node.type) {
      case "struct_specifier":
      case "class_specifier":
      case "union_specifier":
      case "enum_specifier": {
        const named = child(node, "name");
        add(named?.type === "template_type" ? child(named, "name") : named);
        break;
      }
      case "alias_declaration":
        add(child(node, "name"));
        break;
      case "type_definition":
        for (const each of node.children) if (each.field === "declarator") add(innermost(each));
        break;
    }
    // Expressions hold no declarations but in lambdas, which no cast outside them can see.
    if (mayDeclare(node.type)) for (const each of node.children) if (each.children.length && !each.piece) pending.push(each);
  }
  return [...types];
}

/** The names a unit declares as types. By name alone: sema knows scopes. */
export function typeScope(types: ReadonlySet<string>): TypeScope {
  const inner = new Map<string, number>();
  return {
    has: (name) => alwaysTypes.has(name) || types.has(name) || (inner.get(name) ?? 0) > 0,
    within(names, convert) {
      for (const name of names) inner.set(name, (inner.get(name) ?? 0) + 1);
      try {
        return convert();
      } finally {
        for (const name of names) inner.set(name, (inner.get(name) ?? 1) - 1);
      }
    },
  };
}

const mayDeclare = (type: string): boolean =>
  !type.endsWith("_expression") && type !== "argument_list" && type !== "initializer_list" && type !== "parameter_list";

function innermost(node: CstNode): CstNode {
  let at = node;
  for (;;) {
    const next: CstNode | undefined =
      child(at, "declarator") ??
      (/(reference|parenthesized|attributed)_declarator/.test(at.type) ? at.children.findLast((each) => each.named) : undefined) ??
      (/^template_/.test(at.type) ? child(at, "name") : undefined);
    if (!next) return at;
    at = next;
  }
}
