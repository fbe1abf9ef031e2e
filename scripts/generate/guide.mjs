/**
 * docs/guide.md: the sections of the guides beside the rules that are about them. Of a section no rule is about it says why; one with
 * neither, or a rule of a section that is not listed, is an error.
 */
import { load, write } from "../support/generated.mjs";

const { rules } = await load("server/src/rules/index.ts");
const { guideReference } = await load("server/src/rules/rule.ts");

const figure = "a way to measure: `warplens simulate` tells the figure of each launch, and no pattern in the code is wrong";
const background = "describes hardware, with no advice of its own";
const chapter = "its sections say it";

/** By document: number, title, and why no rule is about it, should none be. */
const sections = {
  "best-practices": [
    ["8", "Performance Metrics", chapter],
    ["8.1", "Timing", chapter],
    ["8.1.1", "Using CPU Timers"],
    ["8.1.2", "Using CUDA GPU Timers"],
    ["8.2", "Bandwidth", figure],
    ["8.2.1", "Theoretical Bandwidth Calculation", figure],
    ["8.2.2", "Effective Bandwidth Calculation", figure],
    ["8.2.3", "Throughput Reported by Visual Profiler", figure],
    ["9", "Memory Optimizations", chapter],
    ["9.1", "Data Transfer Between Host and Device"],
    ["9.1.1", "Pinned Memory"],
    ["9.1.2", "Asynchronous and Overlapping Transfers with Computation"],
    ["9.1.3", "Zero Copy", "no rule tells yet how often a kernel reads mapped memory"],
    ["9.1.4", "Unified Virtual Addressing"],
    ["9.2", "Device Memory Spaces", chapter],
    ["9.2.1", "Coalesced Access to Global Memory"],
    ["9.2.1.1", "A Simple Access Pattern"],
    ["9.2.1.2", "A Sequential but Misaligned Access Pattern", "one sector more a request is shown beside the line, and worth no finding"],
    ["9.2.1.3", "Effects of Misaligned Accesses", "as 9.2.1.2"],
    ["9.2.1.4", "Strided Accesses"],
    ["9.2.2", "L2 Cache"],
    ["9.2.2.1", "L2 Cache Access Window"],
    ["9.2.2.2", "Tuning the Access Window Hit-Ratio"],
    ["9.2.3", "Shared Memory"],
    ["9.2.3.1", "Shared Memory and Memory Banks"],
    ["9.2.3.2", "Shared Memory in Matrix Multiplication (C=AB)"],
    ["9.2.3.3", "Shared Memory in Matrix Multiplication (C=AAT)"],
    ["9.2.3.4", "Asynchronous Copy from Global Memory to Shared Memory", "no rule tells yet where it would gain"],
    ["9.2.4", "Local Memory", "local accesses and spilled registers are shown beside the line and in the report"],
    ["9.2.5", "Texture Memory"],
    ["9.2.5.1", "Additional Texture Capabilities", "what textures can do besides: a choice of design"],
    ["9.2.6", "Constant Memory"],
    ["9.2.7", "Registers", chapter],
    ["9.2.7.1", "Register Pressure"],
    ["9.3", "Allocation"],
    ["9.4", "NUMA Best Practices", "a matter of how the program is started"],
    ["10", "Execution Configuration Optimizations", chapter],
    ["10.1", "Occupancy"],
    ["10.1.1", "Calculating Occupancy", figure],
    ["10.2", "Hiding Register Dependencies", "what each launch waits for is in its report"],
    ["10.3", "Thread and Block Heuristics"],
    ["10.4", "Effects of Shared Memory", "what limits the blocks of an SM is in the report"],
    ["10.5", "Concurrent Kernel Execution"],
    ["10.6", "Multiple contexts"],
    ["11", "Instruction Optimization", chapter],
    ["11.1", "Arithmetic Instructions", chapter],
    ["11.1.1", "Division Modulo Operations"],
    ["11.1.2", "Loop Counters Signed vs. Unsigned"],
    ["11.1.3", "Reciprocal Square Root"],
    ["11.1.4", "Other Arithmetic Instructions"],
    ["11.1.5", "Exponentiation With Small Fractional Arguments"],
    ["11.1.6", "Math Libraries"],
    ["11.1.7", "Precision-related Compiler Flags", "a flag of the whole build: `-use_fast_math` is read from it and simulated"],
    ["11.2", "Memory Instructions"],
    ["12", "Control Flow", chapter],
    ["12.1", "Branching and Divergence"],
    [
      "12.2",
      "Branch Predication",
      "the compiler decides, as `predications.json` and `loadingArms.json` of `sim-engine/validation/compiler` record",
    ],
    ["15.2", "Source Compatibility"],
    ["16.2", "Error Handling"],
  ],
  volta: [
    ["1.4.1", "Streaming Multiprocessor", chapter],
    ["1.4.1.1", "Instruction Scheduling", background],
    ["1.4.1.2", "Independent Thread Scheduling"],
    ["1.4.1.3", "Occupancy"],
    ["1.4.1.4", "Integer Arithmetic", background],
    ["1.4.2", "Tensor Core Operations"],
    ["1.4.3", "Memory Throughput", chapter],
    ["1.4.3.1", "High Bandwidth Memory", background],
    ["1.4.3.2", "Unified Shared Memory/L1/Texture Cache"],
    ["1.4.4", "Cooperative Groups", "a choice of design"],
    ["1.4.5", "Multi-Process Service", "a matter of how the program is started"],
    ["1.4.6", "NVLink Interconnect", "a matter of the machine"],
  ],
  turing: [
    ["1.4.1", "Streaming Multiprocessor", chapter],
    ["1.4.1.1", "Instruction Scheduling", background],
    ["1.4.1.2", "Independent Thread Scheduling"],
    ["1.4.1.3", "Occupancy", "the limits of the chosen GPU are used"],
    ["1.4.1.4", "Integer Arithmetic", background],
    ["1.4.2", "Tensor Core Operations"],
    ["1.4.3", "Memory Throughput", chapter],
    ["1.4.3.1", "Unified Shared Memory/L1/Texture Cache"],
  ],
  maxwell: [
    ["1.4.1", "SMM", chapter],
    ["1.4.1.1", "Occupancy", "the limits of the chosen GPU are used"],
    ["1.4.1.2", "Instruction Scheduling", background],
    ["1.4.1.3", "Instruction Latencies", background],
    ["1.4.1.4", "Instruction Throughput"],
    ["1.4.2", "Memory Throughput", chapter],
    ["1.4.2.1", "Unified L1/Texture Cache", background],
    ["1.4.3", "Shared Memory", chapter],
    ["1.4.3.1", "Shared Memory Capacity", "what limits the blocks of an SM is in the report"],
    ["1.4.3.2", "Shared Memory Bandwidth"],
    ["1.4.3.3", "Fast Shared Memory Atomics"],
    ["1.4.4", "Dynamic Parallelism", "a choice of design"],
  ],
};

