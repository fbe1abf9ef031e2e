import { UsageError } from "../io.ts";
import type { Command } from "./command.ts";

export default {
  name: "lsp",
  operands: "",
  summary: "the language server, for any editor that speaks the protocol",
  options: ["stdio"],
  async run({ given }, io) {
    if (!given.stdio) throw new UsageError("lsp speaks over the standard streams only: warplens lsp --stdio");
    await io.serve();
    return 0;
  },
} satisfies Command;
