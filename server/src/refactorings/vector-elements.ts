import type { Edit, Fix, RuleContext } from "../rules/rule.ts";
import { all, excerpt, indentationAt, replace, textAt, writtenBetween } from "../rules/support/edits.ts";
import { freshName } from "../rules/support/fresh-name.ts";
import { unqualified } from "../rules/support/ranges.ts";
import { Variables } from "../rules/support/variables.ts";
import type { Expression, FunctionDeclaration } from "../syntax/ast.ts";
import { walk } from "../syntax/walk.ts";
import { defineRefactoring } from "./refactoring.ts";
import { mapping } from "./support/examples.ts";
import { gridsOf } from "./support/grids.ts";
import { type Guarded, guarded } from "./support/guarded.ts";

/** Vectors of 16 bytes, by what they are of. */
const vectors: Readonly<Record<string, { readonly name: string; readonly parts: readonly string[] }>> = {
  float: { name: "float4", parts: ["x", "y", "z", "w"] },
  int: { name: "int4", parts: ["x", "y", "z", "w"] },
  "unsigned int": { name: "uint4", parts: ["x", "y", "z", "w"] },
  double: { name: "double2", parts: ["x", "y"] },
};

const indexed = "  int i = blockIdx.x * blockDim.x + threadIdx.x;";

export default defineRefactoring({
  id: "vector-elements",
  summary:
    "Lets each thread take four neighbours, or two doubles, as one vector of 16 bytes, with as many fewer blocks; what is left over goes one by one.",
  where:
    "At the statement of a kernel that begins with `int i = blockIdx.x * blockDim.x + threadIdx.x;` and then does `if (i < n) out[i] = …;` alone, of arrays of one type that it reads at `[i]`; its launches say the grid as a number. Arrays have to begin at multiples of 16 bytes, which the launches that are known show.",
  guide: { document: "best-practices", section: "9.2.1" },
  example: {
    before: mapping(`${indexed}\n  if (i < n) out[i] = 2 * in[i];`),
    cursor: "out[i]",
    after: mapping(
      `${indexed}
  if (4 * i + 3 < n) {
    const auto in4 = reinterpret_cast<const float4 *>(in)[i];
    float4 out4;
    out4.x = 2 * in4.x;
    out4.y = 2 * in4.y;
    out4.z = 2 * in4.z;
    out4.w = 2 * in4.w;
    reinterpret_cast<float4 *>(out)[i] = out4;
  } else {
    for (int k = 4 * i; k < n; ++k) out[k] = 2 * in[k];
  }`,
      "map<<<((n + 255) / 256 + 3) / 4, 256>>>(out, in, n);",
    ),
  },
  *offers(context) {
    for (const kernel of new Set(context.launches.flatMap(({ fact }) => fact.kernel ?? []))) {
      const found = kernel.at.file === 0 ? guarded(context, kernel.declaration) : undefined;
      const fix = found && inVectors(context, kernel.declaration, found);
      if (found && fix) yield { at: [found.guard], fix };
    }
  },
});

type Subscript = Expression & { readonly kind: "subscript" };