const about = (rule) => [...(rule.guide ? [rule.guide] : []), ...(rule.alsoIn ?? [])];
for (const rule of rules)
  for (const { document, section } of about(rule))
    if (!sections[document]?.some(([number]) => number === section))
      throw new Error(`${rule.id}: there is no section ${section} in ${document}`);

const parts = Object.entries(sections).map(([document, listed]) => {
  const { text, url } = guideReference({ document, section: "" });
  const rows = listed.map(([section, title, reason]) => {
    const found = rules.filter((rule) => about(rule).some((each) => each.document === document && each.section === section));
    if (found.length === 0 && reason === undefined) throw new Error(`${document} ${section}: no rule is about it, and nothing says why`);
    const links = found.map(({ id, offByDefault }) => `[${id}](rules/${id}.md)${offByDefault ? " (off by default)" : ""}`);
    return `| ${section} | ${title} | ${links.length > 0 ? links.join(", ") : `none: ${reason}`} |`;
  });
  return `## [${text.replace(/, $/, "")}](${url})\n\n| section | title | rules |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
});
write(
  "docs/guide.md",
  `# The guides, section by section

Generated by scripts/generate/guide.mjs. What each section of NVIDIA's guides advises, and the rules that find where code does otherwise.

${parts.join("\n")}`,
);
