/** Textures and surfaces: where a texel lies, then a load or store of it. */
import type { ImageShape, Op, ScalarType } from "@warplens/sim-engine";
import type { Expression } from "../../../syntax/ast.ts";
import type { Recipe } from "../../sema/library/recipe.ts";
import { decay, floatType, intType, isTypeValue, unqualified } from "../../sema/type-tools.ts";
import type { Type } from "../../sema/types.ts";
import { type Called, type Lowering, nothing, value } from "../emit/lowering.ts";
import { type Leaf, leavesOf, loadLeaves, storeLeaves } from "../emit/memory.ts";
import { scalarOf } from "../emit/scalars.ts";
import { pointedTo, target, type Use } from "./operands.ts";

type Texture = Recipe & { readonly kind: "texture" };

const sides: Readonly<Record<ImageShape, number>> = { "1d": 1, "2d": 2, "3d": 3, cube: 3 };

export function textureFetch(lowering: Lowering, recipe: Texture, use: Use): Called {
  const toPointer = use.result.kind === "void";
  const [destination] = use.args;
  const [object, ...coordinates] = toPointer ? use.args.slice(1) : use.args;
  if (!object || (toPointer && !destination)) return lowering.fail("a texture access without a texture", use.node);
  const to = toPointer && destination ? pointedTo(lowering, destination, undefined, use.node) : undefined;
  const type = unqualified(to?.type ?? use.result);
  const address = texel(lowering, recipe, object, coordinates, texelBytes(lowering, object) ?? sizeOf(lowering, type, use), use);
  // Textures are not coherent with what the kernel writes; surfaces are.
  const cache = recipe.fetch === "surface" ? {} : { cache: "nc" as const };
  const scalar = scalarOf(type);
  if (scalar && !to) return value(lowering.builder.load("texture", scalar, address, cache));
  const leaves = uniform(lowering, type, use);
  const loaded = lowering.builder.load("texture", leaves.scalar, address, { components: leaves.all.length, ...cache });
  const read = leaves.all.map((leaf, index) => ({ leaf, op: leaves.all.length === 1 ? loaded : lowering.builder.extract(loaded, index) }));
  const place = to ?? target(lowering, use);
  storeLeaves(lowering, place, read);
  return to ? nothing : { kind: "place", place };
}

export function surfaceWrite(lowering: Lowering, { shape, layered }: Recipe & { kind: "surface write" }, use: Use): Called {
  const [written, object, ...coordinates] = use.args;
  if (!written || !object) return lowering.fail("a surface is written without a value", use.node);
  const type = unqualified(decay(lowering.typeOf(written)));
  const ops = scalarOf(type) ? [lowering.value(written)] : loadLeaves(lowering, lowering.place(written)).map(({ op }) => op);
  const address = texel(lowering, { fetch: "surface", shape, layered }, object, coordinates, sizeOf(lowering, type, use), use);
  lowering.builder.store("texture", address, ops, {});
  return nothing;
}

function texel(
  lowering: Lowering,
  { fetch, shape, layered }: Omit<Texture, "kind">,
  object: Expression,
  coordinates: readonly Expression[],
  bytes: number,
  use: Use,
): Op {
  const handle = objectOf(lowering, object);
  const count = sides[shape] + (layered ? 1 : 0);
  const isFloat = fetch === "sample" || fetch === "gather";
  const ops = coordinates.map((each, index): Op | undefined => {
    const isLayer = layered && index === count - 1;
    if (index >= count) lowering.effect(each);
    return index < count ? lowering.valueAs(each, isFloat && !isLayer ? floatType("float") : intType) : undefined;
  });
  lowering.visit(use.node);
  lowering.at(use.node);
  const given = ops.filter((op) => op !== undefined);
  if (given.length < count) return lowering.fail("a texture access with too few coordinates", use.node);
  return lowering.builder.emit({ kind: "texel", fetch, shape, layered, bytes }, "ptr", handle, ...given);
}

/** A texture object is a handle; a reference is a variable of the program. */
function objectOf(lowering: Lowering, object: Expression): Op {
  const type = lowering.tryTypeOf(object);
  return type?.kind === "record" ? lowering.place(object).pointer : lowering.value(object);
}

/** Of a reference, whose type names its texels' type. */
function texelBytes(lowering: Lowering, object: Expression): number | undefined {
  const type = lowering.tryTypeOf(object);
  const [of] = type?.kind === "record" ? type.record.arguments : [];
  return typeof of === "object" && isTypeValue(of as Type) ? lowering.context.sizeOf(of as Type) : undefined;
}

const sizeOf = (lowering: Lowering, type: Type, use: Use): number =>
  lowering.context.sizeOf(type) ?? lowering.fail("a texel of a type that is not known", use.node);

/** A texel's components: one to four of one type. */
function uniform(lowering: Lowering, type: Type, use: Use): { readonly all: readonly Leaf[]; readonly scalar: ScalarType } {
  const all = leavesOf(lowering, type);
  const [first] = all ?? [];
  if (!all || !first || all.length > 4 || all.some(({ scalar }) => scalar !== first.scalar))
    return lowering.fail("a texel that is no number or vector", use.node);
  return { all, scalar: first.scalar };
}
