/**
 * Small kernels that each ask the compiler one question, by family. Each has its source, what was varied, and a marker: an
 * instruction that the question is about and that nothing else in the kernel makes.
 */

/** @typedef {{ name: string, source: string, varied: Record<string, number | string>, marker: Marker }} Probe */
/** @typedef {"fma" | "store" | "load" | "turn" | "access" | "registers" | "double" | "filling" | "local" | "uniform" | "sunk" | "shared" | "multiplied"} Marker "multiplied": products of integers in a turn, in PTX; "shared": loads from shared memory, and in machine code stores to it besides; "sunk": in PTX the branches in front of it; "filling": loads that are issued before the first is stored to shared memory; "registers": in machine code those of a thread; "turn": of a loop that is not unrolled, in PTX sums of 64 bits and in machine code all it issues; "access": the same for each of its loads and stores */

/** `count` steps that each become one marker: two LLVM instructions, one FFMA. */
const multiplies = (count, x = "x", plus = 1) => `${x}=${x}*a+${plus};`.repeat(count);
const kernel = (name, parameters, body) =>
  `extern "C" __global__ void ${name}(float* __restrict__ p, const float* __restrict__ q, float a${parameters}) { float x = p[threadIdx.x]; ${body} p[threadIdx.x] = x; }`;

/** Counted loops: which are unrolled, and how far. With `load` each turn also reads q[i]. */
function* loops() {
  const bodies = [
    ["arithmetic", ""],
    ["load", "x += q[i];"],
  ];
  for (const [body, extra] of bodies) {
    for (const trips of [4, 8, 12, 15, 16, 24, 32, 50, 64, 100, 1000])
      for (const size of [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 64]) {
        const name = `loop_${body}_${trips}_${size}`;
        const source = kernel(name, "", `for (int i = 0; i < ${trips}; i++) { ${multiplies(size)} ${extra} }`);
        yield { name, source, varied: { body, trips, size }, marker: "fma" };
      }
    for (const size of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 22, 23, 24, 25, 26, 32, 40, 44, 45, 46, 47, 48, 64]) {
      const name = `loop_${body}_n_${size}`;
      const source = kernel(name, ", int n", `for (int i = 0; i < n; i++) { ${multiplies(size)} ${extra} }`);
      yield { name, source, varied: { body, trips: "unknown", size }, marker: "fma" };
    }
  }
}

/**
 * Loops of a constant number of turns too long for NVVM to unroll: whether and how far ptxas does, by turns and size, what a turn reads and
 * stores, and of a loop by itself or within another. Of all of these every seventh.
 */
function* constantTurns() {
  const sizes = [4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 96, 128];
  let asked = 0;
  for (const trips of [2, 3, 4, 5, 6, 7, 9, 10, 13, 16, 25, 32, 50, 125])
    for (const size of sizes)
      for (const loads of [0, 1, 3])
        for (const within of ["nothing", "another"])
          for (const stores of [0, 1]) {
            // Where NVVM has made one block of it there is nothing to ask.
            if (trips * size * 2 < 300 || trips * size > 2000 || asked++ % 7 > 0) continue;
            const turn = `${multiplies(size)}${Array.from({ length: loads }, (_, k) => `x += q[i * 8 + ${k}];`).join("")}${stores ? "p[i + 1024] = x;" : ""}`;
            const loop = `for (int i = 0; i < ${trips}; i++) { ${turn} }`;
            const body = within === "another" ? `float b = 0; for (int j = 0; j < n; j++) { ${loop} if (x > b) b = x; } x = b;` : loop;
            const name = `turns_${trips}_${size}_${loads}_${within}_${stores}`;
            const varied = { body: loads > 0 ? "load" : "arithmetic", trips, size, loads, within, stores };
            yield { name, source: kernel(name, ", int n", body), varied, marker: "fma" };
          }
}

/**
 * What reading takes of a turn by NVVM's count: how much may be computed besides eight loads for it to be unrolled by two, by where is read
 * and what the index is made of.
 */
function* addresses() {
  const indices = {
    counter: (k) => `i * 8 + ${k}`,
    unsigned: (k) => `i * 8u + ${k}`,
    lane: (k) => `i * 8 + ${k} + threadIdx.y`,
    parameter: (k) => `i * 8 + ${k} + n`,
    rows: (k) => `${k * 16} + i`,
    rowsOfLanes: (k) => `${k * 16} + i + threadIdx.x`,
  };
  const spaces = { q: "", s: "__shared__ float s[4096]; s[threadIdx.x] = q[threadIdx.x]; __syncthreads(); " };
  for (const [space, filling] of Object.entries(spaces))
    for (const [index, of] of Object.entries(indices))
      for (let size = space === "q" ? 28 : 32; size <= (space === "q" ? 31 : 35); size++) {
        const name = `addresses_${space}_${index}_${size}`;
        const reads = Array.from({ length: 8 }, (_, k) => `x += ${space}[${of(k)}];`).join(" ");
        const body = `${filling}for (int i = 0; i < 250; i++) { ${multiplies(size)} ${reads} }`;
        yield {
          name,
          source: kernel(name, ", int n", body),
          varied: { body: "load", loads: 8, trips: 250, space, index, size },
          marker: "fma",
        };
      }
}

/**
 * Loops of few turns around one of unknown length, which is unrolled in part: whether the turns are unrolled completely, by what the inner
 * loop does and how its end is known. With `triangle` it depends on the outer counter.
 */
function* innerLoops() {
  const bodies = {
    arithmetic: "",
    load: "x += q[i * 1000 + j];",
    changed: "q[i * 64 + threadIdx.x] -= q[i * 64 + j] * q[j * 64 + threadIdx.x];",
  };
  const ends = { triangle: "i + 1", parameter: "n" };
  for (const [end, bound] of Object.entries(ends))
    for (const [body, extra] of Object.entries(bodies))
      for (const turns of [2, 3, 4, 5, 6, 8, 12, 16])
        for (const size of body === "changed" ? [0, 4] : [1, 2, 4, 8]) {
          const name = `inner_${end}_${body}_${turns}_${size}`;
          const text = `for (int i = 0; i < ${turns}; i++) for (int j = 0; j < ${bound}; j++) { ${multiplies(size)} ${extra} }`;
          yield {
            name,
            source: kernel(name, ", int n", text).replace("const float* __restrict__ q", "float* q"),
            varied: { end, body, turns, size },
            marker: "fma",
          };
        }
}

/** `count` single LLVM instructions on x, every second of which is a marker of its own in PTX and machine code. */
const singles = (count) => Array.from({ length: count }, (_, k) => (k % 2 ? "x = x + a;" : "x = x * a;")).join(" ");

/**
 * Loops over an array of the thread's own, which is filled and read by loops under a pragma: how large they may be to be unrolled, and
 * the array kept in registers. `access`: how the counter chooses elements; "fixed" does not.
 */
function* localArrays() {
  const accesses = {
    load: "x = x + r[i];",
    store: "r[i] = x;",
    update: "r[i] += x;",
    masked: "x = x + r[i & 3];",
    fixed: "x = x + r[m];",
  };
  for (const [access, text] of Object.entries(accesses))
    for (const trips of [16, 64])
      for (const share of [0.1, 0.17, 0.5, 0.9, 0.97, 1.03, 1.1]) {
        // Of about 2,400 instructions, which is where most of them change.
        const size = Math.round((share * 2400) / trips) - 4;
        const name = `local_${access}_${trips}_${size}`;
        const body = `float r[${trips}];\n#pragma unroll\nfor (int i = 0; i < ${trips}; i++) r[i] = q[i * 64];
__syncthreads(); for (int i = 0; i < ${trips}; i++) { ${text} ${singles(size)} }
#pragma unroll\nfor (int i = 0; i < ${trips}; i++) p[i * 64 + 64] = r[i];\n`;
        yield { name, source: kernel(name, ", int m", body), varied: { access, trips, size }, marker: "fma" };
      }
}

/** An outer product kept in an array of the thread's own, as register tiles are: whether both loops of the nest are unrolled. */
function* tiles() {
  for (const rows of [2, 4, 8, 12, 16])
    for (const columns of [2, 4, 8, 12, 16])
      for (const depth of [1, 8, 16]) {
        const name = `tile_${rows}_${columns}_${depth}`;
        const body = `__shared__ float s[1024]; s[threadIdx.x] = x; float c[${rows * columns}] = {0.0f}, u[${rows}], v[${columns}];
for (int t = 0; t < n; t++) { __syncthreads(); for (int k = 0; k < ${depth}; k++) {
for (int i = 0; i < ${rows}; i++) u[i] = s[i * 16 + k + threadIdx.x]; for (int j = 0; j < ${columns}; j++) v[j] = s[k * 32 + j + threadIdx.y];
for (int i = 0; i < ${rows}; i++) for (int j = 0; j < ${columns}; j++) c[i * ${columns} + j] += u[i] * v[j]; } }
for (int i = 0; i < ${rows}; i++) for (int j = 0; j < ${columns}; j++) p[i * 1024 + j + threadIdx.x] = c[i * ${columns} + j];`;
        yield { name, source: kernel(name, ", int n", body), varied: { rows, columns, depth }, marker: "fma" };
      }
}

/**
 * Loops of unknown length that NVVM leaves, as their counter may wrap: whether ptxas unrolls them, by where they begin and what becomes of what
 * they load.
 */
function* laneLoops() {
  const starts = {
    constant: "0",
    parameter: "m",
    block: "blockIdx.x",
    lane: "threadIdx.x & 31u",
    warp: "threadIdx.x / 32u",
    both: "m + threadIdx.x",
  };
  const accesses = {
    summed: "x += q[i];",
    constant: "p[i] = a;",
    copied: "p[i] = q[i];",
    chosen: "p[(int)q[i]] = a;",
    apart: "x += q[i]; p[i] = a;",
    toShared: "s[i & 255] = q[i];",
    fromShared: "p[i] = s[i & 255];",
  };
  for (const [counter, type] of Object.entries({ unsigned: "unsigned", int_unsigned_step: "int" }))
    for (const [start, text] of Object.entries(starts))
      for (const [access, body] of Object.entries(accesses)) {
        const name = `lane_loop_${counter}_${start}_${access}`;
        const loop = `for (${type} i = ${text}; i < n; i += 32u) { x=x*a+1; ${body} }`;
        const source = kernel(
          name,
          ", int n, unsigned m",
          `__shared__ float s[256]; s[threadIdx.x] = x; __syncthreads(); ${loop} p[n + threadIdx.x] = s[m & 255];`,
        );
        const adds = body.startsWith("x +=") ? { body: "load", loads: 1 } : { loads: 0 };
        yield { name, source, varied: { counter, start, access, size: 1, ...adds }, marker: "fma" };
      }
}

