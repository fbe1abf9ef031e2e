import type { Edit, Fix, RuleContext } from "../rules/rule.ts";
import { all, codeOf, excerpt, indentationAt, replace, writtenBetween } from "../rules/support/edits.ts";
import { freshName } from "../rules/support/fresh-name.ts";
import { unqualified } from "../rules/support/ranges.ts";
import { sameSpan } from "../rules/support/syntax-index.ts";
import { Variables } from "../rules/support/variables.ts";
import type { Expression, FunctionDeclaration } from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/terms.ts";
import { walk } from "../syntax/walk.ts";
import { defineRefactoring } from "./refactoring.ts";
import { mapping } from "./support/examples.ts";
import { gridsOf } from "./support/grids.ts";
import { type Guarded, guarded } from "./support/guarded.ts";
import { inPairs } from "./support/in-pairs.ts";
import { textWith } from "./support/text-with.ts";

/** Vectors of 16 bytes, and pairs of halves, by what they are of; `splat` makes such a pair of one. */
const vectors: Readonly<Record<string, { readonly name: string; readonly parts: readonly string[]; readonly splat?: string }>> = {
  float: { name: "float4", parts: ["x", "y", "z", "w"] },
  int: { name: "int4", parts: ["x", "y", "z", "w"] },
  "unsigned int": { name: "uint4", parts: ["x", "y", "z", "w"] },
  double: { name: "double2", parts: ["x", "y"] },
  half: { name: "half2", parts: ["x", "y"], splat: "__half2half2" },
  bfloat16: { name: "__nv_bfloat162", parts: ["x", "y"], splat: "__bfloat162bfloat162" },
};

const indexed = "  int i = blockIdx.x * blockDim.x + threadIdx.x;";

export default defineRefactoring({
  id: "vector-elements",
  summary:
    "Lets each thread take four neighbours, or two doubles, as one vector of 16 bytes, or two halves as a pair, with arithmetic of pairs where it is all of halves; with as many fewer blocks, and what is left over one by one.",
  where:
    "At the statement of a kernel that begins with `int i = blockIdx.x * blockDim.x + threadIdx.x;` and then does `if (i < n) out[i] = …;` alone, of arrays of one type that it reads at `[i]`; its launches say the grid as a number. Arrays have to begin at multiples of the vector's size, which the launches that are known show.",
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
  const grids = beginAnywhere(context, kernel) ? undefined : gridsOf(context, kernel);
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
  const value = (put: (array: string) => string): string | undefined =>
    textWith(
      reading,
      assignment.right,
      elements.loads.map((node) => ({ node, text: put(excerpt(reading, node.base, 1000)) })),
    );
  const pair = vector.splat === undefined ? undefined : pairOf(context, assignment.right, elements, vector.splat, vectorOf);
  const values = [...parts.map((part) => value((array) => `${vectorOf(array)}.${part}`)), value((array) => `${array}[${counter}]`)];
  if (values.some((each) => each === undefined)) return undefined;
  const bound = codeOf(reading, limit);
  const store = `  reinterpret_cast<${name} *>(${output})[${index}] = `;
  const lines = [
    `if (${count} * ${index} + ${count - 1} < ${bound}) {`,
    ...inputs.map((array) => `  const auto ${vectorOf(array)} = reinterpret_cast<const ${name} *>(${array})[${index}];`),
    ...(pair === undefined
      ? [
          `  ${name} ${vectorOf(output)};`,
          ...parts.map((part, k) => `  ${vectorOf(output)}.${part} = ${values[k]};`),
          `${store}${vectorOf(output)};`,
        ]
      : [`${store}${pair};`]),
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

/** Whether a launch is given the middle of something: it may begin between two vectors, for other numbers than those that were tried. */
const beginAnywhere = ({ launches }: RuleContext, kernel: FunctionDeclaration): boolean =>
  launches.some(({ fact }) => {
    if (fact.kernel?.declaration !== kernel || fact.expression?.kind !== "call") return false;
    return fact.expression.arguments.some((argument, k) => {
      const given = withoutParentheses(argument);
      const isAddress = given.kind === "binary" || (given.kind === "unary" && given.op === "&");
      return kernel.parameters[k]?.type.kind === "pointer" && isAddress;
    });
  });

/** What is stored, as arithmetic of pairs: those that were loaded, and variables of which both are the same. */
function pairOf(
  { syntax, program: { reading, semantics } }: RuleContext,
  value: Expression,
  { type, loads }: Elements,
  splat: string,
  vectorOf: (array: string) => string,
): string | undefined {
  const variables = new Variables(syntax, semantics);
  return inPairs(semantics, value, type, (node) => {
    if (loads.some((load) => sameSpan(load, node))) return vectorOf(excerpt(reading, (node as Subscript).base, 1000));
    const own = variables.of(node) && unqualified(semantics.typeOf(node));
    return own?.kind === "floating" && own.name === type ? `${splat}(${excerpt(reading, node, 1000)})` : undefined;
  });
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
    if (!array || "kind" in array || array.type.kind !== "pointer" || array.type.to.volatile) return false;
    return only.name.parts.at(-1)?.text === index;
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
