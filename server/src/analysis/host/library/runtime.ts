/** The CUDA runtime: device queries, events and streams, launches by function call. */
import type { DeviceProperties } from "../../settings.ts";
import { handleMade, streamMade } from "../memory/device-requests.ts";
import type { Argument, Interpreter } from "../memory/interpreter.ts";
import { unknownContent, zeroContent } from "../memory/journal.ts";
import { dereferenced } from "../memory/pointees.ts";
import { write } from "../memory/read-write.ts";
import { record } from "../values/convert.ts";
import { Allocation, Cell, type HostType, type Value } from "../values/model.ts";
import { int, integerOf, pointer, unknown } from "../values/values.ts";
import { launchByCall, launchByConfig, launchByNode } from "./launch.ts";
import { argumentValue, type LibraryFunction, store } from "./library.ts";
import { occupancyFunctions } from "./occupancy.ts";

const success = int(0);
const intType: HostType = { kind: "integer", name: "int" };
const sizeType: HostType = { kind: "integer", name: "ulong" };

function noGpu(): Value {
  return unknown("it depends on the GPU");
}

/** An array of ints. */
function limits(values: readonly number[]): Value {
  const allocation = new Allocation("", "host", intType, { bytes: values.length * 4, content: zeroContent, elementBytes: 4 });
  for (const [k, value] of values.entries()) allocation.cells.set(k * 4, new Cell(int(value), intType, undefined, true));
  return pointer(allocation, intType);
}

/** `cudaDeviceProp` of the chosen GPU; members that are not known are unknown. */
function deviceProperties(device: DeviceProperties | undefined): Value {
  const members: [string, Value, HostType | undefined][] = [
    ["warpSize", int(32), intType],
    ["maxThreadsPerBlock", int(1024), intType],
    ["canMapHostMemory", int(1), intType],
    ["unifiedAddressing", int(1), intType],
    ["managedMemory", int(1), intType],
    ["concurrentManagedAccess", int(1), intType],
    ["concurrentKernels", int(1), intType],
    ["cooperativeLaunch", int(1), intType],
    ["asyncEngineCount", int(2), intType],
    ["integrated", int(0), intType],
    ["computeMode", int(0), intType],
    ["memPitch", int(2147483647), sizeType],
    ["textureAlignment", int(512), sizeType],
    ["regsPerBlock", int(65536), intType],
    ["maxGridSize", limits([2147483647, 65535, 65535]), undefined],
    ["maxThreadsDim", limits([1024, 1024, 64]), undefined],
  ];
  const known: readonly (readonly [string, keyof DeviceProperties, HostType])[] = [
    ["multiProcessorCount", "multiProcessorCount", intType],
    ["major", "major", intType],
    ["minor", "minor", intType],
    ["maxThreadsPerMultiProcessor", "maxThreadsPerMultiProcessor", intType],
    ["sharedMemPerBlock", "sharedMemPerBlock", sizeType],
    ["sharedMemPerMultiprocessor", "sharedMemPerMultiprocessor", sizeType],
    ["sharedMemPerBlockOptin", "sharedMemPerBlockOptin", sizeType],
    ["l2CacheSize", "l2CacheSize", intType],
    ["clockRate", "clockRateKHz", intType],
    ["totalGlobalMem", "totalGlobalMem", sizeType],
  ];
  for (const [name, key, type] of known) {
    const value = device?.[key];
    members.push([name, typeof value === "number" ? int(value, "ulong") : noGpu(), type]);
  }
  members.push(["name", device === undefined ? noGpu() : { kind: "string", text: device.name }, undefined]);
  return record("cudaDeviceProp", members);
}

/** By cudaDeviceAttr's number. */
function attribute(device: DeviceProperties | undefined, index: number | undefined): Value {
  const fixed: Readonly<Record<number, number>> = {
    1: 1024,
    2: 1024,
    3: 1024,
    4: 64,
    5: 2147483647,
    6: 65535,
    7: 65535,
    10: 32,
    83: 1,
    89: 1,
    95: 1,
    115: 1,
  };
  const known = index === undefined ? undefined : fixed[index];
  if (known !== undefined) return int(known);
  const keys: Readonly<Record<number, keyof DeviceProperties>> = {
    8: "sharedMemPerBlock",
    13: "clockRateKHz",
    16: "multiProcessorCount",
    38: "l2CacheSize",
    39: "maxThreadsPerMultiProcessor",
    75: "major",
    76: "minor",
    81: "sharedMemPerMultiprocessor",
    97: "sharedMemPerBlockOptin",
  };
  const key = index === undefined ? undefined : keys[index];
  const value = key === undefined ? undefined : device?.[key];
  return typeof value === "number" ? int(value) : noGpu();
}

