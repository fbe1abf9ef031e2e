/** Looks for faults in what host code does with memory; told by whoever evaluates it. */
import type { Expression, FunctionDeclaration, Node } from "../../../syntax/ast.ts";
import { termsOf, withoutParentheses } from "../../../syntax/terms.ts";
import { walk } from "../../../syntax/walk.ts";
import type { HostFault } from "../../facts.ts";
import { faultObject } from "../launches/host-fault.ts";
import { writtenParameters } from "../launches/written-parameters.ts";
import { Allocation, Cell, type Filling, type Origin, type Place, type Value } from "../values/model.ts";
import { int, integerOf } from "../values/values.ts";
import type { Argument, Interpreter } from "./interpreter.ts";
import { targetOf } from "./pointees.ts";
import { sizeOf } from "./read-write.ts";

/** The program certainly comes here, with these values. */
const isCertain = (host: Interpreter): boolean =>
  host.faults !== undefined &&
  host.uncertainty === 0 &&
  host.speculation === 0 &&
  host.unit === host.entryUnit &&
  !host.loops.some((loop) => loop.abstract);

function tell(host: Interpreter, fault: HostFault): void {
  if (isCertain(host)) host.faults?.add(fault);
}

// ---------------------------------------------------------------- waiting for the device

/** The host has waited for the device, as far as anybody can tell: what kernels and copies had under way is done. */
export function waited(host: Interpreter): void {
  advance(host, host.waits);
}

function advance(host: Interpreter, waits: Cell): void {
  const turn = integerOf(waits.value);
  if (turn !== undefined) host.journal.set(waits, int(turn + 1, "long"));
}

/** A stream that the program has made. */
function streamIn(value: Value | undefined): Allocation | undefined {
  return value?.kind === "pointer" && value.target instanceof Allocation ? value.target : undefined;
}

function waitsFor({ streams }: Interpreter, stream: Allocation | undefined): Cell {
  if (stream === undefined) return streams.any;
  const waits = streams.waits.get(stream) ?? new Cell(int(0, "long"));
  streams.waits.set(stream, waits);
  return waits;
}

/** A stream waits for another, or for all, as what is done in the default stream does. */
function linkStreams({ journal, streams }: Interpreter): void {
  journal.set(streams.linked, int(1, "bool"));
}

/** Nothing that the host has waited for since it began. */
const isUnderWay = (host: Interpreter, { turn, stream, streamTurn }: Filling): boolean =>
  turn === integerOf(host.waits.value) && streamTurn === integerOf(waitsFor(host, stream).value);

/** Functions of the runtime that return while kernels are still running. */
const returnsAtOnce = new RegExp(
  `^cuda(${[
    "Memcpy(2D)?Async",
    "Memset(2D)?Async",
    "MemPrefetchAsync",
    "MemAdvise",
    "EventRecord",
    "EventCreate(WithFlags)?",
    "StreamCreate(WithFlags|WithPriority)?",
    "StreamWaitEvent",
    "GetLastError",
    "PeekAtLastError",
    "GetError(String|Name)",
    "GetDevice(Count|Properties)?",
    "DeviceGetAttribute",
    "FuncSet(Attribute|CacheConfig)",
    "LaunchKernel(ExC?)?",
    "LaunchCooperativeKernel",
    "Occupancy\\w+",
  ].join("|")})$`,
);
const ofRuntime = /^cu(da)?[A-Z]/;

/** A function of a library is called: many wait for the device, and who is not known not to is taken to. */
export function called(host: Interpreter, name: string, known: boolean, args: readonly Argument[] = []): void {
  if (name === "cudaStreamWaitEvent") linkStreams(host);
  const stream = name === "cudaStreamSynchronize" ? streamIn(args[0]?.value) : undefined;
  if (stream !== undefined && integerOf(host.streams.linked.value) === 0) {
    advance(host, waitsFor(host, stream));
    advance(host, host.streams.any);
    return;
  }
  if (known ? ofRuntime.test(name) && !returnsAtOnce.test(name) : true) waited(host);
}

