// The clock that SMs run at while they work.
#include "measure.h"

int main() {
  begin();
  clockHz();
  for (int i = 0; i < samples; ++i) sample("clock", clockHz() / 1e6);
  return 0;
}
