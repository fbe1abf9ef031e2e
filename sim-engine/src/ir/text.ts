/**
 * The IR as text, after LLVM's: for reading, and for tests that say what a pass takes and gives.
 *
 * ```
 * kernel @scale(%out: ptr f32 restrict, %n: i32) max_threads 256 {
 * shared @tile 4224 align 4 dims 32x33 element 4
 * b0:
 *   %1: i32 = special tid.x                     !3
 *   %2: ptr = param 0
 *   %3: ptr = gep %2, %1, scale 4, offset 0
 *   %4: f32x4 = load.global %3, align 16, nc
 *   branch %9, b1, b2
 * ```
 * A span is `!line`, or `!file/line:start-end`. Names of values and blocks are free; those that are `%12` and `b12` keep their id.
 */
import { createBlock, createKernel, linkBlocks, noSpan } from "./builder.ts";
import {
  type Block,
  type GlobalVariable,
  type Kernel,
  type Op,
  type Parameter,
  type ScalarType,
  type SharedVariable,
  type Span,
  scalarBytes,
  type Terminator,
  type ValueType,
} from "./kernel.ts";
import { parseAction, printAction } from "./text-action.ts";

const isScalar = (text: string): text is ScalarType => text in scalarBytes;

export function printKernel(kernel: Kernel): string {
  const lines: string[] = [];
  const templateArguments =
    kernel.templateArguments.length > 0 ? `<${kernel.templateArguments.map((each) => JSON.stringify(each)).join(", ")}>` : "";
  const bounds = kernel.launchBounds;
  const attributes = [
    bounds ? ` max_threads ${bounds.maxThreads}` : "",
    bounds?.minBlocks !== undefined ? ` min_blocks ${bounds.minBlocks}` : "",
    bounds?.maxBlocksPerCluster !== undefined ? ` max_cluster ${bounds.maxBlocksPerCluster}` : "",
    kernel.maxRegisters !== undefined ? ` max_registers ${kernel.maxRegisters}` : "",
    kernel.reallocatedRegisters !== undefined ? ` reallocated ${kernel.reallocatedRegisters}` : "",
    kernel.floats?.flushed ? " flushed 1" : "",
    kernel.floats?.unfused ? " unfused 1" : "",
    kernel.loadCache ? " uncached 1" : "",
  ].join("");
  lines.push(`kernel @${kernel.name}${templateArguments}(${kernel.parameters.map(printParameter).join(", ")})${attributes} {`);
  for (const file of kernel.files) if (file !== "") lines.push(`file ${JSON.stringify(file)}`);
  for (const each of kernel.shared) {
    lines.push(
      `shared @${each.name} ${each.bytes ?? "dynamic"} align ${each.align} dims ${each.dimensions.join("x") || "-"} element ${each.elementBytes}${printSpan(each.span)}`,
    );
  }
  for (const each of kernel.globals) {
    const content = each.content ? ` content ${JSON.stringify(each.content)}` : "";
    const place = each.offset === undefined ? "" : ` at ${each.offset}`;
    lines.push(`${each.space} @${each.name} ${each.bytes} align ${each.align}${place} ${each.element}${content}`);
  }
  for (const block of kernel.blocks) for (const line of printBlock(block)) lines.push(line);
  lines.push("}", "");
  return lines.join("\n");
}

function printParameter(parameter: Parameter): string {
  if (!parameter.type) return `%${parameter.name}: bytes ${parameter.bytes}`;
  const { pointee } = parameter;
  const of = pointee ? `${pointee.const ? " const" : ""} ${pointee.type ?? `bytes ${pointee.bytes}`}` : "";
  return `%${parameter.name}: ${parameter.type}${of}${parameter.restrict ? " restrict" : ""}`;
}

function printSpan(span: Span): string {
  if (span.line === 0) return "";
  if (span.file === 0 && span.start === 0 && span.end === 0) return ` !${span.line}`;
  return ` !${span.file}/${span.line}:${span.start}-${span.end}`;
}