/** Loops of unknown length whose counter has 64 bits: how far they are unrolled, by where they begin, their step, and what they do. */
function* longLoops() {
  const starts = { constant: "0", lane: "threadIdx.x & 31u", thread: "threadIdx.x", both: "m + threadIdx.x" };
  const accesses = { summed: "x += q[i];", constant: "p[i] = a;", copied: "p[i] = q[i];" };
  for (const [counter, type] of Object.entries({ long: "long", unsigned_long: "unsigned long" }))
    for (const [start, text] of Object.entries(starts))
      for (const step of [1, 2, 32])
        for (const [access, body] of Object.entries(accesses)) {
          const name = `long_loop_${counter}_${start}_${step}_${access}`;
          const source = kernel(name, `, ${type} n, unsigned m`, `for (${type} i = ${text}; i < n; i += ${step}) { x=x*a+1; ${body} }`);
          const adds = body.startsWith("x +=") ? { body: "load", loads: 1 } : { loads: 0 };
          yield { name, source, varied: { counter, start, step, access, size: 1, ...adds }, marker: "fma" };
        }
}

/**
 * Loops of unknown length around a nest that fills a tile of registers straight from global memory: how far they are unrolled, by the tile's
 * size and by whether the loop goes along the rows of both operands, down their columns, or reads them into arrays first.
 */
function* nests() {
  const operands = {
    rows: { one: "q[(row + i) * m + k]", other: "q[(column + j) * m + k]", first: "" },
    columns: { one: "q[k * m + row + i]", other: "q[k * m + column + j]", first: "" },
    arrays: {
      one: "u[i]",
      other: "v[j]",
      first:
        "for (int i = 0; i < ROWS; i++) u[i] = q[(row + i) * m + k]; for (int j = 0; j < COLUMNS; j++) v[j] = q[(column + j) * m + k];",
    },
  };
  for (const rows of [1, 2, 3, 4, 8])
    for (const columns of [1, 2, 3, 4, 8])
      for (const [operand, { one, other, first }] of Object.entries(operands)) {
        const name = `nest_${rows}_${columns}_${operand}`;
        const each = `for (int i = 0; i < ROWS; i++) for (int j = 0; j < COLUMNS; j++)`;
        const body = `int row = threadIdx.y * ROWS, column = threadIdx.x * COLUMNS; float c[ROWS][COLUMNS] = {}, u[ROWS], v[COLUMNS];
for (int k = 0; k < n; k++) { ${first} ${each} c[i][j] += ${one} * ${other}; } ${each} p[(row + i) * m + column + j] = c[i][j];`;
        const source = kernel(name, ", int n, int m", body.replaceAll("ROWS", String(rows)).replaceAll("COLUMNS", String(columns)));
        yield { name, source, varied: { rows, columns, operand }, marker: "fma" };
      }
}

/** An array of a thread's own that is indexed by what is not constant: whether it lies in local memory, by its elements and the accesses. */
function* elements() {
  const index = (access, size) => `(k >> ${2 * access}) % ${size}u`;
  for (const size of [4, 8, 12, 16, 20, 32, 40, 64, 96])
    for (const [access, counts] of [
      ["reads", [1, 2, 3, 4, 5, 6, 8]],
      ["writes", [1, 2, 4]],
    ])
      for (const count of counts) {
        const name = `elements_${size}_${access}_${count}`;
        const all = [...Array(count).keys()];
        const used =
          access === "reads"
            ? all.map((each) => `x += c[${index(each, size)}] * ${each + 2}.5f;`).join(" ")
            : `${all.map((each) => `c[${index(each, size)}] = ${each}.0f;`).join(" ")} for (int i = 0; i < ${size}; i++) x = x * a + c[i];`;
        const body = `k += threadIdx.x; float c[${size}]; for (int i = 0; i < ${size}; i++) c[i] = q[i * 32 + threadIdx.x]; ${used}`;
        yield { name, source: kernel(name, ", unsigned k", body), varied: { size, access, count }, marker: "local" };
      }
}

/**
 * A register tile whose threads fill shared memory from several places each: how many loads are under way before the first is stored,
 * where the tile leaves few registers for the places.
 */
function* fillings() {
  for (const side of [2, 4, 6, 8])
    for (const loads of [2, 4, 8, 16]) {
      const name = `filling_${side}_${loads}`;
      const body = `__shared__ float s[${loads * 256}]; float c[${side * side}] = {0.0f}, u[${side}], v[${side}];
unsigned row = threadIdx.x / 32, column = threadIdx.x % 32;
for (unsigned t = 0; t < n; t += 32) { for (unsigned i = 0; i < ${loads * 8}; i += 8) s[(row + i) * 32 + column] = q[(row + i) * n + column];
__syncthreads(); q += 32; for (unsigned k = 0; k < 8; ++k) {
for (unsigned i = 0; i < ${side}; ++i) u[i] = s[row * ${side} + i + k * 32]; for (unsigned j = 0; j < ${side}; ++j) v[j] = s[column * ${side} + j + k * 8];
for (unsigned i = 0; i < ${side}; ++i) for (unsigned j = 0; j < ${side}; ++j) c[i * ${side} + j] += u[i] * v[j]; }
__syncthreads(); }
for (int i = 0; i < ${side * side}; i++) p[i * 256 + threadIdx.x] = c[i];`;
      yield { name, source: kernel(name, ", unsigned n", body), varied: { side, loads }, marker: "filling" };
    }
}

/**
 * Tiles of registers whose loop fills shared memory: how many instructions a turn is, by the size of the tile, the loads of a turn, the counter's
 * type, whether a condition guards them, and the threads a block is said to have.
 */
function* pressedLoops() {
  const bounds = { none: "", 128: "__launch_bounds__(128)", 256: "__launch_bounds__(256)", 512: "__launch_bounds__(512)" };
  for (const type of ["int", "unsigned", "size_t"])
    for (const side of [4, 6, 7, 8, 10])
      for (const loads of [2, 4, 8])
        for (const guarded of [false, true])
          for (const threads of Object.keys(bounds)) {
            if (threads !== "none" && (type !== "int" || loads !== 4)) continue;
            const name = `pressed_${type}_${side}_${loads}_${guarded ? "guarded" : "free"}_${threads}`;
            const rows = "(t + l * 256) / 16";
            const fill = (array, at, inside) =>
              guarded ? `float v = 0.0f; if (${inside}) v = ${array}[${at}]; ` : `float v = ${array}[${at}]; `;
            const source = `extern "C" __global__ void ${bounds[threads]} ${name}(float* p, const float* q, const float* r, ${type} n, ${type} m, ${type} d) {
__shared__ float s[16][${loads * 16}], u[16][${loads * 16}]; ${type} t = threadIdx.x; float c[${side}][${side}] = {};
for (${type} k = 0; k < d; k += 16) {
#pragma unroll
for (${type} l = 0; l < ${loads}; l++) { ${type} row = blockIdx.y * ${loads * 16} + ${rows}, column = k + t % 16; ${fill("q", "row * d + column", "row < n && column < d")}s[t % 16][${rows}] = v; }
#pragma unroll
for (${type} l = 0; l < ${loads}; l++) { ${type} row = k + (t + l * 256) / ${loads * 16}, column = blockIdx.x * ${loads * 16} + (t + l * 256) % ${loads * 16}; ${fill("r", "row * m + column", "row < d && column < m")}u[(t + l * 256) / ${loads * 16}][(t + l * 256) % ${loads * 16}] = v; }
__syncthreads();
#pragma unroll
for (int i = 0; i < 4; i++)
#pragma unroll
for (int y = 0; y < ${side}; y++)
#pragma unroll
for (int x = 0; x < ${side}; x++) c[y][x] += s[i][t / 16 + y * 2] * u[i][t % 16 + x * 2];
__syncthreads(); }
for (int y = 0; y < ${side}; y++) for (int x = 0; x < ${side}; x++) p[(t * ${side} + y) * ${side} + x] = c[y][x]; }`;
            yield { name, source, varied: { type, side, loads, guarded, threads }, marker: "turn" };
          }
}

/**
 * Whether a loop that reads rows of a matrix advances pointers or multiplies in each turn: by the values that it keeps and the threads that a block
 * is said to have, where it is known how often it runs; and by how long a turn is, what the counter steps by and its type, which says whether that is known.
 */
function* pointers() {
  const read = (loads) => Array.from({ length: loads }, (_, at) => `v += q[(i + r + ${3 * at}) * m + c];`).join(" ");
  const probe = (name, type, loads, varied, step, kept, turn, bounds = "") => ({
    name,
    source: `extern "C" __global__ void ${bounds}${name}(float* p, const float* q, ${type} n, ${type} m) {
${type} t = threadIdx.x, r = t / 128, c = blockIdx.x * 128 + t % 128; float x[${kept}] = {};
#pragma unroll 1
for (${type} i = 0; i < n; i += ${step}) { float v = 0.0f; ${read(loads)} ${turn} }
for (int j = 0; j < ${kept}; j++) p[t + j * 256] = x[j]; }`,
    varied: { type, loads, step, ...varied },
    marker: "multiplied",
  });
  for (const type of ["int", "size_t"])
    for (const loads of [1, 4])
      for (const kept of [32, 64, 96, 104, 108, 112, 116, 120, 124, 128]) {
        const turn = `\n#pragma unroll\nfor (int j = 0; j < ${kept}; j++) x[j] = x[j] * v + j;`;
        yield probe(`kept_${type}_${loads}_${kept}`, type, loads, { kept }, 1, kept, turn);
      }
  for (const threads of [128, 256, 512, 1024])
    for (const kept of [16, 24, 32, 48, 56, 64, 96, 112, 128, 160, 200]) {
      const turn = `\n#pragma unroll\nfor (int j = 0; j < ${kept}; j++) x[j] = x[j] * v + j;`;
      yield probe(`bound_${threads}_${kept}`, "int", 1, { threads, kept }, 1, kept, turn, `__launch_bounds__(${threads}) `);
    }
  for (const type of ["int", "size_t"])
    for (const loads of [1, 2, 4])
      for (const step of [1, 16])
        for (const size of [4, 8, 12, 16, 18, 20, 22, 24, 26, 28, 32, 48]) {
          const turn = Array.from({ length: size }, (_, at) => `x[0] = x[0] * v + ${at}.0f;`).join("");
          yield probe(`turn_${type}_${loads}_${step}_${size}`, type, loads, { size }, step, 1, turn);
        }
}

