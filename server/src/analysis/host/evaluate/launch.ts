/** Kernel launches: by `<<<>>>` and by the runtime's functions. */

import type { Content } from "@warplens/sim-engine";
import type { Expression, FunctionDeclaration, LaunchConfiguration } from "../../../syntax/ast.ts";
import { lastName } from "../../sema/scope.ts";
import { identity, valueKey } from "../../sema/type-tools.ts";
import type { Substitution } from "../../sema/types.ts";
import type { LaunchEntry } from "../launches/launch-entry.ts";
import { namedKernel } from "../launches/launch-sites.ts";
import { writtenParameters } from "../launches/written-parameters.ts";
import { contentOf } from "../memory/content.ts";
import { launchAsked } from "../memory/device-requests.ts";
import { forgetContent, mayBeWritten, pointeesMayBeWritten } from "../memory/effects.ts";
import { type Argument, followed, type Interpreter, type LaunchCall } from "../memory/interpreter.ts";
import { contentIn } from "../memory/record-members.ts";
import { launched } from "../memory/watch.ts";
import { writtenVariables } from "../program/written-variables.ts";
import { deduce } from "../resolve/deduce.ts";
import { globalCell } from "../resolve/names.ts";
import { chooseOverload } from "../resolve/overload.ts";
import { convert, dim3, dimensions } from "../values/convert.ts";
import { Allocation, Cell, type FunctionValue, type HostType, type TemplateValue, type Value } from "../values/model.ts";
import { int, unknown, voidValue } from "../values/values.ts";
import { evaluateArguments } from "./arguments.ts";
import { Capture } from "./capture.ts";

const sizeType: HostType = { kind: "integer", name: "ulong" };

/** `k<<<grid, block, shared, stream>>>(args)`. What it is made of, as its grid, may launch itself: it comes before. */
export const evaluateLaunch = (...launch: Parameters<typeof makeLaunch>): Value => followed(launch[0], () => makeLaunch(...launch));

function makeLaunch(host: Interpreter, e: Expression & { readonly kind: "call" }, configuration: LaunchConfiguration): Value {
  if (configuration.grid?.kind === "pack") {
    // `<<<configuration...>>>`
    const [first, second, third, fourth] = evaluateArguments(host, [configuration.grid]).map(({ value }) => value);
    const given = {
      grid: dimensions(first ?? unknown("a grid")),
      block: dimensions(second ?? unknown("a block")),
      shared: convert(third ?? int(0), sizeType),
    };
    launchKernel(host, {
      site: e,
      callee: host.evaluate(e.callee),
      name: namedKernel(e.callee),
      ...given,
      args: evaluateArguments(host, e.arguments),
      stream: fourth,
    });
    return voidValue;
  }
  const grid = dimensions(configurationValue(host, configuration.grid));
  const block = dimensions(configurationValue(host, configuration.block));
  const shared = configuration.shared === undefined ? int(0, "ulong") : convert(host.evaluate(configuration.shared), sizeType);
  const stream = configuration.stream && host.evaluate(configuration.stream);
  const callee = host.evaluate(e.callee);
  const args = evaluateArguments(host, e.arguments);
  launchKernel(host, { site: e, callee, name: namedKernel(e.callee), grid, block, shared, args, stream });
  return voidValue;
}

function configurationValue(host: Interpreter, e: Expression | undefined): Value {
  if (e === undefined) return unknown("a launch configuration that is not written");
  if (e.kind === "list" && e.type === undefined) return dim3(...e.elements.map((element) => host.evaluate(element.value)));
  const value = host.evaluate(e);
  // An object that converts to a `dim3`, or to a number.
  return value.kind === "record" && !value.members.has("x") ? host.scalar(value) : value;
}