function printBlock(block: Block): string[] {
  const unroll = block.unroll === undefined ? "" : ` unroll ${block.unroll}`;
  const lines = [`b${block.id}:${unroll}`];
  for (const phi of block.phis) {
    const operands = phi.args.map((arg, index) => `[%${arg.id}, b${block.predecessors[index]?.id ?? "?"}]`).join(", ");
    lines.push(`  %${phi.id}: ${phi.type} = phi ${operands}${printSpan(phi.span)}`);
  }
  for (const op of block.ops) lines.push(`  ${printOp(op)}`);
  lines.push(`  ${printEnd(block.end)}`);
  return lines;
}

/** One operation other than a phi. */
export function printOp(op: Op): string {
  const { mnemonic, settings, components } = printAction(op.action);
  const operands = [...op.args.map((arg) => `%${arg.id}`), ...settings].join(", ");
  const type = components > 1 ? `${op.type}x${components}` : op.type;
  const result = op.type === "void" ? "" : `%${op.id}: ${type} = `;
  return `${result}${mnemonic}${operands ? ` ${operands}` : ""}${printSpan(op.span)}`;
}

function printEnd(end: Terminator): string {
  switch (end.kind) {
    case "jump":
      return `jump b${end.to.id}`;
    case "branch":
      return `branch %${end.cond.id}, b${end.then.id}, b${end.else.id}${printSpan(end.span)}`;
    case "return":
      return "return";
  }
}

/** The kernel a text describes, linked. Throws an Error naming the line that cannot be read. */
export function parseKernel(text: string): Kernel {
  return new Parser(text).kernel();
}

