import { testRule } from "../testing/rule-tables.ts";
import rule from "./array-of-structures-access.ts";

const program = (body: string): string => `
struct Particle { float x, y, z, speed; };
__global__ void move(Particle *p, float *out, const float *in, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
${body}
}
int main() {
  Particle *p;
  float *in, *out;
  cudaMalloc(&p, (8 << 20) * sizeof(Particle));
  cudaMalloc(&in, (64 << 20) * sizeof(float));
  cudaMalloc(&out, (8 << 20) * sizeof(float));
  move<<<(8 << 20) / 256, 256>>>(p, out, in, 0.1f);
}`;

testRule(rule, {
  clean: {
    "an array for each": program("  out[i] = in[i] * dt;"),
    "the whole structure at once": program("  float4 q = ((const float4 *)p)[i];\n  out[i] = q.x + q.w;"),
    "a stride without structures": program("  out[i] = in[i * 8];"),
    "structures that are apart themselves": program("  out[i] = p[i * 16].x;").replace("<<<(8 << 20)", "<<<(1 << 19)"),
    "one structure for all": program("  out[i] = p[blockIdx.x].x;"),
  },
  found: {
    "one field": {
      code: program(`  out[i] = p[i].x;
  //       ^^^^^^ \`x\` is a field of the structures of \`p\`: neighbouring lanes are 16 bytes apart; 16 sectors/request, ideal 4.`),
    },
    "a field of a structure within": {
      code: program(`  out[i] = ((const Pair *)p)[i].second.speed;
  //       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ neighbouring lanes are 32 bytes apart`)
        .replace("__global__", "struct Pair { Particle first, second; };\n__global__")
        .replace("(8 << 20) * sizeof(Particle)", "(16 << 20) * sizeof(Particle)"),
    },
    "several, in one finding": {
      code: program(`  p[i].x += p[i].speed * dt;
//^^^^^^ or load the structure as one vector of 16 bytes.
  p[i].y += dt;`),
    },
  },
});
