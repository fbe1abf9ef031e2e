/**
 * The kinds of kernels that generated programs are made of. Each is told its number and how to pick among choices, and gives the
 * text of kernel, host code and reference, and the call that `main` makes.
 */

/** A tiled product, a template of its tile. */
function product(i, pick) {
  const tile = pick([8, 16, 32]);
  return {
    call: `product${i}(512, 512, 256);`,
    text: `// ---------------------------------------------------------------------------
// Product ${i}: c = a * b, tile by tile through shared memory.
#define PRODUCT_TILE_${i} ${tile}

template <typename T, int TILE>
__global__ void __launch_bounds__(TILE * TILE) productKernel${i}(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c,
                                                              int m, int n, int k) {
  __shared__ T tileA[TILE][TILE];
  __shared__ T tileB[TILE][TILE + ${pick([0, 1])}];
  int row = blockIdx.y * TILE + threadIdx.y;
  int column = blockIdx.x * TILE + threadIdx.x;
  T sum = 0;
  for (int start = 0; start < k; start += TILE) {
    tileA[threadIdx.y][threadIdx.x] = row < m && start + threadIdx.x < k ? a[row * k + start + threadIdx.x] : T(0);
    tileB[threadIdx.y][threadIdx.x] = start + threadIdx.y < k && column < n ? b[(start + threadIdx.y) * n + column] : T(0);
    __syncthreads();
#pragma unroll
    for (int inner = 0; inner < TILE; inner++) sum += tileA[threadIdx.y][inner] * tileB[inner][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// The same on the CPU, to compare with.
static void productReference${i}(const float *a, const float *b, float *c, int m, int n, int k) {
  for (int row = 0; row < m; row++)
    for (int column = 0; column < n; column++) {
      double sum = 0.0;
      for (int inner = 0; inner < k; inner++) sum += a[row * k + inner] * b[inner * n + column];
      c[row * n + column] = (float)sum;
    }
}

void product${i}(int m, int n, int k) {
  float *a = allocate<float>(m * k), *b = allocate<float>(k * n), *c = allocate<float>(m * n);
  dim3 block(PRODUCT_TILE_${i}, PRODUCT_TILE_${i});
  dim3 grid(CEIL_DIV(n, PRODUCT_TILE_${i}), CEIL_DIV(m, PRODUCT_TILE_${i}));
  productKernel${i}<float, PRODUCT_TILE_${i}><<<grid, block>>>(a, b, c, m, n, k);
  CUDA_CHECK(cudaGetLastError());
  cudaFree(a), cudaFree(b), cudaFree(c);
}
`,
  };
}

/** Rows made to have mean 0 and deviation 1, a warp a row. */
function normalise(i, pick) {
  const block = pick([128, 256, 512]);
  return {
    call: `normalise${i}(Shape{2048, ${pick([512, 768, 1024])}});`,
    text: `/*
 * Normalisation ${i}: each row of x to mean 0 and deviation 1, times a weight and plus a bias.
 * One warp works on one row; its lanes take columns 32 apart.
 */
#define EPSILON_${i} 1e-5f

__global__ void normaliseKernel${i}(float *out, float *means, const float *x, const float *weight, const float *bias, int rows, int columns) {
  int lane = threadIdx.x % WARP_SIZE;
  int warp = threadIdx.x / WARP_SIZE;
  int row = blockIdx.x * (blockDim.x / WARP_SIZE) + warp;
  if (row >= rows) return;
  const float *own = x + row * columns;
  // mean
  float sum = 0.0f;
  for (int column = lane; column < columns; column += WARP_SIZE) sum += own[column];
  float mean = __shfl_sync(FULL_MASK, warpSum(sum), 0) / columns;
  // variance
  float squares = 0.0f;
  for (int column = lane; column < columns; column += WARP_SIZE) {
    float difference = own[column] - mean;
    squares += difference * difference;
  }
  float scale = rsqrtf(__shfl_sync(FULL_MASK, warpSum(squares), 0) / columns + EPSILON_${i});
  if (lane == 0 && means != nullptr) means[row] = mean;
  for (int column = lane; column < columns; column += WARP_SIZE) {
    float normal = scale * (own[column] - mean);
    out[row * columns + column] = normal * weight[column] + bias[column];
  }
}

void normalise${i}(Shape shape) {
  const int block_size = ${block};
  float *x = allocate<float>(shape.count()), *out = allocate<float>(shape.count());
  float *means = allocate<float>(shape.rows);
  float *weight = allocate<float>(shape.columns), *bias = allocate<float>(shape.columns);
  const int grid_size = CEIL_DIV(shape.rows * WARP_SIZE, block_size);
  normaliseKernel${i}<<<grid_size, block_size>>>(out, means, x, weight, bias, shape.rows, shape.columns);
  CUDA_CHECK(cudaGetLastError());
  cudaFree(x), cudaFree(out), cudaFree(means), cudaFree(weight), cudaFree(bias);
}
`,
  };
}