/** From now until the host waits, a kernel or a copy fills this memory. */
function fills(host: Interpreter, allocation: Allocation, by: Expression, kernel: string | undefined, on: Value | undefined): void {
  const stream = streamIn(on);
  const [turn, streamTurn] = [integerOf(host.waits.value), integerOf(waitsFor(host, stream).value)];
  if (turn === undefined || streamTurn === undefined || host.loops.some((loop) => loop.abstract)) return;
  host.journal.summarise(allocation, { ...allocation.summary, filling: { by, turn, kernel, stream, streamTurn } });
}

// ---------------------------------------------------------------- accesses

/** Host code reads or writes an lvalue. */
export function accessed(host: Interpreter, place: Place | undefined, at: Expression, use: "read" | "written"): void {
  if (host.faults === undefined || place === undefined || place instanceof Cell || place.type?.kind === "array") return;
  const { allocation } = place;
  if (allocation.origin?.call) touched(host, allocation, at, use, isPointed(host, at));
}

/** It is reached by a pointer of the language: the classes of libraries may do anything. */
function isPointed(host: Interpreter, at: Expression): boolean {
  const base = at.kind === "subscript" ? at.base : at.kind === "unary" ? at.operand : undefined;
  return base !== undefined && host.semantics.typeOf(base, host.frame.substitution)?.kind === "pointer";
}

function touched(host: Interpreter, allocation: Allocation, at: Expression, use: "read" | "written", pointed: boolean): void {
  const { summary, residence } = allocation;
  const object = faultObject(allocation);
  if (summary.freed !== undefined) tell(host, { kind: "freed", at, use, object, freed: summary.freed });
  else if (residence === "device" && pointed) tell(host, { kind: "device-memory-on-host", at, use, object });
  else if (use === "read" && summary.filling !== undefined && isUnderWay(host, summary.filling)) {
    const { by, kernel } = summary.filling;
    tell(host, { kind: "not-waited", at, object, by, kernel });
  }
}

// ---------------------------------------------------------------- freeing

/** `cudaFree(p)`, `free(p)`, `delete[] p`. */
export function freed(host: Interpreter, value: Value, at: Expression): void {
  if (value.kind !== "pointer" || !(value.target instanceof Allocation) || value.offset !== 0) return;
  const { target } = value;
  if (!target.origin?.call || host.loops.some((loop) => loop.abstract)) return;
  const before = target.summary.freed;
  if (before !== undefined) tell(host, { kind: "freed", at, use: "freed", object: faultObject(target), freed: before });
  else host.journal.summarise(target, { ...target.summary, freed: at });
}

// ---------------------------------------------------------------- launches

/** A kernel is launched. */
export function launched(
  host: Interpreter,
  site: Expression,
  kernel: FunctionDeclaration | undefined,
  name: string,
  args: readonly Argument[],
  stream: Value | undefined,
): void {
  if (streamIn(stream) === undefined) linkStreams(host);
  if (host.faults === undefined || kernel?.body === undefined) return;
  const written = writtenParameters(kernel);
  for (const [k, { value, expression }] of args.entries()) {
    const parameter = kernel.parameters[k];
    if (parameter?.name === undefined || parameter.type.kind !== "pointer") continue;
    if (value.kind !== "pointer" || !(value.target instanceof Allocation) || !value.target.origin?.call) continue;
    const { target } = value;
    const object = faultObject(target);
    const at = expression ?? site;
    const { freed: before, registered } = target.summary;
    if (before !== undefined && isUsed(kernel, parameter.name))
      tell(host, { kind: "freed", at, use: "given to a kernel", object, freed: before, kernel: name });
    else if (target.residence === "host" && registered === undefined && isUsed(kernel, parameter.name))
      tell(host, { kind: "host-memory-in-kernel", at, object, kernel: name, parameter: parameter.name });
    else if ((target.residence === "managed" || target.residence === "pinned") && written.has(k)) fills(host, target, site, name, stream);
  }
}

