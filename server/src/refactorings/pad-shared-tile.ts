import { paddedRows, paddingOf } from "../rules/support/pad-rows.ts";
import { tilesOf, tileUses } from "../rules/support/tile.ts";
import { placeIn } from "../rules/support/violations.ts";
import type { Place } from "../syntax/reading.ts";
import { defineRefactoring } from "./refactoring.ts";
import { transpose } from "./support/examples.ts";

/** Bytes that all banks of shared memory are wide together. */
const bankRowBytes = 128;

export default defineRefactoring({
  id: "pad-shared-tile",
  summary: "Makes the rows of an array in shared memory longer, so that lanes which go down a column take different banks.",
  where:
    "At an array of two dimensions in shared memory, its declaration or a use, where each use gives all of its subscripts. The rows grow by what its conflicts need; where there are none, by one element if they all begin at the same bank.",
  guide: { document: "best-practices", section: "9.2.3.3" },
  rules: ["shared-bank-conflict"],
  example: {
    before: transpose("[32][32]"),
    cursor: "tile[threadIdx.x][threadIdx.y + j]",
    after: transpose("[32][33]"),
  },
  *offers(context) {
    const { program, syntax } = context;
    const { reading, semantics } = program;
    for (const { tile, launch } of tilesOf(context)) {
      const uses = tileUses({ syntax, semantics }, tile.variable);
      if (!uses) continue;
      const places = uses.map(({ whole }) => reading.locate(whole.start, whole.end));
      const isUse = (at: Place | undefined): boolean => places.some((place) => place.file === at?.file && place.start === at.start);
      const paddings = launch.report.accesses.flatMap((access) =>
        access.space === "shared" && access.transactions > access.ideal && isUse(placeIn(launch, access, reading.files))
          ? (paddingOf(access, tile.array) ?? [])
          : [],
      );
      const { dimensions, elementBytes } = tile.array;
      // Rows that begin at other banks each are what padding makes.
      if (paddings.length === 0 && ((dimensions.at(-1) ?? 0) * elementBytes) % bankRowBytes !== 0) continue;
      const fix = paddedRows(context, tile, launch, Math.max(1, ...paddings));
      if (fix) yield { at: [tile.variable, ...uses.map(({ whole }) => whole)], fix };
    }
  },
});
