// A small option parser: a map from names to values, strings cut at '=', numbers by streams, getopt_long.
#include <getopt.h>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

class Options {
 public:
  Options(int argc, char **argv) {
    values_["size"] = "4096";
    values_["block"] = "128";
    for (int i = 1; i < argc; i++) {
      std::string word = argv[i];
      size_t equals = word.find('=');
      if (word.substr(0, 2) == "--" && equals != std::string::npos) values_[word.substr(2, equals - 2)] = word.substr(equals + 1);
    }
  }
  int number(const std::string &name) const {
    auto found = values_.find(name);
    if (found == values_.end()) return -1;
    std::istringstream stream(found->second);
    int value;
    stream >> value;
    return value;
  }

 private:
  std::map<std::string, std::string> values_;
};

__global__ void fill(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 1; }
__global__ void again(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 1; }

int main(int argc, char **argv) {
  Options options(argc, argv);
  const int n = options.number("size"), block = options.number("block");
  float *p;
  cudaMalloc(&p, n * sizeof(float));
  fill<<<(n + block - 1) / block, block>>>(p, n);
  int length = 100, c;
  static struct option names[] = {{"length", required_argument, 0, 'l'}, {0, 0, 0, 0}};
  while ((c = getopt_long(argc, argv, "l:", names, nullptr)) != -1)
    if (c == 'l') length = atoi(optarg);
  again<<<length, 32>>>(p, length * 32);
}
//= fill 32 128 | p[16384]+0=? 4096
//= again 100 32 | p[16384]+0=? 3200