/** A stream or an event of its own, told from others by what it points to. */
function makeHandle(host: Interpreter, args: readonly Argument[], what: string): void {
  const place = dereferenced(host, argumentValue(args, 0));
  const made = new Allocation("", "host", undefined, { bytes: undefined, content: unknownContent, reason: what });
  handleMade(host, made);
  if (place !== undefined && !(place instanceof Cell && place.value.kind === "record")) write(host, place, pointer(made, undefined));
}

const createEvent: LibraryFunction = (host, args) => {
  makeHandle(host, args, "an event");
  return success;
};

const createStream: LibraryFunction = (host, args) => {
  makeHandle(host, args, "a stream");
  streamMade(host, argumentValue(args, 0), args[1]?.value);
  return success;
};

export const runtimeFunctions: ReadonlyMap<string, LibraryFunction> = new Map<string, LibraryFunction>([
  [
    "cudaGetDeviceProperties",
    (host, args) => {
      store(host, argumentValue(args, 0), deviceProperties(host.settings.device));
      return success;
    },
  ],
  [
    "cudaDeviceGetAttribute",
    (host, args) => {
      store(host, argumentValue(args, 0), attribute(host.settings.device, integerOf(argumentValue(args, 1))));
      return success;
    },
  ],
  [
    "cudaGetDeviceCount",
    (host, args) => {
      store(host, argumentValue(args, 0), int(1));
      return success;
    },
  ],
  [
    "cudaGetDevice",
    (host, args) => {
      store(host, argumentValue(args, 0), int(0));
      return success;
    },
  ],
  [
    "cudaDriverGetVersion",
    (host, args) => {
      store(host, argumentValue(args, 0), int(13000));
      return success;
    },
  ],
  [
    "cudaRuntimeGetVersion",
    (host, args) => {
      store(host, argumentValue(args, 0), int(13000));
      return success;
    },
  ],
  [
    "cudaDeviceCanAccessPeer",
    (host, args) => {
      store(host, argumentValue(args, 0), int(0));
      return success;
    },
  ],
  [
    "cudaEventElapsedTime",
    (host, args) => {
      store(host, argumentValue(args, 0), unknown("a measured time", { kind: "floating", name: "float" }));
      return success;
    },
  ],
  ...occupancyFunctions,
  ["cudaEventCreate", createEvent],
  ["cudaEventCreateWithFlags", createEvent],
  ["cudaStreamCreate", createStream],
  ["cudaStreamCreateWithFlags", createStream],
  ["cudaStreamCreateWithPriority", createStream],
  [
    "cudaMemGetInfo",
    (host, args) => {
      const total = host.settings.device?.totalGlobalMem;
      store(host, argumentValue(args, 0), unknown("the memory that is free", sizeType));
      store(host, argumentValue(args, 1), total === undefined ? noGpu() : int(total, "ulong"));
      return success;
    },
  ],
  ["cudaGetErrorString", () => ({ kind: "string", text: "no error" })],
  ["cudaGetErrorName", () => ({ kind: "string", text: "cudaSuccess" })],
  ["cudaFuncSetAttribute", () => success],
  ["cudaFuncSetCacheConfig", () => success],
  ["cudaLaunchKernel", launchByCall],
  ["cudaLaunchCooperativeKernel", launchByCall],
  ["cudaLaunchKernelEx", launchByConfig],
  ["cudaLaunchKernelExC", launchByConfig],
  ["cudaGraphAddKernelNode", launchByNode],
  [
    "make_cudaExtent",
    (_host, args) =>
      record("cudaExtent", [
        ["width", argumentValue(args, 0), sizeType],
        ["height", argumentValue(args, 1), sizeType],
        ["depth", argumentValue(args, 2), sizeType],
      ]),
  ],
]);
