/** Options of programs that are written as NVIDIA's samples are, by the helpers' names alone and by their text. */
import { beforeAll, expect, test } from "vitest";
import { launchesOf, shapes, useInstalledParser } from "../testing/launches-of.ts";

beforeAll(useInstalledParser);

const kernel = "__global__ void k(float *a) { a[threadIdx.x] = 1; }\n";
const helpers = `
inline int stringRemoveDelimiter(char delimiter, const char *string) {
  int at = 0;
  while (string[at] == delimiter) at++;
  return at >= static_cast<int>(strlen(string) - 1) ? 0 : at;
}
inline bool checkCmdLineFlag(const int argc, const char **argv, const char *name) {
  bool found = false;
  for (int i = 1; i < argc; i++) {
    const char *word = &argv[i][stringRemoveDelimiter('-', argv[i])];
    const char *equals = strchr(word, '=');
    int wordLength = static_cast<int>(equals == 0 ? strlen(word) : equals - word);
    int length = static_cast<int>(strlen(name));
    if (length == wordLength && !strncasecmp(word, name, length)) { found = true; continue; }
  }
  return found;
}
inline int getCmdLineArgumentInt(const int argc, const char **argv, const char *name) {
  int value = 0;
  for (int i = 1; i < argc; i++) {
    const char *word = &argv[i][stringRemoveDelimiter('-', argv[i])];
    int length = static_cast<int>(strlen(name));
    if (!strncasecmp(word, name, length)) {
      if (length + 1 <= static_cast<int>(strlen(word))) value = atoi(&word[length + (word[length] == '=' ? 1 : 0)]);
      else value = 0;
    }
  }
  return value;
}
`;
const body = `float *a; cudaMalloc(&a, 4096); int n = 5, m = 6;
  if (checkCmdLineFlag(argc, (const char **)argv, "n")) n = getCmdLineArgumentInt(argc, (const char **)argv, "n");
  if (checkCmdLineFlag(argc, (const char **)argv, "size")) m = getCmdLineArgumentInt(argc, (const char **)argv, "SIZE");
  k<<<n, 32 * m>>>(a); if (checkCmdLineFlag(argc, (const char **)argv, "quick")) k<<<1, 32>>>(a);`;

test.each([
  ["with the helpers' text", helpers],
  ["without", ""],
])("%s", (_, before) => {
  const source = `#include <stdlib.h>\n${before}${kernel}int main(int argc, char **argv) { ${body} }`;
  const with_ = (argv: readonly string[]): string[] =>
    shapes(launchesOf(source, { argv: [...argv] }).filter(({ executions }) => executions !== 0));
  expect(with_(["--n=77", "-size=3", "-quick"])).toEqual(["k 77 96", "k 1 32"]);
  expect(with_([])[0]).toBe("k 5 192");
  expect(with_(["--Size=2"])[0]).toBe("k 5 64");
});

test("what is done on the way out of a loop that nobody knows to be gone is not forgotten", () => {
  const source = `${kernel}int outside();\nint main() { float *a; cudaMalloc(&a, 4096); int found = 1;
    for (int i = 0; i < 4; i++) { if (outside() == i) { found = 2; break; } } k<<<found, 32>>>(a); }`;
  expect(launchesOf(source)[0]?.configuration.map(({ what }) => what)).toEqual(["grid"]);
});