/**
 * Whether a product that a loop was spared is computed in the sums that read it all the same: by how wide it and its factors are, whether it is the
 * same to all lanes, and what reads it.
 */
function* productsInSums() {
  const widths = {
    int: "int p = (r + j) * c",
    wide: "long long p = (long long)(r + j) * c",
    unsigned: "unsigned long long p = (unsigned long long)(unsigned)(r + j) * (unsigned)c",
    long: "long long p = (a + j) * b",
    shifted: "int p = (r + j) << 5",
    constant: "int p = (r + j) * 12",
    uniform: "int p = (r + blockIdx.x) * c",
    uniformLong: "long long p = (a + blockIdx.x) * b",
    square: "int p = (r + j) * (r + j)",
  };
  const reads = {
    sum: "s += q[p + x[k]];",
    sums: "s += q[p + x[k]] + q[p + x[k + c]];",
    difference: "s += q[p - x[k]];",
    other: "s += q[p + x[k]] + (float)(p ^ k);",
    scaled: "s += q[p + x[k] * c];",
    guarded: "if (x[k] < c) s += q[p + x[k]];",
  };
  for (const [width, product] of Object.entries(widths))
    for (const [use, body] of Object.entries(reads)) {
      const name = `product_${width}_${use}`;
      const parameters = "const float* q, float* o, const int* x, int r, int c, int n, long long a, long long b";
      const source = `extern "C" __global__ void ${name}(${parameters}) { int j = threadIdx.x; ${product}; float s = 0.0f;
#pragma unroll 1
for (int k = 0; k < n; k++) { ${body} }
o[j] = s; }`;
      yield { name, source, varied: { width, use }, marker: "turn" };
    }
}

/** The same as `pointers`, of loops that hold others and of those within them. */
function* pointersOfNests() {
  const inner = {
    none: "",
    left: "\n#pragma unroll 1\nfor (int e = 0; e < 16; e++) v = v * v + e;",
    unknown: "\n#pragma unroll 1\nfor (int e = 0; e < m; e++) v = v * v + e;",
    unrolled: "\n#pragma unroll\nfor (int e = 0; e < 8; e++) v = v * v + e;",
  };
  for (const type of ["int", "size_t"])
    for (const [nest, code] of Object.entries(inner))
      for (const loads of [1, 2])
        for (const step of [1, 16])
          for (const guarded of [false, true]) {
            const name = `nest_${type}_${nest}_${loads}_${step}_${guarded ? "guarded" : "always"}`;
            const read = Array.from(
              { length: loads },
              (_, at) => `${guarded ? `if (i + ${at} < m) ` : ""}v += q[(i + ${at}) * m + c];`,
            ).join(" ");
            const source = `extern "C" __global__ void ${name}(float* p, const float* q, ${type} n, ${type} m) { ${type} c = blockIdx.x * 128 + threadIdx.x; float x = 0.0f;
#pragma unroll 1
for (${type} i = 0; i < n; i += ${step}) { float v = 0.0f; ${read} ${code} x += v; }
p[c] = x; }`;
            yield { name, source, varied: { type, nest, loads, step, guarded }, marker: "multipliedOutside" };
          }
}

/** `#pragma unroll` on loops that would be large. */
function* pragmas() {
  for (const [trips, size] of [
    [100, 10],
    [100, 64],
    [500, 16],
    [500, 20],
    [500, 24],
    [500, 28],
    [500, 30],
    [500, 32],
    [500, 34],
    [1000, 14],
    [1000, 16],
    [1000, 18],
  ]) {
    const name = `pragma_${trips}_${size}`;
    const source = kernel(name, "", `\n#pragma unroll\nfor (int i = 0; i < ${trips}; i++) { ${multiplies(size)} }`);
    yield { name, source, varied: { trips, size }, marker: "fma" };
  }
}

/**
 * A loop over the depth around one over columns of fragments, both of a constant number of turns and without a pragma: how many steps become
 * one, by what is multiplied and where it stands.
 */
function* fragmentNests() {
  const kinds = {
    half: [16, 16, 16, "__half", "__half", "float"],
    bfloat: [16, 16, 16, "__nv_bfloat16", "__nv_bfloat16", "float"],
    bytes: [16, 16, 16, "signed char", "signed char", "int"],
    tf32: [16, 16, 8, "float", "wmma::precision::tf32", "float"],
    double: [8, 8, 4, "double", "double", "double"],
  };
  const places = { q: "", s: "extern __shared__ __align__(128) char room[]; " };
  for (const [kind, [m, n, k, element, of, sum]] of Object.entries(kinds))
    for (const [place, declared] of Object.entries(places))
      for (const columns of [1, 2, 3, 4, 5, 6, 8])
        for (const turns of [2, 3, 4, 6, 8, 12, 16]) {
          if (place === "s" && (columns % 2 || turns === 3 || turns === 12)) continue;
          const name = `nests_${kind}_${place}_${columns}_${turns}`;
          const from = place === "q" ? "q" : "s";
          const fill = place === "q" ? "" : `${element}* s = (${element}*)room; s[threadIdx.x] = q[threadIdx.x]; __syncthreads();`;
          const fragment = (use, type, more = "") => `wmma::fragment<wmma::${use}, ${m}, ${n}, ${k}, ${type}${more}>`;
          const body = `${declared}${fill} int row = threadIdx.x / 32 * ${m};
${fragment("accumulator", sum)} c[${columns}];
for (int j = 0; j < ${columns}; j++) wmma::fill_fragment(c[j], (${sum})0);
for (int k = 0; k < ${k * turns}; k += ${k}) {
${fragment("matrix_a", of, ", wmma::row_major")} a; wmma::load_matrix_sync(a, ${from} + row * 256 + k, 256);
for (int j = 0; j < ${columns}; j++) {
${fragment("matrix_b", of, ", wmma::col_major")} b; wmma::load_matrix_sync(b, ${from} + j * ${n * 256} + k, 256);
wmma::mma_sync(c[j], a, b, c[j]); } }
for (int j = 0; j < ${columns}; j++) wmma::store_matrix_sync((${sum}*)p + row * 256 + j * ${n}, c[j], 256, wmma::mem_row_major);`;
          const source = `#include <mma.h>\nusing namespace nvcuda;\nextern "C" __global__ void ${name}(float* __restrict__ p, const ${element}* __restrict__ q) { ${body} }`;
          yield { name, source, varied: { kind, place, columns, turns }, marker: "product" };
        }
}

/**
 * `#pragma unroll` on the steps of a matrix product by `wmma`: how far it goes, by the kind of fragments, products a step and steps. `sizes` are
 * rows, columns and depth of a fragment, and its element and that of the sums.
 */
function* fragmentSteps() {
  const kinds = {
    half: [16, 16, 16, "__half", "float"],
    bytes: [16, 16, 16, "signed char", "int"],
    bfloat: [16, 16, 16, "__nv_bfloat16", "float"],
    double: [8, 8, 4, "double", "double"],
  };
  for (const [kind, [m, n, k, element, sum]] of Object.entries(kinds))
    for (const [rows, columns, depth] of [
      [1, 1, 1],
      [1, 2, 2],
      [2, 2, 2],
      [2, 2, 4],
      [2, 4, 4],
    ])
      for (const steps of [16, 64, 256]) {
        const name = `fragments_${kind}_${rows * columns * depth}_${steps}`;
        const fragment = (use, of, more = "") => `wmma::fragment<wmma::${use}, ${m}, ${n}, ${k}, ${of}${more}>`;
        const body = `extern __shared__ __align__(128) char room[]; ${element}* s = (${element}*)room;
${fragment("accumulator", sum)} c[${rows}][${columns}];
#pragma unroll
for (int i = 0; i < ${rows}; i++)
#pragma unroll
for (int j = 0; j < ${columns}; j++) wmma::fill_fragment(c[i][j], (${sum})0);
#pragma unroll
for (int t = 0; t < ${steps}; t++) {
s[threadIdx.x] = q[t * 256 + threadIdx.x]; __syncthreads();
#pragma unroll
for (int k = 0; k < ${depth}; k++) {
${fragment("matrix_a", element, ", wmma::row_major")} a[${rows}]; ${fragment("matrix_b", element, ", wmma::col_major")} b[${columns}];
#pragma unroll
for (int i = 0; i < ${rows}; i++) wmma::load_matrix_sync(a[i], s + i * 512 + k * ${k}, 64);
#pragma unroll
for (int j = 0; j < ${columns}; j++) wmma::load_matrix_sync(b[j], s + 4096 + j * 512 + k * ${k}, 64);
#pragma unroll
for (int i = 0; i < ${rows}; i++)
#pragma unroll
for (int j = 0; j < ${columns}; j++) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]); }
__syncthreads(); }
#pragma unroll
for (int i = 0; i < ${rows}; i++)
#pragma unroll
for (int j = 0; j < ${columns}; j++) wmma::store_matrix_sync(p + i * 1024 + j * ${n}, c[i][j], 64, wmma::mem_row_major);`;
        const source = `#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void ${name}(${sum}* __restrict__ p, const ${element}* __restrict__ q) { ${body} }`;
        yield { name, source, varied: { kind, products: rows * columns * depth, steps }, marker: "product" };
      }
}

/** Loops whose counter no formula describes, ending after so many turns: how far the compiler tries them out. */
function* searches() {
  for (const trips of [10, 60, 90, 98, 99, 100, 101, 102, 110, 126, 127, 128, 129, 140]) {
    let end = 1;
    for (let k = 0; k < trips; k++) end = (Math.imul(end, 3) + 1) >>> 0;
    const name = `search_${trips}`;
    const source = kernel(name, "", `for (unsigned c = 1; c != ${end}u; c = c * 3 + 1) x = x * a + 1.5f;`);
    yield { name, source, varied: { trips }, marker: "fma" };
  }
}

/** Loops of many turns whose counter is compared in a wider type: whether a formula counts the turns, beyond what is tried out. */
function* widenedCounters() {
  for (const bound of ["int", "long", "unsigned long"])
    for (const step of [1, 2, 4])
      for (const trips of [128, 256, 1024])
        for (const size of [1, 4]) {
          const name = `widened_${bound.replace(" ", "_")}_${step}_${trips}_${size}`;
          const source = kernel(
            name,
            "",
            `for (int i = 0; i < (${bound})${step * trips}; i += ${step}) { ${multiplies(size)} x += q[i]; }`,
          );
          yield { name, source, varied: { body: "load", bound, step, trips, size }, marker: "fma" };
        }
}

