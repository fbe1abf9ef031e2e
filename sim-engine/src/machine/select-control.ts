/** Branches, exits, and where diverged lanes come together again. */
import type { Block, Span } from "../ir/kernel.ts";
import { layout } from "./layout.ts";
import type { Selection } from "./selection.ts";

const nowhere: Span = { file: 0, line: 0, start: 0, end: 0 };

/** A block that only returns: jumping there is an EXIT where one stands. */
const isReturn = (block: Block): boolean => block.end.kind === "return" && block.ops.length === 0 && block.phis.length === 0;

/** Emits the ends of all blocks but predicated ones, and the barriers of convergence. */
export function selectControl(selection: Selection, predicated: ReadonlyMap<Block, Block>): void {
  const { kernel } = selection.shape;
  const shown = layout(selection.shape, (block) => !predicated.has(block) && !(isReturn(block) && block !== kernel.blocks[0]));
  for (const [index, block] of shown.entries()) {
    const code = selection.codeOf(block);
    const next = shown[index + 1];
    const { end } = block;
    const emit = (opcode: string, span: Span): void => {
      const uses = end.kind === "branch" && /^(BRA|EXIT)$/.test(opcode) ? selection.use(end.cond, block) : [];
      code.end.push(selection.instruction(opcode, span, [], uses));
    };
    switch (end.kind) {
      case "return":
        emit("EXIT", lastSpan(block));
        break;
      case "jump":
        if (isReturn(end.to)) emit("EXIT", lastSpan(block));
        else if (end.to !== next) emit("BRA", lastSpan(block));
        break;
      case "branch": {
        const [a, b] = [end.then, end.else];
        const join = predicatedJoin(predicated, a, b);
        if (join) {
          // Both arms are predicated: on to where they meet.
          if (isReturn(join)) emit("EXIT", end.span);
          else if (join !== next) emit("BRA", end.span);
          break;
        }
        const exits = [a, b].filter(isReturn);
        if (exits.length === 2) emit("EXIT", end.span);
        else if (exits.length === 1) {
          const other = isReturn(a) ? b : a;
          const out = isReturn(a) ? a : b;
          if (other === next || !shownBefore(shown, index, other)) {
            emit("EXIT", end.span);
            if (other !== next) emit("BRA", end.span);
          } else {
            // Back to the top of a loop, or out of it by the EXIT that follows.
            emit("BRA", end.span);
            selection.codeOf(out).end.push(selection.instruction("EXIT", end.span, [], []));
          }
        } else {
          emit("BRA", end.span);
          if (a !== next && b !== next) emit("BRA", end.span);
        }
        break;
      }
    }
  }
  convergence(selection, predicated);
}

const shownBefore = (shown: readonly Block[], index: number, block: Block): boolean => shown.indexOf(block) <= index;

/** Where a branch goes on when its arms are predicated. */
function predicatedJoin(predicated: ReadonlyMap<Block, Block>, a: Block, b: Block): Block | undefined {
  if (!predicated.has(a) && !predicated.has(b)) return undefined;
  const { end } = predicated.has(a) ? a : b;
  if (end.kind === "branch") return predicatedJoin(predicated, end.then, end.else);
  return end.kind === "jump" ? end.to : undefined;
}

const lastSpan = (block: Block): Span => block.ops.at(-1)?.span ?? nowhere;

/** One BSSY before the outermost divergent branch of each place where lanes meet again, one BSYNC there; none where they meet by exiting. */
function convergence(selection: Selection, predicated: ReadonlyMap<Block, Block>): void {
  const { kernel, post, divergence, tree } = selection.shape;
  const outermost = new Map<Block, Block>();
  for (const block of kernel.blocks) {
    if (block.end.kind !== "branch" || !divergence.isDivergent(block) || predicated.has(block)) continue;
    if (predicatedJoin(predicated, block.end.then, block.end.else)) continue;
    const join = post.parent(block);
    if (!join || isReturn(join)) continue;
    const known = outermost.get(join);
    if (!known || tree.dominates(block, known)) outermost.set(join, block);
  }
  for (const [join, branch] of outermost) {
    // A loop's own branch marks the way in, not each turn.
    const loop = selection.shape.loopOf(branch);
    const before = loop && !loop.blocks.has(join) ? loop.header.predecessors.find((from) => !loop.blocks.has(from)) : branch;
    const span = branch.end.kind === "branch" ? branch.end.span : nowhere;
    const at = selection.codeOf(before ?? branch);
    at.end.unshift(selection.instruction("BSSY", span, [], []));
    selection.codeOf(join).leaves.unshift(selection.instruction("BSYNC", span, [], []));
  }
}