/** Counts into bins in shared memory. */
function histogram(i, pick) {
  return {
    call: `histogram${i}(n);`,
    text: `// Histogram ${i}: bins in shared memory first, then one atomic a bin and block.
#define BINS_${i} ${pick([64, 128, 256])}

__global__ void histogramKernel${i}(const unsigned char *__restrict__ values, unsigned int *__restrict__ bins, int n) {
  __shared__ unsigned int own[BINS_${i}];
  for (int bin = threadIdx.x; bin < BINS_${i}; bin += blockDim.x) own[bin] = 0;
  __syncthreads();
  int stride = blockDim.x * gridDim.x;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += stride) {
    atomicAdd(&own[values[at] % BINS_${i}], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS_${i}; bin += blockDim.x) {
    if (own[bin] > 0) atomicAdd(&bins[bin], own[bin]);
  }
}

void histogram${i}(int n) {
  unsigned char *values = allocate<unsigned char>(n);
  unsigned int *bins = allocate<unsigned int>(BINS_${i});
  std::vector<unsigned int> counted(BINS_${i});
  histogramKernel${i}<<<${pick([132, 264])}, ${pick([256, 512])}>>>(values, bins, n);
  CUDA_CHECK(cudaMemcpy(counted.data(), bins, BINS_${i} * sizeof(unsigned int), cudaMemcpyDeviceToHost));
  // Every value must have gone somewhere.
  unsigned long long total = 0;
  for (unsigned int count : counted) total += count;
  if (total != (unsigned long long)n) fprintf(stderr, "histogram ${i}: %llu of %d\\n", total, n);
  cudaFree(values), cudaFree(bins);
}
`,
  };
}

/** A stencil with a halo, its coefficients in constant memory. */
function stencil(i, pick) {
  const radius = pick([1, 2, 3]);
  return {
    call: `stencil${i}(Shape{1024, 1024}, ${pick([1, 2])});`,
    text: `// Stencil ${i}: a cross of radius ${radius}, with its halo in shared memory.
#define RADIUS_${i} ${radius}
#define STENCIL_WIDTH_${i} ${pick([16, 32])}
#define STENCIL_HEIGHT_${i} ${pick([8, 16])}
__constant__ float coefficients${i}[2 * RADIUS_${i} + 1];

__global__ void stencilKernel${i}(const float *in, float *out, Shape shape) {
  __shared__ float tile[STENCIL_HEIGHT_${i} + 2 * RADIUS_${i}][STENCIL_WIDTH_${i} + 2 * RADIUS_${i}];
  int x = blockIdx.x * STENCIL_WIDTH_${i} + threadIdx.x;
  int y = blockIdx.y * STENCIL_HEIGHT_${i} + threadIdx.y;
  for (int dy = threadIdx.y; dy < STENCIL_HEIGHT_${i} + 2 * RADIUS_${i}; dy += blockDim.y) {
    for (int dx = threadIdx.x; dx < STENCIL_WIDTH_${i} + 2 * RADIUS_${i}; dx += blockDim.x) {
      int fromX = min(max((int)(blockIdx.x * STENCIL_WIDTH_${i}) + dx - RADIUS_${i}, 0), shape.columns - 1);
      int fromY = min(max((int)(blockIdx.y * STENCIL_HEIGHT_${i}) + dy - RADIUS_${i}, 0), shape.rows - 1);
      tile[dy][dx] = in[fromY * shape.columns + fromX];
    }
  }
  __syncthreads();
  if (x >= shape.columns || y >= shape.rows) return;
  float sum = 0.0f;
  for (int offset = -RADIUS_${i}; offset <= RADIUS_${i}; offset++) {
    sum += coefficients${i}[offset + RADIUS_${i}] * tile[threadIdx.y + RADIUS_${i}][threadIdx.x + RADIUS_${i} + offset];
    sum += coefficients${i}[offset + RADIUS_${i}] * tile[threadIdx.y + RADIUS_${i} + offset][threadIdx.x + RADIUS_${i}];
  }
  out[y * shape.columns + x] = sum * ${pick(["0.5f", "0.25f", "0.5"])};
}

void stencil${i}(Shape shape, int steps) {
  std::vector<float> weights(2 * RADIUS_${i} + 1, 1.0f / (2 * RADIUS_${i} + 1));
  CUDA_CHECK(cudaMemcpyToSymbol(coefficients${i}, weights.data(), weights.size() * sizeof(float)));
  float *from = allocate<float>(shape.count()), *to = allocate<float>(shape.count());
  dim3 block(STENCIL_WIDTH_${i}, STENCIL_HEIGHT_${i});
  dim3 grid(CEIL_DIV(shape.columns, STENCIL_WIDTH_${i}), CEIL_DIV(shape.rows, STENCIL_HEIGHT_${i}));
  for (int step = 0; step < steps; step++) {
    stencilKernel${i}<<<grid, block>>>(from, to, shape);
    std::swap(from, to);
  }
  cudaFree(from), cudaFree(to);
}
`,
  };
}

