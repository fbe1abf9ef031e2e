// 5-point Laplacian as CSR
#include <vector>

__global__ void spmv(int rows, const int *row_ptr, const int *col, const double *val, const double *x, double *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double s = 0;
  for (int k = row_ptr[r]; k < row_ptr[r + 1]; ++k) s += val[k] * x[col[k]];
  y[r] = s;
}
struct Csr { int rows; std::vector<int> row_ptr, col; std::vector<double> val; };
static Csr laplacian(int nx, int ny) {
  Csr a;
  a.rows = nx * ny;
  a.row_ptr.reserve(a.rows + 1);
  a.row_ptr.push_back(0);
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++) {
      int i = y * nx + x;
      if (y > 0) { a.col.push_back(i - nx); a.val.push_back(-1.0); }
      if (x > 0) { a.col.push_back(i - 1); a.val.push_back(-1.0); }
      a.col.push_back(i); a.val.push_back(4.0);
      if (x < nx - 1) { a.col.push_back(i + 1); a.val.push_back(-1.0); }
      if (y < ny - 1) { a.col.push_back(i + nx); a.val.push_back(-1.0); }
      a.row_ptr.push_back(a.col.size());
    }
  return a;
}
int main() {
  Csr a = laplacian(200, 150);



  int *d_row, *d_col; double *d_val, *d_x, *d_y;
  size_t nnz = a.val.size();
  cudaMalloc(&d_row, a.row_ptr.size() * sizeof(int)); cudaMalloc(&d_col, nnz * sizeof(int)); cudaMalloc(&d_val, nnz * sizeof(double));
  cudaMalloc(&d_x, a.rows * sizeof(double)); cudaMalloc(&d_y, a.rows * sizeof(double));
  cudaMemcpy(d_row, a.row_ptr.data(), a.row_ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_col, a.col.data(), nnz * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_val, a.val.data(), nnz * sizeof(double), cudaMemcpyHostToDevice);
  spmv<<<(a.rows + 127) / 128, 128>>>(a.rows, d_row, d_col, d_val, d_x, d_y);
}