/** The kernel reads or writes through a parameter, or passes it on. */
function isUsed(kernel: FunctionDeclaration, name: string): boolean {
  let used = false;
  const is = (e: Expression): boolean => {
    const inner = withoutParentheses(e);
    if (inner.kind === "name") return inner.name.parts.length === 1 && inner.name.parts[0]?.text === name;
    return inner.kind === "binary" && (inner.op === "+" || inner.op === "-") && termsOf(inner, (op) => op === "+" || op === "-").some(is);
  };
  if (kernel.body !== undefined)
    walk(kernel.body, (node) => {
      if (node.kind === "subscript") used ||= is(node.base);
      else if (node.kind === "unary" && node.op === "*") used ||= is(node.operand);
      return !used;
    });
  return used;
}

// ---------------------------------------------------------------- copies

/** One side of a copy. */
interface Side {
  readonly value: Value;
  readonly expression?: Expression | undefined;
  /** From the beginning of what the value points at, in bytes; undefined where it is not known. */
  readonly skipped?: number | undefined;
  /** Bytes from the first to the last that is touched on this side, where those of both are not the same. */
  readonly bytes?: number | undefined;
}

export interface CopyCall {
  readonly call: Expression;
  readonly to: Side;
  readonly from?: Side;
  /** Bytes from the first to the last that is touched; of `size` where nothing else is said. */
  readonly bytes: number | undefined;
  readonly size?: Expression | undefined;
  /** `cudaMemcpyKind`. */
  readonly direction?: { readonly value: number | undefined; readonly expression: Expression | undefined };
  /** It returns before it is done. */
  readonly async: boolean;
  readonly stream?: Value | undefined;
  /** It is the host that copies. */
  readonly byHost?: true;
}

interface Touched {
  readonly allocation: Allocation;
  readonly offset: number | undefined;
}

/** Rows are copied: the distance between them may be what one of them takes, times the size of an element. */
export function copiesRows(
  host: Interpreter,
  copy: CopyCall & { readonly rows: readonly { readonly pitch: Expression | undefined; readonly bytes: number | undefined }[] },
): void {
  const { size, bytes, to, from, rows } = copy;
  const memory = [memoryOf(to), from && memoryOf(from)];
  if (host.faults === undefined || size === undefined || bytes === undefined) return;
  const short = rows.find(({ pitch, bytes: pitchBytes }) => pitch !== undefined && pitchBytes !== undefined && pitchBytes < bytes);
  if (short?.pitch && short.bytes !== undefined) tell(host, { kind: "short-pitch", at: short.pitch, pitch: short.bytes, bytes });
  for (const [k, { pitch, bytes: pitchBytes }] of rows.entries()) {
    const allocation = memory[k]?.allocation;
    const { elementBytes = 1, bytes: allocated } = allocation?.summary ?? {};
    if (pitch === undefined || allocation === undefined || allocated === undefined) continue;
    if (elementBytes <= 1 || pitchBytes !== bytes * elementBytes) continue;
    const unit = unitOf(host, originOf(host, pitch, true, pitch), size, elementBytes);
    if (unit === undefined) continue;
    const object = { ...faultObject(allocation), bytes: allocated };
    tell(host, { kind: "elements-for-bytes", at: size, size, bytes, object, elementBytes, unit: unit.sizeof, ofRow: true });
    return;
  }
}

/** `cudaMemcpy` and its kin, `cudaMemset`, and what the C library does. */
export function copies(host: Interpreter, copy: CopyCall): void {
  if (copy.async && streamIn(copy.stream) === undefined) linkStreams(host);
  if (host.faults === undefined) return;
  const to = memoryOf(copy.to);
  const from = copy.from && memoryOf(copy.from);
  const sides = [
    ...(to ? [{ ...to, bytes: copy.to.bytes, side: copy.from === undefined ? ("set" as const) : ("copied to" as const) }] : []),
    ...(from ? [{ ...from, bytes: copy.from?.bytes, side: "copied from" as const }] : []),
  ];
  for (const { allocation, side } of sides) {
    const { summary } = allocation;
    const object = faultObject(allocation);
    if (summary.freed !== undefined) {
      tell(host, { kind: "freed", at: copy.call, use: side, object, freed: summary.freed });
      return;
    }
    if (!copy.byHost) continue;
    touched(host, allocation, copy.call, side === "copied from" ? "read" : "written", allocation.origin?.call === true);
  }
  if (copy.byHost) return;
  checkDirection(host, copy, to, from);
  if (!checkSize(host, copy, sides)) checkElements(host, copy, to, from);
  if (copy.async) checkLocked(host, copy, to, from);
  const { direction } = copy;
  if (copy.async && to?.allocation.residence === "pinned" && from?.allocation.residence === "device" && direction?.value !== 1)
    fills(host, to.allocation, copy.call, undefined, copy.stream);
}

