/** docs/gates.md: what a gate may say, from what reads it. */
import { load, write } from "../support/generated.mjs";

const { figures } = await load("server/src/lint/figures.ts");

/** The same unit spelled in another way is not shown twice. */
const unitsOf = ({ units }) => {
  const known = Object.keys(units).filter((unit) => unit !== "");
  const spelled = known.filter((unit) => !["μs", "KB"].includes(unit) || (unit === "KB" && !known.includes("kB")));
  return spelled.map((unit) => `\`${unit}\``).join(", ");
};
const rows = figures.map(({ name, dimension, says }) => `| \`${name}\` | ${says} | ${unitsOf(dimension)} |`);

write(
  "docs/gates.md",
  `# Gates

Generated from server/src/lint/figures.ts. A gate is what must hold for a change to pass: a text in \`gates\` of
[warplens.json](settings.md#warplensjson). \`warplens gate [PATH...]\` judges them all; the exit code is 1 when one is broken, 2 when one cannot
be judged. How it is used in pipelines stands in [ci.md](ci.md).

\`\`\`json
{
  "gates": [
    "transposePadded on h200: time < 200 us",
    "gemm<float, 128>: registers <= 128",
    "* in src/solver/*: occupancy >= 50 %",
    "*: bank conflicts = 0",
    "*: time <= 105 % of base",
    "*: no new finding of error",
    "*: findings of memory <= 3"
  ]
}
\`\`\`

## What it says

\`\`\`
KERNEL [in FILE] [on GPU]: FIGURE < VALUE            <, <=, >, >=, =
KERNEL [in FILE] [on GPU]: FIGURE < N % of base      what it was at the revision of --base
KERNEL [in FILE] [on GPU]: no [new] finding [of SEVERITY or RULE]
KERNEL [in FILE] [on GPU]: [new] findings [of SEVERITY or RULE] < N
\`\`\`

- **KERNEL** is a kernel's name, with or without its template arguments; \`*\` in it stands for any characters. FILE is a path relative to the
  folder where the command runs, with \`*\` likewise. Without a GPU it is the one that \`--gpu\` or the project names.
- A gate about a **figure** is judged by the launch that is nearest to breaking it. A name means every launch of the kernel: one that is not
  simulated cannot be judged, and the gate neither. A pattern means those that can be judged, and says how many cannot.
- A gate about **findings** counts those in the kernels that it names; \`*\` counts all, in host code too. A severity stands for itself and the
  worse ones; a rule may be an id, a prefix or a group. *New* is what the revision of \`--base\` has not, or what the baseline does not know.
- What a gate **rests on** and is not known is printed with it: values that are assumed, registers that are an estimate.
- A gate that cannot be read, or names a GPU that there is not, is an error at its line, in the editor too.

## Figures

| figure | | units |
| --- | --- | --- |
${rows.join("\n")}

Bytes of memory count by 1024 (\`48 KB\` is 49,152), bytes moved by 1000; \`KiB\`, \`MiB\` and \`GiB\` are always of 1024. Times need a unit.
`,
);
