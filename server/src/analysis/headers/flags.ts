/**
 * gflags: variables that are set by the command line. The evaluator knows what stands there from the start (`library/options.ts`), so a flag
 * has its value where it is defined, and parsing does nothing.
 */

const kinds: readonly (readonly [kind: string, type: string])[] = [
  ["bool", "bool"],
  ["int32", "int"],
  ["uint32", "unsigned int"],
  ["int64", "long long"],
  ["uint64", "unsigned long long"],
  ["double", "double"],
  ["string", "std::string"],
];

export const gflags = `#pragma once
#include <string>
#define GFLAGS_NAMESPACE google
namespace google {
inline unsigned int ParseCommandLineFlags(int *, char ***, bool) { return 1; }
inline void ShutDownCommandLineFlags() {}
inline void SetUsageMessage(const std::string &) {}
inline void SetVersionString(const std::string &) {}
}
namespace gflags = google;
${kinds
  .map(
    ([kind, type]) => `#define DEFINE_${kind}(name, value, help) ${type} FLAGS_##name = __gflags_value(#name, value)
#define DECLARE_${kind}(name) extern ${type} FLAGS_##name
`,
  )
  .join("")}`;