/** Loops of unknown length by the counter's type and by what it steps: whether the steps may wrap, and whether the compiler knows how far they go. */
function* steps() {
  const kinds = {
    int_parameter: ["int", "step"],
    int_cast: ["int", "(int)blockDim.x"],
    int_mixed: ["int", "blockDim.x"],
    int_unsigned_constant: ["int", "32u"],
    int_constant: ["int", "32"],
    unsigned_parameter: ["unsigned", "(unsigned)step"],
    unsigned_block: ["unsigned", "blockDim.x"],
    unsigned_constant: ["unsigned", "32"],
    unsigned_one: ["unsigned", "1"],
    long_parameter: ["long long", "step"],
    long_mixed: ["long long", "blockDim.x"],
    size_parameter: ["unsigned long long", "(unsigned long long)step"],
    size_block: ["unsigned long long", "blockDim.x"],
    size_constant: ["unsigned long long", "32"],
  };
  for (const [kind, [type, step]] of Object.entries(kinds))
    for (const size of [1, 4, 9, 16, 22, 24, 32]) {
      const name = `step_${kind}_${size}`;
      const body = `for (${type} i = threadIdx.x; i < n; i += ${step}) { ${multiplies(size)} x += q[i]; }`;
      yield {
        name,
        source: kernel(name, `, ${type} n, int step`, body),
        varied: { body: "load", trips: "unknown", kind, size },
        marker: "fma",
      };
    }
  // What else the turn does: whether the loop may be taken to end.
  const besides = {
    store: "x += q[i]; p[i + 64] = x;",
    atomic: "x += q[i]; atomicAdd(p + i, x);",
    volatile: "x += q[i]; *(volatile float*)(p + i) = x;",
    fence: "x += q[i]; __threadfence();",
    half: "x += __half2float(((const __half*)q)[i]);",
    bfloat: "x += __bfloat162float(((const __nv_bfloat16*)q)[i]);",
  };
  for (const [kind, extra] of Object.entries(besides))
    for (const [given, step] of Object.entries({ parameter: "step", constant: "32" })) {
      const name = `step_${kind}_${given}`;
      const body = `for (int i = threadIdx.x; i < n; i += ${step}) { ${multiplies(4)} ${extra} }`;
      yield {
        name,
        source: kernel(name, ", int n, int step", body),
        varied: { body: "load", trips: "unknown", kind, given, size: 4 },
        marker: "fma",
      };
    }
}

/**
 * Loops over a row of an array, by the counter, by how the row begins and by what else reads it: whether each turn sums row and counter
 * in 64 bits, or moves a pointer on.
 */
/** Whether a turn over the rows of a matrix is unrolled, by how wide the product of row and pitch is, and where the rows begin. */
function* wideProducts() {
  for (const [product, index] of [
    ["wide", "(size_t)r * n + threadIdx.y"],
    ["narrow", "r * n + (int)threadIdx.y"],
    ["sum", "(size_t)n * 3 + r"],
  ])
    for (const [start, step] of [
      ["0", 1],
      ["0", 8],
      ["threadIdx.x", 1],
      ["threadIdx.x", 8],
      ["(int)a", 1],
    ]) {
      const name = `product_${product}_${start}_${step}`.replaceAll(/[ .()]/g, "_");
      yield {
        name,
        source: kernel(name, ", int n", `for (int r = ${start}; r < n; r += ${step}) { x=x*a+1; x += q[${index}]; }`),
        varied: { body: "load", trips: "unknown", product, start, step, size: 1 },
        marker: "fma",
      };
    }
}

/**
 * Loops of unknown length that read by an index made of their counter: whether ptxas unrolls them again, which it does where the turns
 * left have a counter of their own. `j` is a signed, `u` an unsigned thread index.
 */
function* indices() {
  const alone = [
    ["r", "r + 3", "r + m", "r + j", "r + u", "r * 4", "r * 4 + 3", "r * 4 + m", "r * 4 + j", "r * 4 + u", "r * 256 + j", "r * 256 + u"],
    ["r * 255 + j", "r * m", "r * m + 3", "r * m + j", "r * m + u", "r * m + m", "j * m + r", "u * m + r", "j * 256 + r", "u * 256 + r"],
    ["(j + r) * 4", "(j + r) * m", "(u + r) * m", "(m + r) * 4", "m - r", "j - r", "(size_t)r * 256 + j", "(size_t)r * m + j"],
    ["(long)r * 256", "(j + r) * 4 + 1", "r * 4 * m + j", "r & 7", "r * 7 & 1023", "r / 3", "r >> 1", "r ^ j", "(r + 1) * 256 + j"],
    [
      "r * 256 + m + j",
      "m * 4 + j + r * 256",
      "(size_t)(r * 256) + j",
      "(size_t)(r * m) + j",
      "(size_t)(r * 256) + u",
      "(size_t)u + r * 256",
    ],
    ["(size_t)u + r", "(size_t)u + r * m", "r * 256 + j * 4 + 1", "r * 256 - j", "j - r * 256", "r * 8 + (j & 7)"],
    ["j + m + r", "(j + m + r) * 4", "(j + m + r) * m", "(j + 3 + r) * m", "(r + j - m) * m + 3", "(j * m + r) * m", "(j * m + m + r) * m"],
    ["((j + m) * m + r) * m", "(j / m * m + r) * m + j", "j / m * m + r * m", "(j / 64 * 64 + r) * m + j"],
  ].flat();
  const pairs = ["r", "r + j", "r * m + j", "j * m + r", "r * 256 + j", "r * m + u", "u * m + r", "r * 4"];
  const together = pairs.flatMap((one, at) => pairs.slice(at + 1).map((other) => [one, other]));
  const probe = (type, start, indices) => {
    const name = `index_${type}_${start}_${indices.join("_and_")}`
      .replaceAll(
        /[-*+>^&/()]/g,
        (sign) => ({ "*": "x", "+": "p", "-": "m", ">": "s", "^": "o", "&": "n", "/": "d", "(": "l" })[sign] ?? "",
      )
      .replaceAll(/\W+/g, "_");
    const reads = indices.map((index) => `x += q[${index}];`).join(" ");
    const body = `int j = threadIdx.x; unsigned u = threadIdx.x; for (${type} r = ${start}; r < n; r++) { x=x*a+1; ${reads} }`;
    return {
      name,
      source: kernel(name, ", int n, int m", body),
      varied: { body: "load", trips: "unknown", type, start, index: indices.join(", "), loads: indices.length, size: 1 },
      marker: "fma",
    };
  };
  for (const index of alone) yield probe("int", "0", [index]);
  for (const pair of together) yield probe("int", "0", pair);
  for (const type of ["int", "unsigned"])
    for (const index of ["r", "r + j", "r + u", "r * 4 + 3", "r * 256 + j", "r * 256 + u", "r * m + u", "u * m + r"])
      for (const start of type === "int" ? ["1", "m", "j"] : ["0", "1"]) yield probe(type, start, [index]);
}

function* rows() {
  const counters = {
    int_constant: ["int", "32"],
    int_parameter: ["int", "step"],
    int_unsigned_constant: ["int", "32u"],
    int_block: ["int", "blockDim.x"],
    unsigned_constant: ["unsigned", "32"],
    unsigned_block: ["unsigned", "blockDim.x"],
    long_constant: ["long long", "32"],
  };
  const begins = {
    parameter: "q",
    row: "q + row * width",
    long_row: "q + (long long)row * width",
    block_row: "q + blockIdx.x * width",
    size_row: "q + (size_t)blockIdx.x * width",
    constant: "q + 1000",
    loaded: "((const float**)q)[row]",
  };
  const besides = { nothing: "", first: "x += r[0];", second: "x += r[1];" };
  for (const [counter, [type, step]] of Object.entries(counters))
    for (const [begin, text] of Object.entries(begins))
      for (const [other, extra] of Object.entries(begin === "row" ? besides : { nothing: "" })) {
        const name = `row_${counter}_${begin}_${other}`;
        const body = `const float* r = ${text}; ${extra}\n#pragma unroll 1\nfor (${type} i = threadIdx.x; i < n; i += ${step}) x += r[i];\n`;
        const source = kernel(name, `, int row, int width, ${type} n, int step`, body);
        yield { name, source, varied: { counter, begin, besides: other }, marker: "turn" };
      }
  // By steps of warps, whose number and count are made alike: without a pragma, as NVVM does not count these turns.
  for (const [index, text] of Object.entries({ element: "i", column: "i * width" })) {
    const name = `row_warps_${index}`;
    const body = `const float* r = q + blockIdx.x * 1000 + threadIdx.x; int warps = blockDim.x / 32;\nfor (int i = threadIdx.x / 32; i < n; i += warps) x += r[${text}];\n`;
    yield {
      name,
      source: kernel(name, ", int width, int n", body),
      varied: { counter: "warps", begin: index, besides: "nothing" },
      marker: "turn",
    };
  }
}

/** Expressions of floats and double constants, stored as floats: whether double arithmetic is left. */
function* foldedDoubles() {
  const expressions = [
    ...[
      "a * 0.5",
      "a * 2.0",
      "a * 0.1",
      "a + 1.0",
      "a + 0.1",
      "1.0 - a",
      "a - 0.5",
      "1.0 / a",
      "a / 2.0",
      "a / 3.0",
      "-1.0 * a",
      "-(a * 2.0)",
    ],
    ...[
      "a * b * 0.5",
      "(a + b) / 2.0",
      "2.0 * (a + b)",
      "1.0 - a * a",
      "a + b + 1.0",
      "2.0 * 3.0 * a",
      "a * (1.0 / 4.0)",
      "a * (1.0 / 3.0)",
    ],
    ...["0.5 * a * b", "a * 2.0 * b", "1.0 + a + b", "1.0 - 2.0 * a", "(1.0 - a) * (1.0 - b)", "a * 0.5 + b * 0.25", "a / (2.0 * b)"],
    ...[
      "1.0 / (1.0 + a)",
      "(a + 1.0) * 0.5",
      "fabsf(a) * 2.0 + 1.0",
      "expf(-0.5 * a)",
      "expf(-0.5 * a * a)",
      "sqrtf(a) * 0.5",
      "1.0 / sqrt(a)",
    ],
    ...[
      "sqrt(a * 2.0)",
      "sqrtf(a * 2.0)",
      "max(a, 0.0)",
      "fmaxf(a, 0.0)",
      "pow(a, 2.0)",
      "floor(a + 0.5)",
      "(int)(a + 0.5)",
      "(int)(a * 255.0)",
    ],
    ...["(float)(a * 2.0)", "(float)(a * 0.1)", "a * (float)0.1", "a * 0.1f * 2.0", "1.0 / 3.0", "0.1", "i * 0.5", "i / 2.0", "1.0 / i"],
    ...["(float)i * 2.0", "(float)i * 0.1", "i ? 1.0 : 0.0", "i ? a : 0.0", "i ? a * 2.0 : 0.0", "i ? 1.0 : a * b * 2.0"],
    ...[
      "a > 0.0 ? b : a",
      "a > 0.1 ? b : a",
      "a == 0.0 ? b : a",
      "fabsf(a - b) < 0.5 ? a : b",
      "fabsf(a) < 1e-6 ? a : b",
      "a > 2.0 * 3.0 ? a : b",
    ],
    ...["a * 2.0 > b ? a : b", "a > 0.5 + b ? a : b"],
  ];
  for (const [index, expression] of expressions.entries()) {
    const name = `double_${index}`;
    yield { name, source: kernel(name, ", float b, int i", `x = ${expression};`), varied: { expression }, marker: "double" };
  }
}