/** Structs one after another in memory. */
function particles(i, pick) {
  return {
    call: `particles${i}(n / 4);`,
    text: `// Particles ${i}: an array of structs, as it comes from files.
struct Particle${i} {
  float3 position;
  float3 velocity;
  float mass;
  ${pick(["int cell", "unsigned int flags"])};

  __host__ __device__ float energy() const {
    return 0.5f * mass * (velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z);
  }
};

__global__ void particlesKernel${i}(Particle${i} *particles, float *energies, float dt, int n) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  Particle${i} own = particles[at];
  own.position.x += own.velocity.x * dt;
  own.position.y += own.velocity.y * dt;
  own.position.z += own.velocity.z * dt;
  // Walls give the particle back.
  if (own.position.x < 0.0f || own.position.x > ${pick(["1.0f", "10.0f"])}) own.velocity.x = -own.velocity.x;
  if (own.position.y < 0.0f || own.position.y > ${pick(["1.0f", "10.0f"])}) own.velocity.y = -own.velocity.y;
  particles[at] = own;
  energies[at] = own.energy();
}

void particles${i}(int n) {
  Particle${i} *particles = allocate<Particle${i}>(n);
  float *energies = allocate<float>(n);
  const int threads = ${pick([128, 256])};
  for (float time = 0.0f; time < 0.02f; time += 0.01f) particlesKernel${i}<<<CEIL_DIV(n, threads), threads>>>(particles, energies, 0.01f, n);
  CUDA_CHECK(cudaGetLastError());
  cudaFree(particles), cudaFree(energies);
}
`,
  };
}

/** Rows to probabilities: a block a row, two reductions. */
function softmax(i, pick) {
  const block = pick([128, 256]);
  return {
    call: `softmax${i}(${pick([1024, 4096])}, ${pick([1000, 1024])});`,
    text: `// Softmax ${i}: a block a row; the greatest first, so that no exponent overflows.
template <int BLOCK>
__device__ float blockReduce${i}(float value, bool greatest) {
  __shared__ float partial[BLOCK / WARP_SIZE];
  int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  value = greatest ? warpMax(value) : warpSum(value);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  value = partial[0];
  for (int other = 1; other < BLOCK / WARP_SIZE; other++) value = greatest ? fmaxf(value, partial[other]) : value + partial[other];
  __syncthreads();
  return value;
}

template <int BLOCK>
__global__ void softmaxKernel${i}(const float *logits, float *probabilities, int columns) {
  const float *row = logits + (size_t)blockIdx.x * columns;
  float greatest = -INFINITY;
  for (int column = threadIdx.x; column < columns; column += BLOCK) greatest = fmaxf(greatest, row[column]);
  greatest = blockReduce${i}<BLOCK>(greatest, true);
  float sum = 0.0f;
  for (int column = threadIdx.x; column < columns; column += BLOCK) sum += expf(row[column] - greatest);
  sum = blockReduce${i}<BLOCK>(sum, false);
  for (int column = threadIdx.x; column < columns; column += BLOCK) {
    probabilities[(size_t)blockIdx.x * columns + column] = expf(row[column] - greatest) / sum;
  }
}

void softmax${i}(int rows, int columns) {
  float *logits = allocate<float>((size_t)rows * columns);
  float *probabilities = allocate<float>((size_t)rows * columns);
  softmaxKernel${i}<${block}><<<rows, ${block}>>>(logits, probabilities, columns);
  CUDA_CHECK(cudaGetLastError());
  cudaFree(logits), cudaFree(probabilities);
}
`,
  };
}

