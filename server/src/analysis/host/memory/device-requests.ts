/** Notes what host code has the device do, where somebody asks. */
import type { Expression } from "../../../syntax/ast.ts";
import type { DeviceEvent, Residence } from "../../device-events.ts";
import { templateText } from "../../sema/type-tools.ts";
import type { LaunchEntry } from "../launches/launch-entry.ts";
import { Allocation, Cell, type Value } from "../values/model.ts";
import { integerOf } from "../values/values.ts";
import type { Argument, Interpreter } from "./interpreter.ts";
import { dereferenced, targetOf } from "./pointees.ts";
import { read } from "./read-write.ts";

type Asked = DeviceEvent extends infer Event ? (Event extends DeviceEvent ? Omit<Event, "uncertain" | "isElsewhere"> : never) : never;

function ask(host: Interpreter, event: Asked): void {
  if (host.events === undefined || host.speculation > 0 || host.loops.some((loop) => loop.abstract)) return;
  host.events.add({
    ...event,
    ...(host.uncertainty > 0 ? { uncertain: true as const } : {}),
    ...(host.unit === host.entryUnit ? {} : { isElsewhere: true as const }),
  });
}

/** What a handle of a stream or an event stands for: none where it is the default stream's, or not known. */
function handleIn(host: Interpreter, value: Value | undefined): number | undefined {
  if (value?.kind === "pointer" && value.target instanceof Allocation) return host.events?.numberOf(value.target);
  if (value !== undefined && integerOf(value) !== 0 && !(value.kind === "pointer" && value.target === undefined))
    host.events?.doubt("a stream or an event is not known: it is taken for the default stream");
  return undefined;
}

function onStream(host: Interpreter, stream: Value | undefined): { readonly stream?: number } {
  const number = handleIn(host, stream);
  return number === undefined ? {} : { stream: number };
}

/** A kernel is launched. */
export function launchAsked(
  host: Interpreter,
  { site, kernelName, templateArguments, grid, block }: LaunchEntry,
  stream: Value | undefined,
): void {
  if (host.events === undefined) return;
  const sides = { grid: grid.map(integerOf), block: block.map(integerOf) };
  ask(host, {
    kind: "launch",
    at: site,
    kernel: kernelName,
    templateArguments: templateArguments.map(templateText),
    ...sides,
    ...onStream(host, stream),
  });
}

/** One side of a copy: a variable of the device's is known to be by who copies. */
type Side = Value | "device";

/**
 * Memory is copied by a function of the runtime.
 * @param direction the number of `cudaMemcpyKind`, which says what the memory itself does not
 */
export function copyAsked(
  host: Interpreter,
  at: Expression,
  [to, from]: readonly [to: Side, from: Side],
  bytes: number | undefined,
  {
    async = false,
    stream,
    direction,
  }: { readonly async?: boolean; readonly stream?: Value | undefined; readonly direction?: number | undefined } = {},
): void {
  if (host.events === undefined) return;
  const said = (isDevice: boolean): Residence | undefined =>
    direction === undefined || direction > 3 ? undefined : isDevice ? "device" : "host";
  const sides = {
    to: residenceOf(to) ?? said(((direction ?? 0) & 1) !== 0),
    from: residenceOf(from) ?? said(((direction ?? 0) & 2) !== 0),
  };
  ask(host, { kind: "copy", at, ...sides, bytes, async, ...onStream(host, stream) });
}

/** Memory of the device is set by a function of the runtime. */
export function setAsked(host: Interpreter, at: Expression, bytes: number | undefined, stream?: Value): void {
  if (host.events !== undefined) ask(host, { kind: "set", at, bytes, ...onStream(host, stream) });
}

/** Functions of the runtime that have the device do nothing that takes its time. */
const idle = new RegExp(
  `^cuda(${[
    "Get\\w*",
    "PeekAtLastError",
    "Set\\w*",
    "Device(Get|Set)\\w*",
    "DeviceReset",
    "DeviceCanAccessPeer",
    "DeviceEnablePeerAccess",
    "Func(Get|Set)\\w*",
    "Event(Create\\w*|Destroy|Query|ElapsedTime)",
    "Stream(Create\\w*|Destroy|Query|GetPriority|AttachMemAsync)",
    "Malloc\\w*",
    "Free\\w*",
    "Host\\w+",
    "MemGetInfo",
    "MemAdvise",
    "Occupancy\\w+",
    "Profiler\\w+",
    "(Create|Destroy)(TextureObject|SurfaceObject|ChannelDesc)",
    "(Bind|Unbind)Texture\\w*",
    "Stream(Begin|End)Capture\\w*",
    "Graph(Create|Instantiate|Destroy|ExecDestroy)\\w*",
    "RuntimeGetVersion",
    "DriverGetVersion",
    "Pointer\\w+",
  ].join("|")})$`,
);
/** Functions that say something, or end the program. */
const passing = /^(\w*printf|f?put\w+|fflush|perror|exit|_exit|abort|assert|\w*(check|error)\w*)$/i;
const ofDevice = /^(cuda|cublas|cufft|cusparse|cusolver|curand|cudnn|cutensor|nccl|nppi|cu[A-Z])/;

/** A function is called of which nothing else is known: one that waits, has something wait, or does who knows what. */
export function waitAsked(host: Interpreter, name: string, args: readonly Argument[], at: Expression): void {
  if (host.events === undefined) return;
  const handle = (index: number): Value | undefined => args[index]?.value;
  switch (name) {
    case "cudaDeviceSynchronize":
    case "cudaThreadSynchronize":
      ask(host, { kind: "wait", at });
      return;
    case "cudaStreamSynchronize":
      ask(host, { kind: "wait", at, stream: handleIn(host, handle(0)) ?? 0 });
      return;
    case "cudaEventSynchronize": {
      const event = handleIn(host, handle(0));
      if (event !== undefined) ask(host, { kind: "wait", at, event });
      return;
    }
    case "cudaEventRecord":
    case "cudaEventRecordWithFlags":
    case "cudaStreamWaitEvent": {
      const joins = name === "cudaStreamWaitEvent";
      const event = handleIn(host, handle(joins ? 1 : 0));
      if (event !== undefined) ask(host, { kind: joins ? "join" : "record", at, event, ...onStream(host, handle(joins ? 0 : 1)) });
      return;
    }
    default:
      leftOut(host, name);
      if (host.speculation === 0 && !ofDevice.test(name) && !passing.test(name)) host.events.worked();
  }
}

/** What a function has the device do is not followed. */
export function leftOut(host: Interpreter, name: string): void {
  if (host.speculation === 0 && ofDevice.test(name) && !idle.test(name))
    host.events?.doubt(`what \`${name}\` has the device do is left out`);
}

/** A handle is made: it has its number from then on. */
export function handleMade(host: Interpreter, handle: Allocation): void {
  host.events?.numberOf(handle);
}

/** A stream is made: `cudaStreamNonBlocking` is 1. */
export function streamMade(host: Interpreter, where: Value, flags: Value | undefined): void {
  if (host.events === undefined || flags === undefined || integerOf(flags) !== 1) return;
  const place = dereferenced(host, where);
  const made = place === undefined ? undefined : read(host, place);
  if (made?.kind === "pointer" && made.target instanceof Allocation) host.events.isIndependent(made.target);
}

function residenceOf(side: Side): Residence | undefined {
  if (side === "device") return "device";
  const target = targetOf(side);
  if (target === undefined) return undefined;
  if (target instanceof Cell) return "host";
  const { residence, summary } = target.allocation;
  return residence === "host" && summary.registered ? "pinned" : residence;
}