const headerPattern = /^kernel @(\S+?)(?:<(.*?)>)?\((.*)\)((?: \w+ \d+)*) \{$/;
const opPattern = /^(?:%([\w.]+): (\w+) = )?([\w.]+)(?: (.*))?$/;
const spanPattern = / !(?:(\d+)\/)?(\d+)(?::(\d+)-(\d+))?$/;

class Parser {
  readonly #lines: string[];
  #at = 0;
  readonly #ops = new Map<string, Op>();
  readonly #blocks = new Map<string, Block>();
  readonly #ids = new Set<number>();
  #next = 0;

  constructor(text: string) {
    this.#lines = text.split("\n");
    for (const match of text.matchAll(/(?:%|\bb)(\d+):/g)) this.#next = Math.max(this.#next, Number(match[1]) + 1);
  }

  #fail(message: string): never {
    throw new Error(`line ${this.#at}: ${message}: ${this.#lines[this.#at - 1]?.trim() ?? ""}`);
  }

  /** The next line that says something, without its comment. */
  #line(): string | undefined {
    while (this.#at < this.#lines.length) {
      const line = (this.#lines[this.#at++] ?? "").replace(/(?<!\s)\s+;[\s\S]*$/, "").trim();
      if (line !== "" && !line.startsWith(";")) return line;
    }
    return undefined;
  }

  #id(name: string, prefix: string): number {
    const number = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    const id = Number.isInteger(number) && name !== prefix && !this.#ids.has(number) ? number : this.#next++;
    this.#ids.add(id);
    return id;
  }

  kernel(): Kernel {
    const header = headerPattern.exec(this.#line() ?? "");
    if (!header) this.#fail("expected `kernel @name(parameters) {`");
    const attributes = new Map([...(header[4] ?? "").matchAll(/(?<!\w)(\w+) (\d+)/g)].map((match) => [match[1], Number(match[2])]));
    const maxThreads = attributes.get("max_threads");
    const minBlocks = attributes.get("min_blocks");
    const maxBlocksPerCluster = attributes.get("max_cluster");
    const maxRegisters = attributes.get("max_registers");
    const reallocatedRegisters = attributes.get("reallocated");
    const files: string[] = [];
    const kernel = createKernel({
      name: header[1] ?? "",
      templateArguments: header[2] ? this.#json<string[]>(`[${header[2]}]`) : [],
      parameters: (header[3] ?? "").split(",").flatMap((each) => (each.trim() ? [this.#parameter(each.trim())] : [])),
      ...(maxThreads === undefined
        ? {}
        : {
            launchBounds: {
              maxThreads,
              ...(minBlocks === undefined ? {} : { minBlocks }),
              ...(maxBlocksPerCluster === undefined ? {} : { maxBlocksPerCluster }),
            },
          }),
      ...(maxRegisters === undefined ? {} : { maxRegisters }),
      ...(reallocatedRegisters === undefined ? {} : { reallocatedRegisters }),
      ...(attributes.has("flushed") || attributes.has("unfused")
        ? {
            floats: {
              ...(attributes.has("flushed") ? { flushed: true } : {}),
              ...(attributes.has("unfused") ? { unfused: true } : {}),
            },
          }
        : {}),
      ...(attributes.has("uncached") ? { loadCache: "cg" } : {}),
      files,
    });
    const bodies: { block: Block; lines: { text: string; at: number }[] }[] = [];
    for (let line = this.#line(); line !== "}"; line = this.#line()) {
      if (line === undefined) this.#fail("expected `}`");
      const label = /^([\w.]+):(?: unroll (-?\w+))?$/.exec(line);
      const body = bodies.at(-1);
      if (label?.[1]) {
        const block: Block = { ...createBlock(kernel), id: this.#id(label[1], "b") };
        if (label[2]) block.unroll = label[2] === "full" ? "full" : Number(label[2]);
        kernel.blocks[kernel.blocks.length - 1] = block;
        this.#blocks.set(label[1], block);
        bodies.push({ block, lines: [] });
      } else if (body) {
        body.lines.push({ text: line, at: this.#at });
        this.#declare(body.block, line);
      } else this.#declaration(kernel, files, line);
    }
    if (files.length === 0) files.push("");
    for (const { block, lines } of bodies) this.#body(block, lines);
    kernel.nextId = this.#next;
    this.#link(kernel);
    return kernel;
  }

  #json<T>(text: string): T {
    try {
      return JSON.parse(text) as T;
    } catch {
      return this.#fail("not JSON");
    }
  }

  #parameter(text: string): Parameter {
    const match = /^%(\w+): (?:bytes (\d+)|(\w+)(?:( const)? (?:bytes (\d+)|(?!restrict)(\w+)))?( restrict)?)$/.exec(text);
    if (!match) this.#fail(`not a parameter: ${text}`);
    const [, name = "", bytes, type = "", isConst, pointeeBytes, pointeeType, restrict] = match;
    if (bytes) return { name, bytes: Number(bytes) };
    if (!isScalar(type)) this.#fail(`no such type: ${type}`);
    const parameter = { name, type, bytes: scalarBytes[type], ...(restrict ? { restrict: true } : {}) };
    if (pointeeBytes) return { ...parameter, pointee: { bytes: Number(pointeeBytes), const: isConst !== undefined } };
    if (pointeeType === undefined) return parameter;
    if (!isScalar(pointeeType)) this.#fail(`no such type: ${pointeeType}`);
    return { ...parameter, pointee: { bytes: scalarBytes[pointeeType], type: pointeeType, const: isConst !== undefined } };
  }

  #declaration(kernel: Kernel, files: string[], line: string): void {
    const [text, span] = takeSpan(line);
    const shared = /^shared @(\S+) (\d+|dynamic) align (\d+) dims (-|[\dx]+) element (\d+)$/.exec(text);
    const global = /^(constant|global) @(\S+) (\d+) align (\d+)(?: at (\d+))? (\w+)(?: content (.*))?$/.exec(text);
    if (text.startsWith("file ")) files.push(this.#json<string>(text.slice(5)));
    else if (shared) {
      const [, name = "", bytes, align, dimensions, elementBytes] = shared;
      const variable: SharedVariable = {
        name,
        ...(bytes === "dynamic" ? {} : { bytes: Number(bytes) }),
        align: Number(align),
        dimensions: dimensions === "-" ? [] : (dimensions ?? "").split("x").map(Number),
        elementBytes: Number(elementBytes),
        span,
      };
      kernel.shared.push(variable);
    } else if (global?.[6] && isScalar(global[6])) {
      const [, space, name = "", bytes, align, offset, element, content] = global;
      kernel.globals.push({
        name,
        space: space === "constant" ? "constant" : "global",
        bytes: Number(bytes),
        align: Number(align),
        ...(offset === undefined ? {} : { offset: Number(offset) }),
        element,
        ...(content ? { content: this.#json<NonNullable<GlobalVariable["content"]>>(content) } : {}),
      });
    } else this.#fail("neither a declaration nor a label");
  }

  /** Makes the operation of a line, without its operands: they may be defined further down. */
  #declare(block: Block, line: string): void {
    if (/^(jump|branch|return)\b/.test(line)) return;
    const [text, span] = takeSpan(line);
    const match = opPattern.exec(text);
    if (!match) this.#fail("not an operation");
    const [, name, typeText = "void", mnemonic = ""] = match;
    const type = typeText.replace(/x\d+$/, "");
    if (type !== "void" && !isScalar(type)) this.#fail(`no such type: ${type}`);
    const valueType: ValueType = type === "void" ? "void" : type;
    const op: Op = { id: name ? this.#id(name, "") : this.#next++, action: { kind: "phi" }, type: valueType, args: [], span };
    if (name) {
      if (this.#ops.has(name)) this.#fail(`%${name} is defined twice`);
      this.#ops.set(name, op);
    }
    (mnemonic === "phi" ? block.phis : block.ops).push(op);
  }

  #op(name: string): Op {
    return this.#ops.get(name.replace("%", "")) ?? this.#fail(`${name} is not defined`);
  }

  #block(name: string): Block {
    return this.#blocks.get(name) ?? this.#fail(`no block ${name}`);
  }

  readonly #incoming = new Map<Op, { from: Block; value: Op }[]>();

  #body(block: Block, lines: readonly { text: string; at: number }[]): void {
    let phi = 0;
    let position = 0;
    for (const { text: line, at } of lines) {
      this.#at = at;
      const [text, span] = takeSpan(line);
      const match = opPattern.exec(text);
      const [, , type = "void", mnemonic = "", rest = ""] = match ?? [];
      const parts = splitOperands(rest);
      if (mnemonic === "jump") block.end = { kind: "jump", to: this.#block(parts[0] ?? "") };
      else if (mnemonic === "branch") {
        const [cond = "", then = "", otherwise = ""] = parts;
        block.end = { kind: "branch", cond: this.#op(cond), then: this.#block(then), else: this.#block(otherwise), span };
      } else if (mnemonic === "return") block.end = { kind: "return" };
      else if (mnemonic === "phi") {
        const op = block.phis[phi++] ?? this.#fail("no such phi");
        const edges = [...rest.matchAll(/\[%([\w.]+), ([\w.]+)\]/g)].map((edge) => ({
          from: this.#block(edge[2] ?? ""),
          value: this.#op(edge[1] ?? ""),
        }));
        this.#incoming.set(op, edges);
      } else {
        const op = block.ops[position++] ?? this.#fail("no such operation");
        const operands = parts.filter((part) => part.startsWith("%"));
        op.args = operands.map((name) => this.#op(name));
        const components = Number(/x(\d+)$/.exec(type)?.[1] ?? 1);
        const settings = parts.filter((part) => !part.startsWith("%"));
        op.action = parseAction(mnemonic, settings, { type: op.type, components, args: op.args }) ?? this.#fail("not an operation");
      }
    }
  }

  #link(kernel: Kernel): void {
    linkBlocks(kernel);
    for (const block of kernel.blocks) {
      for (const phi of block.phis) {
        const edges = [...(this.#incoming.get(phi) ?? [])];
        for (const from of block.predecessors) {
          const index = edges.findIndex((edge) => edge.from === from);
          const [edge] = index < 0 ? [] : edges.splice(index, 1);
          if (edge) phi.args.push(edge.value);
        }
      }
    }
  }
}

function takeSpan(line: string): [text: string, span: Span] {
  const match = spanPattern.exec(line);
  if (!match) return [line, noSpan];
  const [whole, file = "0", at, start = "0", end = "0"] = match;
  return [line.slice(0, -whole.length).trimEnd(), { file: Number(file), line: Number(at), start: Number(start), end: Number(end) }];
}

/** Splits at commas that are not inside a string. */
const splitOperands = (text: string): string[] =>
  (text.match(/"(?:[^"\\]|\\.)*"|[^,\s](?:[^,"]|"(?:[^"\\]|\\.)*")*/g) ?? []).map((part) => part.trim());
