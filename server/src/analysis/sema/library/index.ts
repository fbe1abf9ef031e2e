/**
 * Everything CUDA's headers would declare, as a tree of scopes around every program's own. Made once, on first use, and each declaration
 * when its name is first asked for: there are more than a thousand, of which a program uses a few.
 */
import type { Declaration, Expression, FunctionDeclaration, RecordDeclaration } from "../../../syntax/ast.ts";
import type { Entity, LateDeclaration } from "../scope.ts";
import { ScopeTree } from "../scope-tree.ts";
import { field, functionFrom, literal, nameIn, nameOf, recordFrom, templateParameters, typeNode } from "./declare.ts";
import { deviceFunctions } from "./device.ts";
import { functionObjects, groupFunctions, groupRecords } from "./groups.ts";
import { halfFunctions } from "./half.ts";
import { mathFunctions } from "./math.ts";
import { constants, deviceVariables, recordAliases, runtimeRecords, typeNames, vectorKinds } from "./names.ts";
import type { Recipe } from "./recipe.ts";
import { textureFunctions } from "./textures.ts";

const nowhere = { start: -1, end: -1 } as const;
const recipes = new WeakMap<FunctionDeclaration, Recipe>();

/** What a built-in function does; undefined for a program's own. */
export const recipeOf = (declaration: FunctionDeclaration): Recipe | undefined => recipes.get(declaration);

function functionOf(recipe: Recipe, signature: string): FunctionDeclaration {
  const declaration = functionFrom(signature);
  recipes.set(declaration, recipe);
  return declaration;
}

type Functions = readonly (readonly [Recipe, ...string[]])[];

const functionsOf = (entries: Functions): FunctionDeclaration[] =>
  entries.flatMap(([recipe, ...signatures]) => signatures.map((signature) => functionOf(recipe, signature)));

const lateFunctions = (entries: Functions): LateDeclaration[] =>
  entries.flatMap(([recipe, ...signatures]) =>
    signatures.map((signature): LateDeclaration => [nameIn(signature), () => functionOf(recipe, signature)]),
  );

function vectorTypes(): LateDeclaration[] {
  const declared: LateDeclaration[] = [];
  for (const [prefix, component, bytes] of vectorKinds) {
    for (const [index] of ["x", "y", "z", "w"].entries()) {
      const names = ["x", "y", "z", "w"].slice(0, index + 1);
      const name = `${prefix}${index + 1}`;
      const align = index === 2 ? bytes : Math.min(16, bytes * (index + 1));
      const members = () => names.map((each) => field(component, each));
      declared.push([name, () => recordFrom(name, members(), { align })]);
      declared.push(...lateFunctions([[{ kind: "make" }, `${name} make_${name}(${names.map(() => component).join(", ")})`]]));
    }
  }
  return declared;
}

/** Of `dim3` what is not given is 1. */
function dim3(): RecordDeclaration {
  const members = ["x", "y", "z"].map((name) => ({
    ...field("unsigned int", name),
    init: { style: "copy" as const, values: [literal(1)] },
  }));
  return recordFrom("dim3", members);
}

const integralConstant = (): RecordDeclaration => {
  const constant: Expression = { ...nowhere, kind: "name", name: nameOf("V") };
  const giving = (declaration: FunctionDeclaration): FunctionDeclaration => ({
    ...withoutTemplate(declaration),
    specifiers: { ...declaration.specifiers, host: true, constexpr: true },
    body: { ...nowhere, kind: "block", body: [{ ...nowhere, kind: "return", value: constant }] },
  });
  return recordFrom(
    "integral_constant",
    [
      { ...field("T", "value"), specifiers: { static: true, constexpr: true }, init: { style: "copy", values: [constant] } },
      { ...nowhere, kind: "alias", name: "value_type", type: typeNode("T") },
      giving({ ...functionFrom("T value() const"), name: nameOf("operator T"), role: "conversion" }),
      giving(functionFrom("T operator()() const")),
    ],
    { template: "T, T V" },
  );
};

/** `half2`'s second name and such. */
const alias = (name: string, type: string): LateDeclaration => [name, () => ({ ...nowhere, kind: "alias", name, type: typeNode(type) })];

