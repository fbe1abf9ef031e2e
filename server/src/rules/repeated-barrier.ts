import type { Statement } from "../syntax/ast.ts";
import { walk } from "../syntax/walk.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { all, replace } from "./support/edits.ts";
import { libraryName } from "./support/library-calls.ts";

export default defineRule({
  id: "repeated-barrier",
  group: "execution",
  severity: "hint",
  priority: "low",
  guide: { document: "best-practices", section: "12.1" },
  alsoIn: [{ document: "best-practices", section: "9.2.3" }],
  summary: "A `__syncthreads()` behind another with no access to memory between, or at the end of a kernel.",
  why: "A barrier orders the accesses before it with those behind it: where there are none, it only lets the warps of the block wait for the slowest.",
  remedy: "Remove it.",
  fix: "safe",
  example: {
    bad: `__global__ void reverse(int *x) {
  __shared__ int s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[255 - threadIdx.x];
  __syncthreads();
}`,
    good: `__global__ void reverse(int *x) {
  __shared__ int s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[255 - threadIdx.x];
}`,
  },
  *check(context): Generator<Finding> {
    const { syntax } = context;
    for (const block of syntax.statements("block")) {
      if (!syntax.inDevice(block)) continue;
      const found = new Set<Statement>();
      let before: Statement | undefined;
      for (const statement of block.body) {
        if (!isBarrier(statement)) {
          if (!touchesNothing(context, statement)) before = undefined;
          continue;
        }
        if (before) found.add(statement);
        if (before) yield finding(context, statement, "Nothing is read or written since the barrier before it", before);
        before = statement;
      }
      const last = block.body.at(-1);
      const owner = syntax.parent(block)?.node;
      if (last && last !== block.body[0] && isBarrier(last) && owner?.kind === "function" && owner.specifiers.global && !found.has(last))
        yield finding(context, last, "Nothing follows it: the kernel ends here");
    }
  },
});

function finding({ program: { reading } }: RuleContext, statement: Statement, why: string, before?: Statement): Finding {
  const edits = all(replace(reading, statement, ""));
  return {
    span: statement,
    message: `This barrier orders nothing. ${why}.`,
    ...(before ? { related: [{ at: before, message: "the barrier before it" }] } : {}),
    fix: edits && { title: "Remove the barrier", safe: true, edits },
  };
}

const isBarrier = (statement: Statement): boolean =>
  statement.kind === "expression" && statement.expression.kind === "call" && libraryName(statement.expression) === "__syncthreads";

/** Declares or computes variables of the thread alone. */
function touchesNothing({ program: { semantics } }: RuleContext, statement: Statement): boolean {
  if (statement.kind === "empty") return true;
  if (statement.kind !== "declaration" && statement.kind !== "expression") return false;
  let nothing = true;
  walk(statement, (node) => {
    if (/^(call|subscript|asm|lambda|new|delete|unknown|reference|launch)$/.test(node.kind) || (node.kind === "member" && node.arrow))
      nothing = false;
    if (node.kind === "unary" && (node.op === "*" || node.op === "&")) nothing = false;
    if (node.kind === "name" && "name" in node) {
      const isLocal = semantics
        .resolve(node)
        .every((each) =>
          "kind" in each
            ? each.kind !== "variable" ||
              (!each.specifiers.shared &&
                each.type.kind !== "reference" &&
                !each.type.volatile &&
                semantics.enclosingFunction(each) !== undefined)
            : each.type.kind !== "reference",
        );
      if (!isLocal) nothing = false;
    }
    return nothing;
  });
  return nothing;
}