/** Loops whose counter is an `int` or an `unsigned`, and so the numbers that it meets: how many instructions a turn is for each of its loads and stores. */
function* counterTypes() {
  const forms = {
    unit: "for (T i = 0; i < n; i++) x += q[i];",
    unit_store: "for (T i = 0; i < n; i++) p[i] = a;",
    unit_at_most: "for (T i = 0; i <= n; i++) x += q[i];",
    unit_from: "for (T i = m; i < n; i++) x += q[i];",
    down: "for (T i = n; i > 0; i--) x += q[i];",
    constant_8: "for (T i = 0; i < 8; i++) x += q[i];",
    constant_8_rows: "for (T i = 0; i < 8; i++) x += q[i * m];",
    constant_1000: "for (T i = 0; i < 1000; i++) x += q[i];",
    constant_1000_times_8: "for (T i = 0; i < 1000; i++) x += q[i * 8];",
    constant_1000_rows: "for (T i = 0; i < 1000; i++) x += q[i * m];",
    constant_1000_plus: "for (T i = 0; i < 1000; i++) x += q[m + i];",
    times_4: "for (T i = 0; i < n; i++) x += q[4 * i];",
    times_4_plus: "for (T i = 0; i < n; i++) x += q[4 * i + 3];",
    plus_1: "for (T i = 0; i < n; i++) x += q[i + 1];",
    minus_1: "for (T i = 1; i < n; i++) x += q[i - 1];",
    plus: "for (T i = 0; i < n; i++) x += q[m + i];",
    plus_thread: "for (T i = 0; i < n; i++) x += q[threadIdx.x + i];",
    rows: "for (T i = 0; i < n; i++) x += q[i * m];",
    rows_plus: "for (T i = 0; i < n; i++) x += q[i * m + k];",
    rows_thread: "for (T i = 0; i < n; i++) x += q[i * m + threadIdx.x];",
    columns: "for (T i = 0; i < n; i++) x += q[k * m + i];",
    product: "for (T i = 0; i < n; i++) x += q[k * m + i] * p[i * m + k];",
    step_4: "for (T i = 0; i < n; i += 4) x += q[i];",
    step_4_four: "for (T i = 0; i < n; i += 4) x += q[i] + q[i + 1] * q[i + 2] + q[i + 3];",
    step_m: "for (T i = threadIdx.x; i < n; i += m) x += q[i];",
    step_block: "for (T i = threadIdx.x; i < n; i += blockDim.x) x += q[i];",
    grid_stride: "for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) p[i] = q[i] * a;",
    grid_stride_plus: "for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) p[i] = q[i + m] * a;",
    shared: "__shared__ float s[1024]; s[threadIdx.x] = x; __syncthreads(); for (T i = 0; i < n; i++) x += s[i];",
    shared_rows: "__shared__ float s[1024]; s[threadIdx.x] = x; __syncthreads(); for (T i = 0; i < n; i++) x += s[i * 32 + threadIdx.x];",
    unrolled_4: "\n#pragma unroll 4\nfor (T i = 0; i < n; i++) x += q[i * m];\n",
    unrolled_1: "\n#pragma unroll 1\nfor (T i = 0; i < n; i++) x += q[i];\n",
    not_unrolled_rows: "\n#pragma unroll 1\nfor (T i = 0; i < n; i++) x += q[i * m + k];\n",
    not_unrolled_plus: "\n#pragma unroll 1\nfor (T i = 0; i < n; i++) x += q[i + m];\n",
    arithmetic: "for (T i = 0; i < n; i++) x += a * i;",
    arithmetic_product: "for (T i = 0; i < n; i++) x += a * (i * m);",
    tile: "for (T t = 0; t < n; t += 16) { __shared__ float s[16]; s[threadIdx.x] = q[t + threadIdx.x]; __syncthreads(); x += s[m]; __syncthreads(); }",
    pointer: "for (T i = 0; i < n; i++) x += *(q + i);",
    nested: "for (T j = 0; j < n; j++) for (T i = 0; i < k; i++) x += q[j * m + i];",
  };
  for (const [form, text] of Object.entries(forms))
    for (const others of ["int", "unsigned"])
      for (const type of ["int", "unsigned"]) {
        const name = `counter_${form}_${others}_${type}`;
        const source = kernel(name, `, ${others} n, ${others} m, ${others} k`, text.replaceAll("T ", `${type} `));
        yield { name, source, varied: { form, others, type }, marker: "access" };
      }
}

/** Warps that hand registers on (`setmaxnreg`), by what the kernel says of itself: how many it begins with. */
function* reallocations() {
  const bounds = {
    none: "",
    threads_256: "__launch_bounds__(256)",
    threads_384: "__launch_bounds__(384)",
    blocks_128_2: "__launch_bounds__(128, 2)",
    blocks_256_1: "__launch_bounds__(256, 1)",
    blocks_256_2: "__launch_bounds__(256, 2)",
    blocks_384_1: "__launch_bounds__(384, 1)",
    blocks_512_1: "__launch_bounds__(512, 1)",
    registers_80: "__maxnreg__(80)",
  };
  for (const [bound, text] of Object.entries(bounds))
    for (const most of [160, 232, 240]) {
      const name = `reallocation_${bound}_${most}`;
      const work = `if (threadIdx.x < 128) { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); p[threadIdx.x] = 1.0f; }
else { asm volatile("setmaxnreg.inc.sync.aligned.u32 ${most};"); float x = 0.0f; for (int i = 0; i < n; i++) x += p[i]; p[threadIdx.x] = x; }`;
      const source = `extern "C" __global__ void ${text} ${name}(float* p, int n) { ${work} }`;
      yield { name, source, varied: { bound, most }, marker: "registers" };
    }
}

/** Loops of unknown length in which lanes or warps take part together: whether they are unrolled, by what they do so at and by where they begin. */
function* togetherLoops() {
  const kinds = {
    none: "",
    barrier: "__syncthreads();",
    exchange: "s[threadIdx.x] = x; __syncthreads(); x += s[threadIdx.x ^ 1]; __syncthreads();",
    shuffle: "x += __shfl_xor_sync(0xffffffffu, x, 1);",
    butterfly: "for (int o = 16; o > 0; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);",
    ballot: "x += __popc(__ballot_sync(0xffffffffu, x > 1.0f));",
    syncwarp: "__syncwarp();",
  };
  for (const [kind, together] of Object.entries(kinds))
    for (const start of ["0", "first"])
      for (const size of [1, 4, 8, 16, 20, 32, 48]) {
        const name = `together_${kind}_${start}_${size}`;
        const body = `__shared__ float s[256]; s[threadIdx.x] = a; for (int i = ${start}; i < n; i++) { ${multiplies(size)} x += q[i * 32 + threadIdx.x]; ${together} } x += s[255 - threadIdx.x];`;
        yield { name, source: kernel(name, ", int n, int first", body), varied: { trips: "unknown", kind, start, size }, marker: "load" };
      }
}

/**
 * Loops of unknown length that are unrolled, by themselves and within another: what becomes of the turns that are left over, a loop or single
 * turns one behind the other, by how far they are unrolled (`size`), where they begin and what they do.
 */
function* rests() {
  const bodies = {
    load: "x += q[i * 32 + threadIdx.x];",
    store: "r[i * 32 + threadIdx.x] = q[i * 32 + threadIdx.x] + x;",
    shared: "s[i] = q[i * 32 + threadIdx.x];",
  };
  const starts = { zero: ["0", "i++"], lane: ["threadIdx.x", "i += 256"], first: ["first", "i++"] };
  const wholes = {
    alone: (loop) => loop,
    nested: (loop) => `for (int k = 0; k < m; k++) { ${loop} __syncthreads(); r[k] = x + s[threadIdx.x]; }`,
  };
  for (const [whole, around] of Object.entries(wholes))
    for (const [start, [from, step]] of Object.entries(starts))
      for (const [body, does] of Object.entries(bodies))
        for (const size of [1, 8, 20]) {
          const name = `rests_${whole}_${start}_${body}_${size}`;
          const loop = `for (int i = ${from}; i < n; ${step}) { ${multiplies(size)} ${does} }`;
          const source = kernel(
            name,
            ", float* __restrict__ r, int n, int m, int first",
            `__shared__ float s[4096]; s[threadIdx.x] = a; __syncthreads(); ${around(loop)} x += s[255 - threadIdx.x];`,
          );
          yield { name, source, varied: { trips: "unknown", whole, start, body, size }, marker: "load" };
        }
}

/** Loops of unknown length that begin at one index of the launch and step by another, by what is done to both alike. */
function* alikeSteps() {
  const [x, block] = ["(int)threadIdx.x", "(int)blockDim.x"];
  const both = (made) => [made(x), made(block)];
  const kinds = {
    indices: [x, block],
    added: both((index) => `${index} + 1`),
    subtracted: both((index) => `${index} - 3`),
    warps: both((index) => `${index} / 32`),
    thirds: both((index) => `${index} / 3`),
    fours: both((index) => `${index} * 4`),
    threes: both((index) => `${index} * 3`),
    shifted: both((index) => `${index} << step`),
    multiplied: both((index) => `${index} * step`),
    masked: both((index) => `(${index} & 15)`),
    negated: both((index) => `-${index}`),
    twice: both((index) => `((${index} * 4) & 31)`),
    other_shift: [`${x} / 32`, `${block} / 64`],
    other_index: [`(int)threadIdx.y * 4`, `${block} * 4`],
    blocks: ["(int)blockIdx.x * 4", "(int)gridDim.x * 4"],
    blocks_threads: ["(int)blockIdx.x / 32", `${block} / 32`],
    parameter: ["step * 4", `${block} * 4`],
    by_parameter: [`${x} * 4`, "step * 4"],
    sums: [`((int)blockIdx.x * ${block} + ${x}) * 4`, `((int)gridDim.x * ${block}) * 4`],
    warps_of_blocks: [`(int)blockIdx.x * (${block} / 32) + ${x} / 32`, `${block} / 32`],
    warps_of_grid: [`(int)blockIdx.x * (${block} / 32) + ${x} / 32`, `(int)gridDim.x * (${block} / 32)`],
    warp_added: [`${x} / 32 + 1`, `${block} / 32`],
  };
  for (const [kind, [start, step]] of Object.entries(kinds)) {
    const name = `alike_${kind}`;
    const body = `for (int i = ${start}; i < n; i += ${step}) { ${multiplies(4)} x += q[i]; }`;
    yield {
      name,
      source: kernel(name, ", int n, int step", body),
      varied: { body: "load", trips: "unknown", kind, size: 4 },
      marker: "fma",
    };
  }
}