/** A copy from or to pageable memory goes through a buffer of the driver, and the host waits for that. */
function checkLocked(host: Interpreter, { call, bytes }: CopyCall, to: Touched | undefined, from: Touched | undefined): void {
  if (!to || !from) return;
  const [target, source] = [spaceOf(to.allocation), spaceOf(from.allocation)];
  if (target === source || target === undefined || source === undefined) return;
  const toDevice = target === "d";
  tell(host, { kind: "pageable-copy", at: call, object: faultObject((toDevice ? from : to).allocation), toDevice, bytes });
}

function memoryOf({ value, skipped = 0 }: Side): Touched | undefined {
  const target = targetOf(value);
  if (target === undefined || target instanceof Cell || target.allocation.origin === undefined) return undefined;
  return { allocation: target.allocation, offset: target.offset === undefined ? undefined : target.offset + skipped };
}

/** The bits of `cudaMemcpyKind`: from host to host is 0, from device to device 3. */
const toDevice = 1;
const fromDevice = 2;

/** Page-locked and managed memory may be either. */
const spaceOf = ({ residence, summary }: Allocation): "h" | "d" | undefined =>
  residence === "device" ? "d" : residence === "host" && summary.registered === undefined ? "h" : undefined;

function checkDirection(host: Interpreter, { call, direction }: CopyCall, to: Touched | undefined, from: Touched | undefined): void {
  const said = direction?.value;
  if (said === undefined || said > 3 || !to || !from) return;
  const [target, source] = [spaceOf(to.allocation), spaceOf(from.allocation)];
  const kindOf = (eitherFrom: number, eitherTo: number): number =>
    (source === undefined ? eitherFrom : source === "d" ? fromDevice : 0) |
    (target === undefined ? eitherTo : target === "d" ? toDevice : 0);
  if (kindOf(said & fromDevice, said & toDevice) === said) return;
  // Page-locked memory is the host's in the first place.
  const isManaged = ({ allocation }: Touched): boolean => allocation.residence === "managed";
  const fits = kindOf(isManaged(from) ? said & fromDevice : 0, isManaged(to) ? said & toDevice : 0);
  const objects = { to: faultObject(to.allocation), from: faultObject(from.allocation) };
  tell(host, { kind: "direction", at: call, direction: direction?.expression, said, fits, ...objects });
}

function checkSize(
  host: Interpreter,
  { call, bytes: ofBoth }: CopyCall,
  sides: readonly (Touched & { readonly bytes: number | undefined; readonly side: "set" | "copied to" | "copied from" })[],
): boolean {
  for (const { allocation, offset, side, bytes = ofBoth } of sides) {
    const size = allocation.summary.bytes;
    if (bytes === undefined || offset === undefined || size === undefined || offset + bytes <= size) continue;
    tell(host, { kind: "too-large", at: call, side, object: { ...faultObject(allocation), bytes: size }, offset, bytes });
    return true;
  }
  return false;
}

