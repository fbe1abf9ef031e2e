import missingTile from "../rules/missing-tile.ts";
import { defineRefactoring } from "./refactoring.ts";
import { sharedTiles } from "./support/shared-tiles.ts";

/** Of matrices that launches can be run whole with, in square blocks. */
const before = missingTile.example.bad
  .replace("n = 2048", "n = 512")
  .replace("product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>", "product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>");

export default defineRefactoring({
  id: "tile-in-shared-memory",
  summary:
    "Lets the threads of a block copy what their sum of products loads to shared memory, a square tile of each factor at a time, and load it from there.",
  where:
    "At the loop of a kernel that sums up products of two values, one found by the thread's x and one by its y, and by the loop's counter from 0 on; its launches have square blocks of one size. What stands before the loop may declare variables and leave where a thread has no result; behind it is stored alone.",
  guide: { document: "best-practices", section: "9.2.3.2" },
  example: {
    before,
    cursor: "for (int k",
    after: before.replace(
      "  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];\n",
      `  __shared__ float aTile[16][16], bTile[16][16];
  for (int k0 = 0; k0 < n; k0 += 16) {
    aTile[threadIdx.y][threadIdx.x] = k0 + threadIdx.x < n ? a[y * n + (k0 + threadIdx.x)] : 0;
    bTile[threadIdx.y][threadIdx.x] = k0 + threadIdx.y < n ? b[(k0 + threadIdx.y) * n + x] : 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += aTile[threadIdx.y][k] * bTile[k][threadIdx.x];
    __syncthreads();
  }
`,
    ),
  },
  *offers(context) {
    for (const kernel of new Set(context.launches.flatMap(({ fact }) => fact.kernel ?? []))) {
      const found = kernel.at.file === 0 ? sharedTiles(context, kernel.declaration) : undefined;
      if (found) yield { at: [found.loop], fix: found.fix };
    }
  },
});