/** Notes a launch, and what its kernel leaves in memory. */
export function launchKernel(host: Interpreter, call: LaunchCall): void {
  if (host.loops.some((loop) => loop.abstract)) {
    for (const { value } of call.args) mayBeWritten(host, value);
    forgetWritten(host, call);
    return;
  }
  for (const { value } of call.args) pointeesMayBeWritten(host, value);
  const chosen = call.callee.kind === "function" ? defined(host, kernelOf(host, call.callee, call.args, call.site)) : undefined;
  const instance = instanceKey(call.site, chosen);
  const capture = new Capture(host);
  const entry = entryOf(host, call, chosen, instance, capture);
  host.launches.add(entry);
  launchAsked(host, entry, call.stream);
  runKernel(host, chosen?.kernel, call.args, entry, capture);
  launched(host, call.site, chosen?.kernel, entry.kernelName, call.args, call.stream);
}

/** A turn that stands for others launches: buffers of which more is known than that kernels store to them may hold something else. */
function forgetWritten(host: Interpreter, call: LaunchCall): void {
  const chosen = call.callee.kind === "function" ? defined(host, kernelOf(host, call.callee, call.args, call.site)) : undefined;
  const written = chosen && writtenParameters(chosen.kernel);
  for (const [k, { value }] of call.args.entries()) if (!written || written.has(k)) forget(value, 0);

  function forget(value: Value, depth: number): void {
    if (value.kind === "record" && depth < 3) for (const member of value.members.values()) forget(member.value, depth + 1);
    if (value.kind !== "pointer" || !(value.target instanceof Allocation) || value.target.residence === "host") return;
    const { content } = value.target.summary;
    if (content.kind !== "written" && content.kind !== "unknown") forgetContent(host, value.target, `\`${call.name}\` stored to it`);
  }
}

interface ChosenKernel {
  readonly kernel: FunctionDeclaration;
  readonly substitution: Substitution | undefined;
  readonly templateArguments: readonly TemplateValue[];
}

function instanceKey(site: Expression, chosen: ChosenKernel | undefined): string {
  const kernel = chosen === undefined ? [] : [identity(chosen.kernel), ...chosen.templateArguments.map(argumentKey)];
  return [identity(site), ...kernel].join(" ");
}

function argumentKey(value: TemplateValue): string {
  return value === undefined ? "?" : valueKey(value);
}

function kernelOf(host: Interpreter, callee: FunctionValue, args: readonly Argument[], site: Expression): ChosenKernel | undefined {
  const resolved = site.kind === "call" && site.launch !== undefined ? host.semantics.callee(site, host.frame.substitution) : undefined;
  if (resolved !== undefined && callee.candidates.includes(resolved.function)) {
    const templateArguments = argumentsIn(resolved.function, resolved.substitution);
    if (!templateArguments.includes(undefined))
      return { kernel: resolved.function, substitution: resolved.substitution, templateArguments };
  }
  const kernels = callee.candidates.filter((fn) => fn.specifiers.global);
  const candidates = kernels.length > 0 ? kernels : callee.candidates;
  const kernel =
    chooseOverload(host, candidates, args, callee.templateArguments.length) ?? (candidates.length === 1 ? candidates[0] : undefined);
  if (kernel === undefined) return undefined;
  const substitution = deduce(host, kernel, callee.templateArguments, args, undefined);
  return { kernel, substitution, templateArguments: argumentsIn(kernel, substitution) };
}

/** A kernel that is only declared here, as another file defines it. */
function defined(host: Interpreter, chosen: ChosenKernel | undefined): ChosenKernel | undefined {
  if (chosen === undefined || chosen.kernel.body !== undefined) return chosen;
  const kernel = host.linker?.definition(lastName(chosen.kernel.name));
  if (kernel === undefined || !kernel.specifiers.global) return chosen;
  const values = chosen.templateArguments.filter((value) => value !== undefined);
  return { ...chosen, kernel, substitution: host.semantics.substitutionFor(kernel, values) };
}

/** What the kernel's template parameters stand for, in their order. */
function argumentsIn(kernel: FunctionDeclaration, substitution: Substitution | undefined): readonly TemplateValue[] {
  return (kernel.templateParameters ?? []).flatMap((parameter, k): TemplateValue[] => {
    const value = substitution?.values.get(parameter.name ?? `#${k}`);
    return isPack(value) ? [...value] : [value];
  });
}

function isPack(value: TemplateValue | readonly TemplateValue[]): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

