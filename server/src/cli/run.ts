/** The command line without a process: arguments in, text out, an exit code back. */

import { visible } from "../foreign-text.ts";
import { suggest } from "../rules/suggest.ts";
import calibrate from "./commands/calibrate.ts";
import check from "./commands/check.ts";
import type { Command } from "./commands/command.ts";
import diff from "./commands/diff.ts";
import explain from "./commands/explain.ts";
import gate from "./commands/gate.ts";
import gpus from "./commands/gpus.ts";
import lsp from "./commands/lsp.ts";
import occupancy from "./commands/occupancy.ts";
import rules from "./commands/rules.ts";
import simulate from "./commands/simulate.ts";
import { type Io, UsageError } from "./io.ts";
import { optionHelp, readArguments } from "./options.ts";
import { version } from "./version.ts";

const commands: readonly Command[] = [check, simulate, gate, diff, occupancy, gpus, calibrate, rules, explain, lsp];

/**
 * Runs one command.
 * @param argv what follows the program's name
 * @returns the exit code: 0 all well, 1 findings, 2 usage or internal error. Never throws.
 */
export async function main(argv: readonly string[], world: Io): Promise<number> {
  // Messages name files and what stands in them: nothing of it is told to a terminal but text.
  const lines = (text: string): string =>
    text
      .split("\n")
      .map((line) => visible(line))
      .join("\n");
  const io: Io = { ...world, error: (text) => world.error(lines(text)) };
  try {
    return await dispatch(argv, io);
  } catch (error) {
    if (error instanceof UsageError) io.error(`warplens: ${error.message}\n`);
    else io.error(`warplens: internal error\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 2;
  }
}

async function dispatch([name, ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const [asked, ...others] = rest;
    if (others.length > 0) throw new UsageError(`help is about one command, not also \`${others[0]}\``);
    io.out(asked === undefined ? help() : helpOf(commandNamed(asked)));
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-V") {
    io.out(`warplens ${version()}\n`);
    return 0;
  }
  const command = commandNamed(name);
  const args = readArguments(command.name, rest, command.options, (option) =>
    commands.flatMap(({ name: other, options }) => (options.some((each) => each === option) ? [other] : [])),
  );
  if (args.given.help) {
    io.out(helpOf(command));
    return 0;
  }
  if (args.given.version) {
    io.out(`warplens ${version()}\n`);
    return 0;
  }
  if (command.operands === "" && args.operands.length > 0)
    throw new UsageError(
      `${name} takes options only, not \`${args.operands[0]}\`${command.options.length > 0 ? `; see warplens ${name} --help` : ""}`,
    );
  return command.run(args, io);
}

function commandNamed(name: string): Command {
  const names = commands.map((command) => command.name);
  const command = commands.find((each) => each.name === name);
  if (command) return command;
  const near = suggest(name, names);
  throw new UsageError(
    `there is no command \`${name}\`; ${near === undefined ? `there are ${names.join(", ")}` : `did you mean ${near}?`}`,
  );
}

function help(): string {
  const width = Math.max(...commands.map(({ name, operands }) => `${name} ${operands}`.length));
  const rows = commands.map(({ name, operands, summary }) => `  ${`${name} ${operands}`.padEnd(width)}  ${summary}`);
  return `Usage: warplens COMMAND\n\nFindings, fixes and a simulated GPU for CUDA C++, without a GPU and without a compiler.\n\n${rows.join("\n")}\n\nwarplens COMMAND --help says more.\n`;
}

const helpOf = ({ name, operands, summary, options }: Command): string =>
  `Usage: warplens ${name}${options.length > 0 ? " [OPTIONS]" : ""}${operands === "" ? "" : ` ${operands}`}\n\n${summary}\n\n${optionHelp(options)}\n`;