/** A transposition, with or without what keeps banks apart. */
function transpose(i, pick) {
  const element = pick(["float", "double", "int"]);
  return {
    call: `transpose${i}(1024, 1024);`,
    text: `// Transposition ${i}: reads rows, writes rows, and turns them in shared memory.
#define TURN_${i} 32
#define TURN_ROWS_${i} ${pick([4, 8])}

__global__ void transposeKernel${i}(${element} *out, const ${element} *in, int width, int height) {
  __shared__ ${element} turn[TURN_${i}][TURN_${i}${pick(["", " + 1"])}];
  int x = blockIdx.x * TURN_${i} + threadIdx.x;
  int y = blockIdx.y * TURN_${i} + threadIdx.y;
  for (int row = 0; row < TURN_${i}; row += TURN_ROWS_${i}) {
    if (x < width && y + row < height) turn[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
  }
  __syncthreads();
  x = blockIdx.y * TURN_${i} + threadIdx.x;
  y = blockIdx.x * TURN_${i} + threadIdx.y;
  for (int row = 0; row < TURN_${i}; row += TURN_ROWS_${i}) {
    if (x < height && y + row < width) out[(y + row) * height + x] = turn[threadIdx.x][threadIdx.y + row];
  }
}

void transpose${i}(int width, int height) {
  ${element} *in = allocate<${element}>(width * height), *out = allocate<${element}>(width * height);
  dim3 block(TURN_${i}, TURN_ROWS_${i}), grid(CEIL_DIV(width, TURN_${i}), CEIL_DIV(height, TURN_${i}));
  transposeKernel${i}<<<grid, block>>>(out, in, width, height);
  CUDA_CHECK(cudaGetLastError());
  cudaFree(in), cudaFree(out);
}
`,
  };
}

/** Rows of a sparse matrix, a thread a row. */
function sparse(i, pick) {
  return {
    call: `sparse${i}(n / 16, 16);`,
    text: `// Sparse product ${i}: rows compressed, a thread a row.
struct Sparse${i} {
  int rows;
  const int *starts;
  const int *columns;
  const float *values;
};

__global__ void sparseKernel${i}(Sparse${i} matrix, const float *__restrict__ x, float *__restrict__ y, float alpha, float beta) {
  for (unsigned int row = blockIdx.x * blockDim.x + threadIdx.x; row < matrix.rows; row += gridDim.x * blockDim.x) {
    float sum = 0;
    int end = matrix.starts[row + 1];
    for (int at = matrix.starts[row]; at < end; at++) sum += matrix.values[at] * x[matrix.columns[at]];
    y[row] = alpha * sum + beta * y[row];
  }
}

void sparse${i}(int rows, int each) {
  std::vector<int> starts(rows + 1), columns((size_t)rows * each);
  for (int row = 0; row <= rows; row++) starts[row] = row * each;
  for (size_t at = 0; at < columns.size(); at++) columns[at] = (int)((at * ${pick([7, 31, 127])}) % rows);
  int *deviceStarts = allocate<int>(rows + 1), *deviceColumns = allocate<int>(columns.size());
  float *values = allocate<float>(columns.size()), *x = allocate<float>(rows), *y = allocate<float>(rows);
  CUDA_CHECK(cudaMemcpy(deviceStarts, starts.data(), starts.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(deviceColumns, columns.data(), columns.size() * sizeof(int), cudaMemcpyHostToDevice));
  Sparse${i} matrix = {rows, deviceStarts, deviceColumns, values};
  sparseKernel${i}<<<CEIL_DIV(rows, ${pick([64, 128, 256])}), ${pick([64, 128, 256])}>>>(matrix, x, y, 1.0f, 0.0f);
  CUDA_CHECK(cudaGetLastError());
  cudaFree(deviceStarts), cudaFree(deviceColumns), cudaFree(values), cudaFree(x), cudaFree(y);
}
`,
  };
}

export const families = [product, normalise, histogram, stencil, particles, softmax, transpose, sparse];