/** Loops of unknown length by the widths of counter and bound, and where they begin: which are unrolled, and which of those by ptxas again. */
function* counterWidths() {
  const pairs = [
    ["int", "int"],
    ["int", "unsigned"],
    ["int", "long"],
    ["int", "unsigned long"],
    ["long", "long"],
    ["unsigned long", "unsigned long"],
  ];
  for (const [type, bound] of pairs)
    for (const [start, step] of [
      ["0", 1],
      ["0", 2],
      ["threadIdx.x", 1],
      ["threadIdx.x", 32],
    ])
      for (const size of [1, 4]) {
        const name = `width_${type}_${bound}_${start}_${step}_${size}`.replaceAll(/[ .]/g, "_");
        const body = `for (${type} i = ${start}; i < n; i += ${step}) { ${multiplies(size)} x += q[i]; }`;
        yield {
          name,
          source: kernel(name, `, ${bound} n`, body),
          varied: { body: "load", trips: "unknown", type, bound, start, step, size },
          marker: "fma",
        };
      }
}

/** Loops that test at the top behind `size` steps: whether the test is copied before the loop. */
function* headers() {
  for (const size of [1, 2, 4, 6, 7, 8, 9, 10, 16, 20, 24, 32, 48, 96, 192]) {
    const name = `header_${size}`;
    const body = `float y = x; for (;;) { ${multiplies(size, "y")} if (y > 100.0f) break; p[threadIdx.x + 64] = y; __threadfence_block(); }`;
    yield { name, source: kernel(name, "", `${body} x = y;`), varied: { size }, marker: "fma" };
  }
}

/** Branches around `size` steps: computed on both ways and selected, or left a branch. */
function* selections() {
  for (const arms of [1, 2])
    for (const size of [1, 2, 3, 4, 5, 6, 8]) {
      const name = `select_${arms}_${size}`;
      const integer = (op, count) => Array.from({ length: count }, (_, k) => `i = (i ${op} m) + ${2 * k + 3};`).join(" ");
      const other = arms === 2 ? `else { ${integer("&", size)} }` : "";
      const body = `int i = threadIdx.y; if (x > a) { ${integer("^", size)} } ${other} p[threadIdx.x + i] = 1.0f;`;
      yield { name, source: kernel(name, ", int m", body), varied: { arms, size: 2 * size }, marker: "store" };
    }
}

/**
 * Branches around `size` instructions, which lanes take differently or a warp takes as a whole: predicated or not. Stores alone, or
 * arithmetic and one store.
 */
function* predications() {
  for (const condition of ["divergent", "uniform"])
    for (const of of ["stores", "arithmetic"])
      for (const arms of [1, 2])
        for (const size of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16]) {
          const stores = (from) => Array.from({ length: size }, (_, k) => `v[${(from + k) * 64}] = x;`).join(" ");
          const arm = (from) => (of === "stores" ? stores(from) : `${multiplies(size - 1, "x", from)} v[${from * 64}] = x;`);
          const name = `predicate_${condition}_${of}_${arms}_${size}`;
          const test = condition === "divergent" ? "x > a" : "n > 3";
          const other = arms === 2 ? `else { ${arm(100)} }` : "";
          const body = `volatile float* v = p + threadIdx.x; if (${test}) { ${arm(1)} } ${other} __syncthreads();`;
          yield { name, source: kernel(name, ", int n", body), varied: { condition, of, arms, size }, marker: "store" };
        }
}

/** Arms that read global or shared memory, by how much they do with it: which of them run under a predicate. */
function* loadingArms() {
  for (const condition of ["divergent", "uniform"])
    for (const of of ["global", "shared"])
      for (const size of [0, 2, 4, 6, 8, 10, 12, 13, 14, 15, 16, 20]) {
        const name = `loading_${condition}_${of}_${size}`;
        const chain = Array.from({ length: size }, (_, k) => `v = v * a + ${k}.5f;`).join(" ");
        const from = of === "global" ? "q[n * threadIdx.y + threadIdx.x]" : "s[threadIdx.x][n]";
        const test = condition === "divergent" ? "threadIdx.y < n" : "n > 3";
        const body = `__shared__ float s[64][17]; s[threadIdx.x][threadIdx.y] = x; __syncthreads(); float w = 0.0f; if (${test}) { float v = ${from}; ${chain} w = v; } s[threadIdx.y][threadIdx.x] = w; __syncthreads(); x = s[threadIdx.x][threadIdx.y];`;
        yield { name, source: kernel(name, ", int n", body), varied: { condition, of, size }, marker: "load" };
      }
}

/** Neighbouring words read at a place only known at run time, aligned as their struct is: how wide the loads are. */
function* widths() {
  for (const space of ["global", "constant"])
    for (const words of [0, 2, 4, 8]) {
      const name = `width_${space}_${words}`;
      const struct = `struct __align__(${Math.max(4, words * 4)}) S_${name} { float v[${Math.max(1, words)}]; };`;
      const constant = space === "constant" ? `__constant__ S_${name} c_${name}[64];` : "";
      const from = space === "constant" ? `c_${name}[threadIdx.x]` : `s[threadIdx.x]`;
      const sum = Array.from({ length: words }, (_, k) => `x = x * ${from}.v[${k}];`).join(" ");
      const body = kernel(name, `, int n, const S_${name}* __restrict__ s`, sum);
      yield { name, source: `${struct} ${constant} ${body}`, varied: { space, words }, marker: "load" };
    }
}

/** Neighbouring elements of shared memory, loaded or stored side by side, by their type and how their array is declared. */
function* neighbours() {
  const types = {
    "unsigned char": "x += v;",
    short: "x += v;",
    half: "x += __half2float(v);",
    float: "x += v;",
    double: "x += (float)v;",
    half2: "x += __low2float(v) * __high2float(v);",
    float2: "x += v.x * v.y;",
    uchar4: "x += v.x * v.y + v.z * v.w;",
    Mixed: "x += v.f * v.i;",
  };
  const arrays = { static: "__shared__", aligned: "__shared__ __align__(16)", dynamic: "extern __shared__" };
  for (const [type, sum] of Object.entries(types))
    for (const [array, declared] of Object.entries(arrays))
      for (const access of ["loaded", "stored"])
        for (const count of [2, 4, 8]) {
          const name = `neighbours_${type.replace(" ", "_")}_${array}_${access}_${count}`;
          const own = `S_${name}`;
          const struct = type === "Mixed" ? `struct __align__(8) ${own} { float f; int i; };` : `typedef ${type} ${own};`;
          const s = `s_${name}`;
          const each = (text) => Array.from({ length: count }, (_, k) => text(k)).join(" ");
          const from = `((const ${own}*)q)`;
          const body =
            access === "loaded"
              ? `${s}[threadIdx.x] = ${from}[threadIdx.x]; __syncthreads(); ${each((k) => `{ ${own} v = ${s}[(threadIdx.x ^ 1) * ${count} + ${k}]; ${sum} }`)}`
              : `${each((k) => `${s}[threadIdx.x * ${count} + ${k}] = ${from}[threadIdx.x + ${k} * n];`)} __syncthreads(); { ${own} v = ${s}[threadIdx.x ^ 1]; ${sum} }`;
          const declaration = `${declared} ${own} ${s}[${array === "dynamic" ? "" : "1024"}];`;
          yield {
            name,
            source: `${struct} ${kernel(name, ", int n", `${declaration} ${body}`)}`,
            varied: { type, array, access, count },
            marker: "shared",
          };
        }
}

const unary =
  "rsqrt sqrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan sinpi cospi asin acos atan sinh cosh tanh asinh acosh atanh erf erfc erfinv erfcx cbrt rcbrt round lgamma tgamma normcdf normcdfinv j0 j1 y0 y1 logb".split(
    " ",
  );
const binary = ["pow", "atan2", "hypot", "rhypot", "fmod", "remainder"];

/** Expressions by the engine's name for what they become, of `x`, `a` and `n`; "none" is what each is compared with. */
const calls = (suffix) => ({
  none: "x * a",
  ...Object.fromEntries(unary.map((name) => [name, `${name}${suffix}(x)`])),
  ...Object.fromEntries(binary.map((name) => [name, `${name}${suffix}(x, a)`])),
  powConstant: suffix === "f" ? "powf(x, 2.4f)" : "pow(x, 2.4)",
  div: "x / a",
  divConstant: suffix === "f" ? "x / 3.0f" : "x / 3.0",
  rcp: suffix === "f" ? "1.0f / x" : "1.0 / x",
  ldexp: `ldexp${suffix}(x, n)`,
  scalbn: `scalbn${suffix}(x, n)`,
  ilogb: `ilogb${suffix}(x)`,
});
const integers = {
  none: "i + n",
  udiv: "(int)((unsigned)i / (unsigned)n)",
  urem: "(int)((unsigned)i % (unsigned)n)",
  sdiv: "i / n",
  srem: "i % n",
  udivConstant: "(int)((unsigned)i / 7u)",
  uremConstant: "(int)((unsigned)i % 7u)",
  sdivConstant: "i / 7",
  sremConstant: "i % 7",
  sdivPower: "i / 8",
  sremPower: "i % 8",
};

/** Functions of the maths library and divisions: how many instructions they are. */
function* functions() {
  const types = { f32: ["float", calls("f")], f64: ["double", calls("")], i32: ["int", integers] };
  for (const [type, [c, table]] of Object.entries(types))
    for (const [call, value] of Object.entries(table)) {
      const name = `function_${type}_${call}`;
      const body =
        type === "i32" ? `int i = p[threadIdx.x]; p[threadIdx.x] = ${value};` : `${c} x = p[threadIdx.x]; p[threadIdx.x] = ${value};`;
      const source = `extern "C" __global__ void ${name}(${c}* p, ${c} a, int n) { ${body} }`;
      yield { name, source, varied: { type, call }, marker: "fma" };
    }
}