function inVectors(context: RuleContext, kernel: FunctionDeclaration, { guard, index, limit, work, returns }: Guarded): Fix | undefined {
  const { reading } = context.program;
  const [then] = work;
  const statement = then?.kind === "block" && then.body.length === 1 ? then.body[0] : then;
  const assignment = statement?.kind === "expression" ? statement.expression : undefined;
  if (returns || assignment?.kind !== "assign" || assignment.op !== "") return undefined;
  const elements = elementsOf(context, assignment, index);
  const grids = gridsOf(context, kernel);
  const vector = elements && vectors[elements.type];
  const at = writtenBetween(reading, guard);
  const indentation = at && indentationAt(reading, at);
  if (!vector || !grids || !at || at.file !== 0 || indentation === undefined) return undefined;
  const { parts, name } = vector;
  const count = parts.length;
  const source = reading.sources[0] ?? "";
  const vectorOf = (array: string): string => freshName(source, [`${array}${count}`, `${array}Vector`]);
  const output = excerpt(reading, (assignment.left as Subscript).base, 1000);
  const inputs = [...new Set(elements.loads.map(({ base }) => excerpt(reading, base, 1000)))];
  const counter = freshName(source, ["k", "rest"]);
  const value = (put: (array: string) => string): string | undefined => withLoads(context, assignment.right, elements.loads, put);
  const values = [...parts.map((part) => value((array) => `${vectorOf(array)}.${part}`)), value((array) => `${array}[${counter}]`)];
  if (values.some((each) => each === undefined)) return undefined;
  const bound = excerpt(reading, limit, 1000);
  const lines = [
    `if (${count} * ${index} + ${count - 1} < ${bound}) {`,
    ...inputs.map((array) => `  const auto ${vectorOf(array)} = reinterpret_cast<const ${name} *>(${array})[${index}];`),
    `  ${name} ${vectorOf(output)};`,
    ...parts.map((part, k) => `  ${vectorOf(output)}.${part} = ${values[k]};`),
    `  reinterpret_cast<${name} *>(${output})[${index}] = ${vectorOf(output)};`,
    "} else {",
    `  for (int ${counter} = ${count} * ${index}; ${counter} < ${bound}; ++${counter}) ${output}[${counter}] = ${values.at(-1)};`,
    "}",
  ];
  const body: Edit = { span: at, newText: lines.join(`\n${indentation}`) };
  const edits = all(
    body,
    ...grids.map((grid) => {
      const text = excerpt(reading, grid, 1000);
      return replace(reading, grid, `(${text} + ${count - 1}) / ${count}`);
    }),
  );
  return edits && { title: `Take ${count} neighbours a thread as \`${name}\``, safe: false, edits };
}

interface Elements {
  readonly type: string;
  /** `a[i]` in what is stored. */
  readonly loads: readonly Subscript[];
}

/** Undefined where the index is used otherwise than to subscript pointers of one type, or what is stored to is loaded, too. */
function elementsOf(
  { syntax, program: { semantics } }: RuleContext,
  assignment: Expression & { readonly kind: "assign" },
  index: string,
): Elements | undefined {
  const variables = new Variables(syntax, semantics);
  const loads: Subscript[] = [];
  const isElement = (node: Expression): node is Subscript => {
    const [only, ...more] = node.kind === "subscript" ? node.indices : [];
    if (node.kind !== "subscript" || only?.kind !== "name" || more.length > 0) return false;
    const array = variables.of(node.base);
    return only.name.parts.at(-1)?.text === index && array !== undefined && !("kind" in array) && array.type.kind === "pointer";
  };
  if (!isElement(assignment.left)) return undefined;
  const output = variables.of(assignment.left.base);
  let isPlain = true;
  walk(assignment.right, (node) => {
    if (node.kind === "subscript" && isElement(node)) {
      if (variables.of(node.base) === output) isPlain = false;
      loads.push(node);
      return false;
    }
    if (/^(assign|postfix|lambda)$/.test(node.kind) || (node.kind === "unary" && /^(\+\+|--|\*)$/.test(node.op))) isPlain = false;
    if (node.kind === "name" && node.name.parts.at(-1)?.text === index) isPlain = false;
    return isPlain;
  });
  const types = [assignment.left, ...loads].map((each) => {
    const type = unqualified(semantics.typeOf(each));
    return type?.kind === "floating" || type?.kind === "integer" ? type.name : "";
  });
  const [type = ""] = types;
  return isPlain && type in vectors && types.every((each) => each === type) ? { type, loads } : undefined;
}

/** The text of an expression with something else in the place of each load. */
function withLoads(
  { program: { reading } }: RuleContext,
  node: Expression,
  loads: readonly Subscript[],
  put: (array: string) => string,
): string | undefined {
  const whole = writtenBetween(reading, node);
  if (!whole) return undefined;
  let text = "";
  let at = whole.start;
  for (const load of loads) {
    const place = writtenBetween(reading, load);
    if (!place || place.file !== whole.file) return undefined;
    text += textAt(reading, { ...whole, start: at, end: place.start }) + put(excerpt(reading, load.base, 1000));
    at = place.end;
  }
  return text + textAt(reading, { ...whole, start: at, end: whole.end });
}
