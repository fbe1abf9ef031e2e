import { type Citations, type GpuModel, gpus, loadCitations } from "@warplens/sim-engine";
import { formatBandwidth, formatCapacity } from "../../units.ts";
import { gpuNamed } from "../gpu-option.ts";
import { ProjectFolders } from "../project-folders.ts";
import { styleOf } from "../style.ts";
import { textTable } from "../text-table.ts";
import type { Command } from "./command.ts";
import { formatNamed } from "./format-option.ts";

export default {
  name: "gpus",
  operands: "[ID...]",
  summary: "the GPU models; with an ID every figure of it and where it comes from",
  options: ["format"],
  async run({ given, operands }, io) {
    const { gpus: own = [] } = new ProjectFolders(io.cwd).of(io.cwd).file;
    const shown = operands.length > 0 ? operands.map((name) => gpuNamed(name, own, "gpus")) : [...gpus, ...own];
    const style = styleOf(io, given);
    if (formatNamed(given.format, ["text", "json"]) === "json") {
      const { sources, figuresOf } = await loadCitations();
      const models = shown.map((gpu) => {
        const { values: _, own: users, ...about } = gpu;
        return { ...about, ...(users ? { extends: users.extends } : {}), figures: figuresOf(gpu) };
      });
      io.out(`${JSON.stringify({ version: 1, gpus: models, sources }, null, 2)}\n`);
    } else if (operands.length > 0) {
      const citations = await loadCitations();
      for (const gpu of shown) io.out(figuresText(gpu, citations, (text) => style(text, "bold")));
    } else {
      const rows = shown.map(({ id, name, computeCapability, values }) => [
        id,
        name,
        computeCapability,
        String(values.smCount),
        `${values.clock} MHz`,
        formatBandwidth(values.dramBandwidth),
        formatCapacity(values.l2Bytes),
        formatCapacity(values.dramBytes),
      ]);
      io.out(textTable([["id", "name", "cc", "SMs", "clock", "memory", "L2", "size"], ...rows], (text) => style(text, "bold")));
      io.out(`\nEvery figure has a source: warplens gpus ID, or --format json.\n`);
    }
    return 0;
  },
} satisfies Command;

function figuresText(gpu: GpuModel, { figuresOf, sources }: Citations, bold: (text: string) => string): string {
  const rows = Object.entries(figuresOf(gpu)).map(([name, { value, unit, basis, source, at }]) => [
    name,
    `${Array.isArray(value) ? value.join(", ") : value} ${unit}`,
    basis,
    `${sources[source]?.title ?? source}, ${at}`,
  ]);
  const from = gpu.own ? `, the ${gpu.own.extends} with figures of its own` : "";
  return `${bold(`${gpu.id}: ${gpu.name}, compute capability ${gpu.computeCapability}${from}`)}\n\n${textTable([["figure", "value", "basis", "source"], ...rows], bold)}\n`;
}