/** The same of floats with `-use_fast_math`. */
function* fastFunctions() {
  for (const { source, varied, ...rest } of functions()) if (varied.type === "f32") yield { ...rest, source, varied };
}

/** Loops of unknown length with a condition in each turn, by what it guards: whether ptxas predicates that and unrolls them again. */
function* guardedLoops() {
  const guards = { data: "q[r] > a", counter: "r != m", equal: "(int)q[r] == m", thread: "(r & 31) == threadIdx.x" };
  const arms = {
    sum: (size) => `${multiplies(size, "x", "a")}`,
    read: (size) => `${multiplies(size - 1, "x", "a")} x = x*q[r + m]+a;`,
    store: (size) => `${multiplies(size - 1, "x", "a")} x = x*a+a; p[r + 1024] = a;`,
    skip: (size) => `${multiplies(size - 1, "x", "a")} x = x*a+q[r]; if (x > 3.0f) continue; p[r + 1024] = a;`,
  };
  for (const [guard, condition] of Object.entries(guards))
    for (const [arm, text] of Object.entries(arms))
      for (const size of [1, 2, 3, 4, 6, 8, 12]) {
        const name = `guarded_${guard}_${arm}_${size}`;
        const source = kernel(name, ", int n, int m", `for (int r = 0; r < n; r++) { if (${condition}) { ${text(size)} } }`);
        yield { name, source, varied: { body: "arithmetic", trips: "unknown", guard, arm, size }, marker: "fma" };
      }
}

/** Loops of unknown length by what they load and store, from one array or from several: which ptxas unrolls again. */
function* accessLoops() {
  for (const loads of [1, 2, 3, 4])
    for (const arrays of ["one", "several"])
      for (const stores of [0, 1])
        for (const size of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
          const from = (k) => (arrays === "one" ? `q[r + ${8 * k}]` : `q${k}[r]`);
          const reads = Array.from({ length: loads }, (_, k) => `x += ${from(k)};`).join(" ");
          const name = `access_${loads}_${arrays}_${stores}_${size}`;
          const others = Array.from({ length: loads }, (_, k) => `, const float* __restrict__ q${k}`).join("");
          const body = `for (int r = 0; r < n; r++) { ${multiplies(size)} ${reads} ${stores ? "p[r + 1024] = x;" : ""} }`;
          const varied = { body: "load", trips: "unknown", arrays, loads, stores, size };
          yield { name, source: kernel(name, `${others}, int n`, body), varied, marker: "fma" };
        }
}

/** Loops of unknown length that call a function on what they read, once or twice a turn: how far they are unrolled. */
function* callLoops() {
  const types = { f32: ["float", calls("f")], f64: ["double", calls("")], i32: ["int", integers] };
  for (const [type, [c, table]] of Object.entries(types))
    for (const [call, value] of Object.entries(table))
      for (const times of [1, 2]) {
        const x = type === "i32" ? "i" : "x";
        const turn = Array.from({ length: times }, (_, k) => `{ ${c} ${x} = q[${k ? "r + m" : "r"}]; s += ${value}; }`).join(" ");
        const name = `call_loop_${type}_${call}_${times}`;
        const source = `extern "C" __global__ void ${name}(${c}* p, const ${c}* __restrict__ q, ${c} a, int n, int m) { ${c} s = 0; for (int r = 0; r < m; r++) { ${turn} } p[threadIdx.x] = s; }`;
        yield { name, source, varied: { type, call, times }, marker: "load" };
      }
}

/**
 * Offsets of 64 bits that are the same to all lanes, by where they are made and what needs them: on the datapath of the warp, or lane by lane.
 */
function* longOffsets() {
  const made = {
    "long by block": "blockIdx.x * m",
    "long by long": "m * n",
    "int by block": "(size_t)blockIdx.x * c",
    "int by int": "(size_t)c * b",
    "int, squared": "((size_t)c * b + blockIdx.x) * c",
    "sum by int": "(size_t)(blockIdx.x * b + blockIdx.y) * c",
  };
  const needs = {
    "its own block": (at) => `x += q[${at} + threadIdx.x];`,
    "its own block, twice": (at) => `x += q[${at} + threadIdx.x] + q[3 * ${at} + threadIdx.y];`,
    "two blocks": (at) => `x += q[${at} + threadIdx.x]; __syncthreads(); if (x > a) p[${at} + threadIdx.y] = x * x;`,
    "a loop of the warp": (at) => `for (int k = 0; k < r; k++) { x = x * q[${at} + threadIdx.x] + k; __syncwarp(); p[k] = x; }`,
    "two loops of each lane": (at) =>
      `for (int i = threadIdx.x; i < r; i += 256) x += q[${at} + i]; __syncthreads(); for (int i = threadIdx.x; i < r; i += 256) p[${at} + i] = x;`,
  };
  const places = {
    entry: (code) => code,
    "behind a guard": (code) => `if (threadIdx.x >= r) return; ${code}`,
    "an arm of some lanes": (code) => `if (threadIdx.x < r) { ${code} }`,
    "an arm of the warp": (code) => `if (r > 3) { ${code} }`,
    "a loop of the warp": (code) => `for (int z = 0; z < r; z++) { m += z; c += z; ${code} __syncthreads(); }`,
  };
  for (const [place, within] of Object.entries(places))
    for (const [need, use] of Object.entries(needs))
      for (const [of, offset] of Object.entries(made)) {
        const name = `offset_${[place, need, of].map((each) => each.replaceAll(/\W+/g, "_")).join("_")}`;
        const body = within(`const size_t at = ${offset}; ${use("at")}`);
        yield {
          name,
          source: kernel(name, ", size_t m, long long n, int r, int b, int c", body),
          varied: { place, need, of },
          marker: "uniform",
        };
      }
}

/**
 * What one operation counts in a loop of unknown length: four of a kind a turn (some with a sum of floats, which is a marker too), beside as
 * many multiplications as NVVM still unrolls by four, and by two, and one more.
 */
function* operationCosts() {
  const asm = (text) => `asm volatile(${text});`;
  const product = (to, from, registers) =>
    asm(`"mma.sync.aligned.m16n8k16.row.col.${to}.f16.f16.${to} {${registers}}, {%4, %5, %6, %7}, {%8, %9}, {${registers}};" : ${from}`);
  const inputs = '"r"(u2), "r"(u3), "r"(u4), "r"(u5), "r"(u6), "r"(u7)';
  const kinds = {
    "sum and bits": ["u0 = (u0 + u1) ^ u2;", 8],
    "remainder by three": ["u0 += (unsigned)((int)u0 % 3);", 20],
    "remainder by four, signed": ["u0 += (unsigned)((int)u0 % 4);", 20],
    "remainder by four": ["u0 += u1 + (u0 % 4);", 12],
    "remainder by a variable": ["u0 += u0 % u1;", 20],
    "quotient by three": ["u0 += u0 / 3;", 20],
    "quotient by a variable": ["u0 += (unsigned)((int)u0 / (int)u1);", 20],
    minimum: ["u0 = min(u0 + u1, u2);", 12],
    "minimum of floats": ["f0 = fminf(f0 + f1, f2);", 8, 1],
    magnitude: ["f0 = fabsf(f0) + f1;", 8, 1],
    choice: ["f0 = f0 < f1 ? f2 : f0 + f3;", 12, 1],
    fused: ["f0 = fmaf(f0, f1, f2);", 4, 1],
    "sum of doubles": ["d += e;", 4],
    "absolute value": ["u0 = (unsigned)abs((int)u0) + u1;", 16],
    "high half of a product": ["u0 = __umulhi(u0, u1);", 4],
    "funnel shift": ["u0 = __funnelshift_l(u0, u1, 3);", 4],
    permutation: ["u0 = __byte_perm(u0, u1, 0x3210);", 4],
    root: ["f0 = sqrtf(f0);", 4],
    "reciprocal root": ["f0 = rsqrtf(f0);", 4],
    quotient: ["f0 = f0 / f1;", 16],
    "fast quotient": ["f0 = __fdividef(f0, f1);", 4],
    conversion: ["f0 += (float)u0; u0 += u1;", 12, 1],
    "bits that are set": ["u0 = __popc(u0) + u1;", 8],
    exchange: ["u0 = __shfl_xor_sync(~0u, u0, 1);", 4],
    vote: ["u0 = __ballot_sync(~0u, u0);", 8],
    barrier: ["__syncthreads();", 4],
    halves: ["{ float2 v = __half22float2(h); f0 += v.x; f1 += v.y; u0 += u1; h = (__half2&)u0; }", 28, 2],
    "asm of no operands": [asm('"cp.async.wait_group 1;"'), 4],
    "asm of one result": [asm('"mov.u32 %0, %%clock;" : "=r"(u0)'), 4],
    "asm of two operands": [asm('"st.shared.u32 [%0], %1;" :: "r"(u1), "r"(u2)'), 4],
    "matrix of two": [asm('"ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];" : "=r"(u0), "=r"(u1) : "r"(u0)'), 4],
    "matrix of four": [
      asm('"ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(u0), "=r"(u1), "=r"(u2), "=r"(u3) : "r"(u0)'),
      4,
    ],
    product: [product("f32", `"+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : ${inputs}`, "%0, %1, %2, %3"), 4],
  };
  for (const [kind, [text, cost, sums = 0]] of Object.entries(kinds))
    for (const limit of [49, 93])
      for (const more of [0, 1]) {
        const size = Math.floor((limit - cost) / 2) + more;
        const name = `cost_${kind.replaceAll(/\W+/g, "_")}_${size}`;
        const before =
          "unsigned u0 = w[0], u1 = w[1], u2 = w[2], u3 = w[3], u4 = w[4], u5 = w[5], u6 = w[6], u7 = w[7]; float f0 = p[9], f1 = p[8], f2 = p[7], f3 = p[6]; __half2 h = ((__half2*)w)[9]; double d = ((double*)w)[5], e = ((double*)w)[6];";
        const after = "w[0] = u0 + u1 + u2 + u3; p[1] = f0 + f1 + f2 + f3; ((__half2*)w)[9] = h; ((double*)w)[5] = d;";
        const body = `${before} for (int i = 0; i < n; i++) { ${text.repeat(4)} ${multiplies(size)} } ${after}`;
        yield { name, source: kernel(name, ", int n, unsigned* w", body), varied: { kind, size, markers: size + 4 * sums }, marker: "fma" };
      }
}

