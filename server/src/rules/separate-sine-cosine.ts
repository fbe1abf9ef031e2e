import { lastName } from "../analysis/sema/scope.ts";
import type { Expression, Node, Statement } from "../syntax/ast.ts";
import { defineRule, type Finding, type Fix, type RuleContext } from "./rule.ts";
import { all, excerpt, replaceWritten } from "./support/edits.ts";
import { groupBy } from "./support/group-by.ts";
import { asArgument, isRepeatable, type MathCall, mathCalls, named, numberOf } from "./support/math-calls.ts";
import { Variables } from "./support/variables.ts";

const functions = new Set(["sin", "cos", "sinpi", "cospi"]);

export default defineRule({
  id: "separate-sine-cosine",
  group: "instructions",
  severity: "hint",
  priority: "low-medium",
  guide: { document: "best-practices", section: "11.1.6" },
  summary: "Sine and cosine of the same argument, each by its own call.",
  why: "Both begin by reducing the argument, with a slow way for large ones that stands there twice then, and end in the same two polynomials. nvcc 13.0 makes 144 instructions of `sincosf` and 177 of the two calls.",
  remedy: "Call `sincosf(x, &s, &c)`, or `sincos` for doubles; `sincospif` where the argument is a multiple of pi.",
  fix: "unsafe",
  changes: "rounding",
  notes:
    "Found where the two stand in the same block of statements and nothing between them changes the argument. The fix is offered, as unsafe for the last digit may differ, where the two initialise variables, one after the other.",
  example: {
    bad: `__global__ void polar(float *x, float *y, const float *angle, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = sinf(angle[i]);
  float c = cosf(angle[i]);
  x[i] = c + s;
  y[i] = c - s;
}`,
    good: `__global__ void polar(float *x, float *y, const float *angle, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s, c;
  sincosf(angle[i], &s, &c);
  x[i] = c + s;
  y[i] = c - s;
}`,
  },
  *check(context): Generator<Finding> {
    const { program, syntax } = context;
    const variables = new Variables(syntax, program.semantics);
    const calls = mathCalls(context, functions).flatMap((each) => {
      const [argument] = each.call.arguments;
      const number = numberOf(program.semantics, each.call);
      if (!argument || !isRepeatable(argument) || program.semantics.isFixed(argument) || (number !== "float" && number !== "double"))
        return [];
      const block = blockOf(context, each.call);
      return block
        ? [
            {
              ...each,
              argument,
              number,
              block,
              key: `${block.start} ${casesBefore(block, each.call)} ${number} ${each.name.endsWith("pi")} ${asArgument(context, argument).replaceAll(/\s/g, "")}`,
            },
          ]
        : [];
    });
    for (const group of groupBy(calls, ({ key }) => key).values()) {
      const sine = group.find(({ name }) => name.startsWith("sin"));
      const cosine = group.find(({ name }) => name.startsWith("cos"));
      if (!sine || !cosine) continue;
      const [first, second] = sine.call.start < cosine.call.start ? [sine, cosine] : [cosine, sine];
      if (isChanged(context, variables, first.argument, first.call.end, second.call.start)) continue;
      const better = named(first.name.endsWith("pi") ? "sincospi" : "sincos", first.number);
      yield {
        span: first.call,
        message: `\`${first.written}\` and \`${second.written}\` of \`${excerpt(program.reading, first.argument, 40)}\` take more than both together: call \`${better}\`.`,
        related: [{ at: second.call, message: "the other one" }],
        fix: fixOf(context, sine, cosine, better, first.block),
      };
    }
  },
});

type Block = Statement & { readonly kind: "block" };

/** Of a `switch` one case is run, though all stand in one block. */
const casesBefore = ({ body }: Block, { start }: Node): number => body.filter((each) => each.kind === "case" && each.start < start).length;

/** The statements that a node stands among, where nothing but declarations and expressions are between. */
function blockOf({ syntax }: RuleContext, node: Expression): Block | undefined {
  for (const { role, node: outer } of syntax.ancestors(node)) {
    if (role === "statement") {
      if (outer.kind === "block") return outer;
      if (outer.kind !== "declaration" && outer.kind !== "expression" && outer.kind !== "return") return undefined;
    }
    if (role === "expression" && (outer.kind === "conditional" || outer.kind === "lambda")) return undefined;
  }
  return undefined;
}

/** Whether something between two places may change a variable or element of the expression. */
function isChanged({ syntax }: RuleContext, variables: Variables, argument: Expression, from: number, to: number): boolean {
  const between = ({ start, end }: Expression): boolean => start >= from && end <= to;
  const stores = [
    ...syntax.expressions("assign"),
    ...syntax.expressions("postfix"),
    ...syntax.expressions("unary").filter(({ op }) => op === "++" || op === "--"),
  ];
  const readsMemory = syntax.expressions("subscript").some(({ start, end }) => start >= argument.start && end <= argument.end);
  const names = syntax.expressions("name").filter(({ start, end }) => start >= argument.start && end <= argument.end);
  const own = new Set(names.map((each) => variables.of(each)));
  return stores.some((store) => {
    if (!between(store)) return false;
    const target = store.kind === "assign" ? store.left : store.operand;
    const variable = variables.of(target);
    return variable ? own.has(variable) : readsMemory;
  });
}

/** Where the two are all that initialises two variables of one type, one statement behind the other. */
function fixOf(context: RuleContext, sine: MathCall, cosine: MathCall, better: string, block: Block): Fix | undefined {
  const { syntax, program } = context;
  const declarations = [sine, cosine].map(({ call }) => {
    const index = block.body.findIndex((each) => each.start <= call.start && call.end <= each.end);
    const statement = block.body[index];
    const variable = statement?.kind === "declaration" && statement.declarations.length === 1 ? statement.declarations[0] : undefined;
    const initialises = variable?.kind === "variable" && variable.init?.values.length === 1 && syntax.parent(call)?.node === variable;
    return initialises && variable?.kind === "variable" && !variable.type.const && variable.type.kind === "builtin"
      ? { index, statement, variable }
      : undefined;
  });
  const [ofSine, ofCosine] = declarations;
  const [argument] = sine.call.arguments;
  if (!ofSine || !ofCosine || !argument || Math.abs(ofSine.index - ofCosine.index) !== 1) return undefined;
  const [first, second] = ofSine.index < ofCosine.index ? [ofSine, ofCosine] : [ofCosine, ofSine];
  const [s, c] = [ofSine, ofCosine].map(({ variable }) => lastName(variable.name));
  const [one, two] = [ofSine.variable.type, ofCosine.variable.type];
  if (one.kind !== "builtin" || two.kind !== "builtin" || one.name !== two.name || one.name !== numberOf(program.semantics, sine.call))
    return undefined;
  if (!first.statement || !second.statement) return undefined;
  const edits = all(
    replaceWritten(program.reading, first.statement, `${one.name} ${s}, ${c};`),
    replaceWritten(program.reading, second.statement, `${better}(${asArgument(context, argument)}, &${s}, &${c});`),
  );
  return edits && { title: `Call \`${better}\` (the last digit may change)`, safe: false, edits };
}