function entryOf(host: Interpreter, call: LaunchCall, chosen: ChosenKernel | undefined, instance: string, capture: Capture): LaunchEntry {
  const { site, grid, block, shared, cluster } = call;
  const captured = capture.arguments(
    chosen?.kernel,
    chosen?.substitution,
    call.args.map(({ value }) => value),
  );
  const kernelName = chosen?.kernel.name.parts.at(-1)?.text ?? (call.callee.kind === "function" ? call.callee.name : call.name);
  return {
    site,
    instance,
    turn: 0,
    grid,
    block,
    shared,
    captured,
    remoteness: host.speculation,
    kernelName,
    uncertain: host.uncertainty > 0,
    globals: globalContents(host),
    templateArguments: chosen?.templateArguments ?? [],
    ...(chosen === undefined ? {} : { kernel: chosen.kernel }),
    ...(chosen?.substitution === undefined ? {} : { substitution: chosen.substitution }),
    ...(cluster === undefined ? {} : { cluster }),
  };
}

/** What was stored in `__constant__` and `__device__` variables. */
function globalContents(host: Interpreter): Map<string, ReturnType<typeof contentOf>> {
  const contents = new Map<string, ReturnType<typeof contentOf>>();
  for (const [declaration, cell] of host.statics) {
    const { device, constant, managed } = declaration.specifiers;
    const name = declaration.name.parts.at(-1)?.text;
    if (name === undefined || !(device || constant || managed)) continue;
    const { value } = cell;
    if (value.kind === "pointer" && value.target instanceof Allocation) {
      contents.set(name, contentIn(host, value.target, value.target.summary.elementBytes, value.to));
    } else contents.set(name, contentOf(value));
  }
  return contents;
}

/** After a launch, buffers that the kernel may store to hold what it left in them. */
function runKernel(
  host: Interpreter,
  kernel: FunctionDeclaration | undefined,
  args: readonly Argument[],
  entry: LaunchEntry,
  capture: Capture,
): void {
  const written = kernel === undefined ? undefined : writtenParameters(kernel);
  const { resolveLaunch, unit } = host;
  const record =
    kernel === undefined || resolveLaunch === undefined
      ? undefined
      : host.launches.record(entry, unit.whereIs?.(entry.site), resolveLaunch);
  for (const [k, { value }] of args.entries()) {
    if (written !== undefined && !written.has(k)) continue;
    store(value, 0);
  }
  storeVariables(host, kernel, entry.kernelName);

  function store(value: Value, depth: number): void {
    const reason = `\`${entry.kernelName}\` stored to it`;
    if (value.kind === "pointer" && value.target instanceof Allocation) {
      if (value.target.residence === "host") return;
      const buffer = capture.indexOf(value.target);
      if (record === undefined || record.tooDeep || buffer === undefined) forgetContent(host, value.target, reason);
      else {
        const content: Content = { kind: "written", by: record, buffer, offset: 0 };
        host.journal.summarise(value.target, { ...value.target.summary, content, reason }, new Map());
      }
    } else if (value.kind === "pointer" && value.target instanceof Cell) storeNumbers(host, value.target, reason);
    else if (value.kind === "record" && depth < 3) for (const member of value.members.values()) store(member.value, depth + 1);
  }
}

/** Of an object pointers are taken to stay what they are. */
function storeNumbers(host: Interpreter, cell: Cell, reason: string): void {
  const { value } = cell;
  if (value.kind !== "record") host.journal.set(cell, unknown(reason, cell.type));
  else for (const member of value.members.values()) if (member.value.kind !== "pointer") storeNumbers(host, member, reason);
}

/** Variables of the device that a kernel may store to hold what nobody follows. */
function storeVariables(host: Interpreter, kernel: FunctionDeclaration | undefined, name: string): void {
  const all = host.globals.ofDevice();
  if (all.length === 0) return;
  const written = kernel?.body && writtenVariables(kernel, host.globals);
  const reason = `\`${name}\` stored to it`;
  for (const variable of all) {
    if (written && !written.has(lastName(variable.declaration.name))) continue;
    const cell = globalCell(host, variable);
    if (cell.value.kind === "pointer" && cell.value.target instanceof Allocation) forgetContent(host, cell.value.target, reason);
    else storeNumbers(host, cell, reason);
  }
}