/** Where what one block uses is computed: a value by what it is made of, a use by what lies between; the marker is the value. */
function* sinking() {
  const values = {
    load: "float v = h[i];",
    "read-only load": "float v = r[i];",
    minimum: "float v = fminf(x, a);",
    "minimum of what is loaded": "float v = fminf(h[i], x);",
    "minimum of two": "float w = q[i + 5], u = q[i + 6], v = fminf(w, u); o[i + 400] = w + u;",
    "multiply-add": "float v = fminf(x, a) * a + 3.f;",
  };
  const root = "float y = sqrtf(x);";
  const turns = (body) => `float s = 0;\n#pragma unroll 1\nfor (int k = 0; k < n; k++) { ${body} }`;
  const uses = {
    "in a branch": "if (x > 0) o[i] = v;",
    "in a branch of a branch": `if (x > 0) { ${root} if (y < q[i + 99]) o[i] = v * y; }`,
    "twice there": `if (x > 0) { ${root} if (y < q[i + 99]) { o[i] = v * y; o[i + 3] = v + y; } }`,
    "behind a write": `o[i + 300] = x; if (x > 0) { ${root} if (y < q[i + 99]) o[i] = v * y; }`,
    "behind a write in the branch": `if (x > 0) { o[i + 5] = x; ${root} if (y < q[i + 99]) o[i] = v * y; }`,
    "in both ways of a branch": `if (x > 0) { ${root} if (y < q[i + 99]) o[i] = v * y; else o[i] = v / y; }`,
    "in the branch and the next": `if (x > 0) { float y = sqrtf(x) + v; if (y < q[i + 99]) o[i] = v / y; }`,
    "behind a join": "if (x > 0) o[i + 9] = x; if (q[i + 7] < 4) o[i] = v;",
    "behind a join in a branch": "if (x > 0) { if (q[i + 99] > 0) o[i + 4] = x; if (q[i + 44] > 3) o[i] = v; }",
    "behind a loop": `${turns("s = s * x + q[k];")} o[i] = s; if (s > 0) o[i + 1] = v;`,
    "behind a loop in a branch": `if (x > 0) { ${turns("s = s * x + q[k];")} o[i] = s * v; }`,
    "in a loop in a branch": `if (x > 0) { ${turns("s = s * x / v;")} o[i] = s; }`,
    "behind returns": "if (x < 0) return; if (q[i + 44] < x) return; o[i] = v;",
  };
  for (const [value, made] of Object.entries(values))
    for (const [use, used] of Object.entries(uses)) {
      const name = `sinking_${value}_${use}`.replaceAll(/\W+/g, "_");
      const parameters = "float* o, const float* q, const short* h, const short* __restrict__ r, float a, int n";
      const body = `int i = blockIdx.x * blockDim.x + threadIdx.x; float x = q[i]; ${made} ${used}`;
      const source = `extern "C" __global__ void ${name}(${parameters}) { ${body} }`;
      yield { name, source, varied: { value, use }, marker: "sunk" };
    }
}

/**
 * As many sums as columns of a row that all lanes share, or that each has its own of: registers, where those of one more resident warp
 * would leave the loads waiting for each other.
 */
function* loadsAhead() {
  const parameters = "const float* __restrict__ x, const float* __restrict__ w, float* o, int n, int h";
  for (const columns of [4, 6, 8, 10, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32]) {
    const each = `_Pragma("unroll") for (int e = 0; e < ${columns}; e++)`;
    const bodies = {
      warp: `int l = threadIdx.x % 32; t /= 32; if (t >= n) return; float a[${columns}] = {}; for (int i = l; i < h; i += 32) { float v = x[t * h + i]; ${each} a[e] = fmaf(v, w[e * h + i], a[e]); } ${each} o[(t * 32 + l) * ${columns} + e] = a[e];`,
      thread: `if (t >= n) return; float a[${columns}] = {}; for (int i = 0; i < h; i++) { ${each} a[e] = fmaxf(a[e], w[(i * ${columns} + e) * n + t]) + 1.f; } ${each} o[t * ${columns} + e] = a[e];`,
    };
    for (const [by, body] of Object.entries(bodies)) {
      const name = `ahead_${by}_${columns}`;
      const source = `extern "C" __global__ void ${name}(${parameters}) { int t = blockIdx.x * blockDim.x + threadIdx.x; ${body} }`;
      yield { name, source, varied: { by, columns }, marker: "registers" };
    }
  }
}

/** Loops whose counter and bound are the same for all threads, by the bound and what the counter is used for: comparisons on the uniform datapath. */
function* comparedWords() {
  const parameters = "const float* __restrict__ x, const float* __restrict__ w, float* o, int n, int m";
  const bounds = { constant: "100", parameter: "n", masked: "(n & ~3)", product: "n * m", shifted: "(n >> 3)" };
  const uses = {
    nothing: "a = fmaf(a, w[t], 1.f);",
    lanes: "a += x[i * 32 + t];",
    all: "a += x[i];",
    shared: "a += s[i & 63] * a;",
    value: "a = fmaf(a, 2.f, (float)i);",
    both: "a += x[i] * s[(t + i) & 63];",
  };
  for (const [bound, last] of Object.entries(bounds)) {
    for (const [use, body] of Object.entries(uses)) {
      for (const turns of [1, 4]) {
        const name = `compared_${bound}_${use}_${turns}`;
        const source = `extern "C" __global__ void ${name}(${parameters}) { __shared__ float s[64]; int t = blockIdx.x * blockDim.x + threadIdx.x; s[threadIdx.x & 63] = w[t]; __syncthreads(); float a = 0; _Pragma("unroll ${turns}") for (int i = 0; i < ${last}; i++) { ${body} } o[t] = a; }`;
        yield { name, source, varied: { bound, use, turns }, marker: "compared" };
      }
    }
  }
}

/** The same code where the source says nothing of its blocks, how many threads they have, and how many blocks an SM is to hold as well. */
function* boundedBlocks() {
  const parameters = "const float* __restrict__ x, const float* __restrict__ w, float* o, int n, int h";
  const filled = (tall, wide, ahead) =>
    `__shared__ float a[2][8][${tall * 16}], b[2][8][${wide * 16}]; int t = threadIdx.x, r = t / 16, c = t % 16, u = 0; const float4* g = (const float4*)x; float s[${tall}][${wide}] = {}; float4 p[${ahead}]; for (int k = 0; k < h; k += 8) { _Pragma("unroll") for (int i = 0; i < ${ahead}; i++) p[i] = g[(size_t)(t + i * 256) * h + k]; _Pragma("unroll") for (int d = 0; d < 8; d++) { float m[${tall}], q[${wide}]; _Pragma("unroll") for (int i = 0; i < ${tall}; i += 4) *(float4*)&m[i] = *(float4*)&a[u][d][r * ${tall} + i]; _Pragma("unroll") for (int j = 0; j < ${wide}; j += 4) *(float4*)&q[j] = *(float4*)&b[u][d][c * ${wide} + j]; _Pragma("unroll") for (int i = 0; i < ${tall}; i++) _Pragma("unroll") for (int j = 0; j < ${wide}; j++) s[i][j] = fmaf(m[i], q[j], s[i][j]); } _Pragma("unroll") for (int i = 0; i < ${ahead}; i++) *(float4*)&a[u ^ 1][i % 8][(t * 4) % ${tall * 16}] = p[i]; __syncthreads(); u ^= 1; } _Pragma("unroll") for (int i = 0; i < ${tall}; i++) _Pragma("unroll") for (int j = 0; j < ${wide}; j++) o[(t * ${tall} + i) * ${wide} + j] = s[i][j];`;
  const columns = (count) =>
    `int l = threadIdx.x % 32, t = (blockIdx.x * blockDim.x + threadIdx.x) / 32; if (t >= n) return; float a[${count}] = {}; for (int i = l; i < h; i += 32) { float v = x[t * h + i]; _Pragma("unroll") for (int e = 0; e < ${count}; e++) a[e] = fmaf(v, w[e * h + i], a[e]); } _Pragma("unroll") for (int e = 0; e < ${count}; e++) o[(t * 32 + l) * ${count} + e] = a[e];`;
  const summed = (turns) =>
    `int t = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; _Pragma("unroll ${turns}") for (int i = t; i < h; i += n) s += x[i] * w[i]; o[t] = s;`;
  const around = (reach) =>
    `int i = blockIdx.x * blockDim.x + threadIdx.x + ${reach} * n, s = 0; float v = 0; _Pragma("unroll") for (int a = -${reach}; a <= ${reach}; a++) _Pragma("unroll") for (int b = -${reach}; b <= ${reach}; b++) v = fmaf(w[s++], x[i + a * n + b], v); o[i] = v;`;
  const bodies = {
    filled_4_4_2: filled(4, 4, 2),
    filled_4_4_4: filled(4, 4, 4),
    filled_8_4_2: filled(8, 4, 2),
    filled_8_4_4: filled(8, 4, 4),
    filled_8_8_1: filled(8, 8, 1),
    filled_8_8_4: filled(8, 8, 4),
    columns_8: columns(8),
    columns_16: columns(16),
    columns_24: columns(24),
    summed_8: summed(8),
    summed_16: summed(16),
    around_1: around(1),
    around_2: around(2),
    around_3: around(3),
  };
  for (const [body, code] of Object.entries(bodies)) {
    for (const blocks of ["unsaid", 0, 1, 2, 3, 4]) {
      const bounds = blocks === "unsaid" ? "" : `__launch_bounds__(256${blocks ? `, ${blocks}` : ""}) `;
      const name = `bounded_${body}_${blocks}`;
      const source = `extern "C" __global__ void ${bounds}${name}(${parameters}) { ${code} }`;
      yield { name, source, varied: { body, blocks }, marker: "registers" };
    }
  }
}

/** @type {Record<string, () => Generator<Probe>>} */
export const families = {
  loops,
  constantTurns,
  addresses,
  operationCosts,
  localArrays,
  tiles,
  nests,
  laneLoops,
  longLoops,
  fillings,
  elements,
  pragmas,
  fragmentSteps,
  fragmentNests,
  searches,
  widenedCounters,
  steps,
  alikeSteps,
  togetherLoops,
  pressedLoops,
  pointers,
  pointersOfNests,
  productsInSums,
  rests,
  counterWidths,
  innerLoops,
  wideProducts,
  indices,
  rows,
  reallocations,
  headers,
  selections,
  predications,
  loadingArms,
  widths,
  neighbours,
  functions,
  fastFunctions,
  callLoops,
  guardedLoops,
  accessLoops,
  foldedDoubles,
  counterTypes,
  longOffsets,
  sinking,
  loadsAhead,
  boundedBlocks,
  comparedWords,
};

/** What nvcc is told besides, by family.
 * @type {Record<string, readonly string[]>} */
export const options = { fastFunctions: ["-use_fast_math"], reallocations: ["-arch=sm_90a"] };
