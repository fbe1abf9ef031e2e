import { all, excerpt, replace } from "../rules/support/edits.ts";
import { isRepeatable } from "../rules/support/math-calls.ts";
import { tilesOf, tileUses } from "../rules/support/tile.ts";
import type { Expression } from "../syntax/ast.ts";
import { defineRefactoring } from "./refactoring.ts";
import { transpose } from "./support/examples.ts";

/** Bytes that all banks of shared memory are wide together. */
const bankRowBytes = 128;

export default defineRefactoring({
  id: "swizzle-shared-tile",
  summary:
    "Exchanges the columns of an array in shared memory by the row (`^`), so that lanes which go down a column take different banks and no memory is added.",
  where:
    "At an array of two dimensions in shared memory whose rows have a power of two of elements, where each use gives both subscripts and its row can be written twice.",
  guide: { document: "best-practices", section: "9.2.3.3" },
  example: {
    before: transpose("[32][32]"),
    cursor: "tile[threadIdx.x][threadIdx.y + j]",
    after: transpose("[32][32]")
      .replace("tile[threadIdx.y + j][threadIdx.x]", "tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j) % 32]")
      .replace("tile[threadIdx.x][threadIdx.y + j]", "tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x % 32]"),
  },
  *offers(context) {
    const { program, syntax } = context;
    const { reading, semantics } = program;
    const written = (node: Expression): string => {
      const text = excerpt(reading, node, 1000);
      return /^[\w.]+$|^\([^()]*\)$/.test(text) ? text : `(${text})`;
    };
    for (const { tile } of tilesOf(context)) {
      const { array, variable } = tile;
      const length = array.dimensions.at(-1) ?? 0;
      const columns = Math.min(length, bankRowBytes / array.elementBytes);
      const uses = tileUses({ syntax, semantics }, variable);
      const isPower = (number: number): boolean => Number.isInteger(number) && number > 1 && 2 ** Math.round(Math.log2(number)) === number;
      if (!uses || !isPower(length) || !isPower(columns) || !uses.every(({ row }) => isRepeatable(row))) continue;
      const edits = all(...uses.map(({ row, column }) => replace(reading, column, `${written(column)} ^ ${written(row)} % ${columns}`)));
      if (edits)
        yield {
          at: [variable, ...uses.map(({ whole }) => whole)],
          fix: { title: `Swizzle the columns of \`${array.name}\` by the row`, safe: true, edits },
        };
    }
  },
});
