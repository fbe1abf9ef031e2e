// Blocks with nothing to do: how many begin in a clock.
#include "measure.h"

__global__ void nothing() {}

int main() {
  begin();
  const double hz = clockHz();
  auto launch = [](int blocks) { return seconds([&] { nothing<<<blocks, 128>>>(); }); };
  for (int i = 0; i < samples; ++i) sample("blockLaunchRate", 1 / (slope(launch(600000), launch(200000), 400000) * hz));
  return 0;
}