/** `true_type` and `false_type`. */
const booleanConstant = (name: string, value: boolean): LateDeclaration => [
  name,
  () => ({
    ...nowhere,
    kind: "alias",
    name,
    type: {
      ...nowhere,
      kind: "named",
      name: nameOf("integral_constant", [
        { ...nowhere, kind: "type", type: typeNode("bool") },
        { ...nowhere, kind: "expression", expression: { ...nowhere, kind: "bool", value } },
      ]),
    },
  }),
];

/** A template that what it is made with is deduced from, as a trait's name is not. */
const boolConstant = (): Declaration => ({
  ...nowhere,
  kind: "alias",
  name: "bool_constant",
  templateParameters: templateParameters("bool V"),
  type: {
    ...nowhere,
    kind: "named",
    name: nameOf("integral_constant", [
      { ...nowhere, kind: "type", type: typeNode("bool") },
      { ...nowhere, kind: "expression", expression: { ...nowhere, kind: "name", name: nameOf("V") } },
    ]),
  },
});

const record = (name: string, members: () => readonly Declaration[], more: Parameters<typeof recordFrom>[2] = {}): LateDeclaration => [
  name,
  () => recordFrom(name, members(), more),
];

const lateDeclarations = (): LateDeclaration[] => [
  ...vectorTypes(),
  ["dim3", dim3],
  record("half2", () => [field("half", "x"), field("half", "y")], { align: 4 }),
  record("__nv_bfloat162", () => [field("__nv_bfloat16", "x"), field("__nv_bfloat16", "y")], { align: 4 }),
  ["integral_constant", integralConstant],
  ["bool_constant", boolConstant],
  booleanConstant("true_type", true),
  booleanConstant("false_type", false),
  ...recordAliases.map(([name, other]) => alias(name, other)),
  ...functionObjects.map(([name, recipe, signature]) =>
    record(name, () => [withoutTemplate(functionOf(recipe, signature))], { template: "T = void" }),
  ),
  ...groupRecords.map((group) =>
    record(group.name, () => [...group.fields.map(([type, name]) => field(type, name)), ...functionsOf(group.methods)], {
      ...(group.template ? { template: group.template } : {}),
      ...(group.base ? { base: group.base } : {}),
    }),
  ),
  ...deviceVariables.map(
    ([name, type]): LateDeclaration => [name, () => ({ ...field(type, name), specifiers: { device: true, extern: true } })],
  ),
  ...lateFunctions(mathFunctions),
  ...lateFunctions(deviceFunctions),
  ...lateFunctions(halfFunctions),
  ...runtimeRecords.map(([name, fields]) => record(name, () => fields.map(([type, each]) => field(type, each)))),
  record("cudaImage", () => []),
  record("texture", () => [], { template: "T, int Dimensions = 1, int Mode = 0" }),
  record("surface", () => [], { template: "T, int Dimensions = 1" }),
  ...["cudaTextureObject_t", "cudaSurfaceObject_t", "CUtexObject", "CUsurfObject"].map((name) => alias(name, "cudaImage*")),
  ...lateFunctions(textureFunctions),
];

const groups = (): Declaration => ({
  ...nowhere,
  kind: "namespace",
  name: "cooperative_groups",
  inline: false,
  body: functionsOf(groupFunctions),
});

/** In a function object's operator `T` is the record's parameter, not the operator's own. */
function withoutTemplate(declaration: FunctionDeclaration): FunctionDeclaration {
  const { templateParameters: _template, ...rest } = declaration;
  const plain: FunctionDeclaration = rest;
  const recipe = recipes.get(declaration);
  if (recipe) recipes.set(plain, recipe);
  return plain;
}

let tree: ScopeTree | undefined;

export function library(): ScopeTree {
  if (tree) return tree;
  tree = new ScopeTree([groups()], undefined, lateDeclarations());
  const { root } = tree;
  const add = (name: string, entity: Entity): void => {
    root.names.set(name, [...(root.names.get(name) ?? []), entity]);
  };
  for (const [name, type] of typeNames) add(name, { kind: "built-in type", type, home: root });
  for (const [name, type, value] of constants) add(name, { kind: "built-in constant", type, value, home: root });
  // `std::max`, `cuda::std::max` and `::max` are one.
  for (const name of ["std", "cuda"]) add(name, { kind: "namespace", scope: root, home: root });
  const namespace = root.names.get("cooperative_groups")?.[0];
  if (namespace?.kind === "namespace") {
    for (const name of [...groupRecords.map((each) => each.name), ...functionObjects.map(([each]) => each)])
      namespace.scope.names.set(name, root.names.get(name) ?? []);
  }
  return tree;
}