/** The number of elements, or the size of a pointer, stands where the number of bytes should. */
function checkElements(host: Interpreter, copy: CopyCall, to: Touched | undefined, from: Touched | undefined): void {
  const { size, bytes } = copy;
  if (size === undefined || bytes === undefined) return;
  const both = [to, from].filter((side) => side !== undefined);
  const isMore = (least: number): boolean =>
    both.every(({ allocation, offset }) => offset === 0 && (allocation.summary.bytes ?? 0) >= least);
  for (const { allocation } of both) {
    const { origin, summary } = allocation;
    const { bytes: allocated } = summary;
    const elementBytes = summary.elementBytes ?? sizeOf(host, allocation.element) ?? 1;
    if (origin === undefined || allocated === undefined) continue;
    const object = { ...faultObject(allocation), bytes: allocated };
    const pointer = pointerMeasured(host, size, [copy.to.expression, copy.from?.expression]);
    if (pointer !== undefined && isMore(bytes + 1)) {
      tell(host, { kind: "sizeof-pointer", at: size, pointer, bytes, object });
      return;
    }
    const ofPointer = pointerFactor(host, size);
    if (ofPointer !== undefined && isMore(bytes + 1) && (bytes / pointerBytes) * elementBytes === allocated) {
      const unit = unitOf(host, origin, ofPointer.count, elementBytes);
      if (unit === undefined) continue;
      tell(host, { kind: "sizeof-pointer-type", at: size, sizeof: ofPointer.sizeof, bytes, object, elementBytes, unit: unit.sizeof });
      return;
    }
    if (elementBytes <= 1 || !isMore(bytes * elementBytes) || bytes * elementBytes !== allocated) continue;
    const unit = unitOf(host, origin, size, elementBytes);
    if (unit === undefined) continue;
    tell(host, { kind: "elements-for-bytes", at: size, size, bytes, object, elementBytes, unit: unit.sizeof });
    return;
  }
}

/** The size is `sizeof` of one of the pointers that are copied to or from. */
function pointerMeasured(host: Interpreter, size: Expression, sides: readonly (Expression | undefined)[]): Expression | undefined {
  const measured = withoutParentheses(size);
  if (measured.kind !== "sizeof" || measured.operand === undefined) return undefined;
  const operand = withoutParentheses(measured.operand);
  if (!sides.some((side) => side !== undefined && isSame(withoutParentheses(side), operand))) return undefined;
  return host.semantics.typeOf(operand, host.frame.substitution)?.kind === "pointer" ? operand : undefined;
}

const pointerBytes = 8;

/** A number of pointers: the `sizeof` of one, and the number. */
function pointerFactor(host: Interpreter, size: Expression): { readonly sizeof: Expression; readonly count: Expression } | undefined {
  const [a, b, ...others] = termsOf(withoutParentheses(size), (op) => op === "*").map(withoutParentheses);
  if (a === undefined || b === undefined || others.length > 0) return undefined;
  const isOfPointer = (e: Expression): boolean =>
    e.kind === "sizeof" &&
    !e.align &&
    (e.type?.kind === "pointer" ||
      (e.operand !== undefined && host.semantics.typeOf(e.operand, host.frame.substitution)?.kind === "pointer"));
  if (isOfPointer(a)) return { sizeof: a, count: b };
  return isOfPointer(b) ? { sizeof: b, count: a } : undefined;
}

/** The allocation multiplies just what stands for the size of the copy by the size of an element. */
function unitOf(
  host: Interpreter,
  { size: allocated, count }: Origin,
  size: Expression,
  elementBytes: number,
): { readonly sizeof: Expression | undefined } | undefined {
  const wanted = withoutParentheses(size);
  if (count !== undefined && isSame(withoutParentheses(count), wanted)) return { sizeof: undefined };
  if (allocated === undefined) return undefined;
  const factors = termsOf(withoutParentheses(allocated), (op) => op === "*").map(withoutParentheses);
  const [a, b] = factors;
  if (a === undefined || b === undefined || factors.length !== 2) return undefined;
  for (const [unit, other] of [
    [a, b],
    [b, a],
  ] as const)
    if ((unit.kind === "sizeof" || unit.kind === "integer") && isSame(other, wanted) && integerOf(host.evaluate(unit)) === elementBytes)
      return { sizeof: unit.kind === "sizeof" ? unit : undefined };
  return undefined;
}

/** Written alike, wherever they stand. */
function isSame(a: Expression, b: Expression): boolean {
  const text = (e: Expression): string =>
    JSON.stringify(e, (key, value: unknown) =>
      key === "start" || key === "end" ? undefined : typeof value === "bigint" ? String(value) : value,
    );
  return a.kind === b.kind && text(a) === text(b);
}

/** What is noted of an allocation, so that findings can show it. */
export function originOf({ unit }: Interpreter, at: Node, call: boolean, size?: Expression, count?: Expression): Origin {
  return { at, unit, call, ...(size === undefined ? {} : { size }), ...(count === undefined ? {} : { count }) };
}
