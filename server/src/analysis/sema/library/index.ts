/** Everything CUDA's headers would declare, as a tree of scopes around every program's own. Made once, on first use. */
import type { Declaration, FunctionDeclaration, RecordDeclaration } from "../../../syntax/ast.ts";
import type { Entity } from "../scope.ts";
import { ScopeTree } from "../scope-tree.ts";
import { field, functionFrom, literal, nameOf, recordFrom, typeNode } from "./declare.ts";
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

function functionsOf(entries: readonly (readonly [Recipe, ...string[]])[]): FunctionDeclaration[] {
  return entries.flatMap(([recipe, ...signatures]) =>
    signatures.map((signature) => {
      const declaration = functionFrom(signature);
      recipes.set(declaration, recipe);
      return declaration;
    }),
  );
}

function vectorTypes(): Declaration[] {
  const declared: Declaration[] = [];
  for (const [prefix, component, bytes] of vectorKinds) {
    for (const [index] of ["x", "y", "z", "w"].entries()) {
      const names = ["x", "y", "z", "w"].slice(0, index + 1);
      const name = `${prefix}${index + 1}`;
      const align = index === 2 ? bytes : Math.min(16, bytes * (index + 1));
      declared.push(
        recordFrom(
          name,
          names.map((each) => field(component, each)),
          { align },
        ),
      );
      declared.push(...functionsOf([[{ kind: "make" }, `${name} make_${name}(${names.map(() => component).join(", ")})`]]));
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

const integralConstant = (): RecordDeclaration =>
  recordFrom(
    "integral_constant",
    [
      {
        ...field("T", "value"),
        specifiers: { static: true, constexpr: true },
        init: { style: "copy", values: [{ ...nowhere, kind: "name", name: nameOf("V") }] },
      },
      { ...nowhere, kind: "alias", name: "value_type", type: typeNode("T") },
    ],
    { template: "T, T V" },
  );

/** `true_type`, `half2`'s second name and such. */
const alias = (name: string, type: string): Declaration => ({ ...nowhere, kind: "alias", name, type: typeNode(type) });

function declarations(): Declaration[] {
  const booleans = (["true_type", "false_type"] as const).map(
    (name, index): Declaration => ({
      ...nowhere,
      kind: "alias",
      name,
      type: {
        ...nowhere,
        kind: "named",
        name: nameOf("integral_constant", [
          { ...nowhere, kind: "type", type: typeNode("bool") },
          { ...nowhere, kind: "expression", expression: { ...nowhere, kind: "bool", value: index === 0 } },
        ]),
      },
    }),
  );
  return [
    ...vectorTypes(),
    dim3(),
    recordFrom("half2", [field("half", "x"), field("half", "y")], { align: 4 }),
    recordFrom("__nv_bfloat162", [field("__nv_bfloat16", "x"), field("__nv_bfloat16", "y")], { align: 4 }),
    integralConstant(),
    ...booleans,
    ...recordAliases.map(([name, record]) => alias(name, record)),
    ...functionObjects.map(([name, recipe, signature]) =>
      recordFrom(name, functionsOf([[recipe, signature]]).map(withoutTemplate), { template: "T = void" }),
    ),
    ...groupRecords.map((group) =>
      recordFrom(group.name, [...group.fields.map(([type, name]) => field(type, name)), ...functionsOf(group.methods)], {
        ...(group.template ? { template: group.template } : {}),
        ...(group.base ? { base: group.base } : {}),
      }),
    ),
    { ...nowhere, kind: "namespace", name: "cooperative_groups", inline: false, body: functionsOf(groupFunctions) },
    ...deviceVariables.map(([name, type]) => ({ ...field(type, name), specifiers: { device: true, extern: true } })),
    ...functionsOf(mathFunctions),
    ...functionsOf(deviceFunctions),
    ...functionsOf(halfFunctions),
    ...runtimeRecords.map(([name, type, fields]) =>
      recordFrom(
        name,
        fields.map((each) => field(type, each)),
      ),
    ),
    recordFrom("cudaImage", []),
    recordFrom("texture", [], { template: "T, int Dimensions = 1, int Mode = 0" }),
    recordFrom("surface", [], { template: "T, int Dimensions = 1" }),
    ...["cudaTextureObject_t", "cudaSurfaceObject_t", "CUtexObject", "CUsurfObject"].map((name) => alias(name, "cudaImage*")),
    ...functionsOf(textureFunctions),
  ];
}

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
  tree = new ScopeTree(declarations());
  const { root } = tree;
  const add = (name: string, entity: Entity): void => {
    root.names.set(name, [...(root.names.get(name) ?? []), entity]);
  };
  for (const [name, type] of typeNames) add(name, { kind: "built-in type", type, home: root });
  for (const [name, type, value] of constants) add(name, { kind: "built-in constant", type, value, home: root });
  // `std::max`, `cuda::std::max` and `::max` are one.
  for (const name of ["std", "cuda"]) add(name, { kind: "namespace", scope: root, home: root });
  const groups = root.names.get("cooperative_groups")?.[0];
  if (groups?.kind === "namespace") {
    for (const name of [...groupRecords.map((each) => each.name), ...functionObjects.map(([each]) => each)])
      groups.scope.names.set(name, root.names.get(name) ?? []);
  }
  return tree;
}
