/** What two launches that are held against each other find: the same for both, and such that a difference between them shows. */
import { assumeUnknowns, type KnownContents } from "../contents/assume.ts";
import { type MemoryObject, traceAddresses } from "../execute/provenance.ts";
import type { Argument, Buffer, Content, Kernel, Launch, ScalarType } from "../ir/kernel.ts";
import type { Work } from "../work.ts";

export interface Side {
  readonly kernel: Kernel;
  readonly launch: Launch;
}

/**
 * Both sides with the same arguments and contents. What decides addresses or branches is as for a simulation; all else is drawn at random:
 * where a program fills an array with one number, two kernels that read different elements of it would look alike.
 * @returns undefined where they are given different arguments
 */
export function sameInputs(before: Side, after: Side, contents: KnownContents, work: Work): readonly [Side, Side] | undefined {
  if (inputsText(before) !== inputsText(after)) return undefined;
  const first = assumeUnknowns(before.kernel, before.launch, contents, work);
  const { arguments: given, buffers: held } = first.launch;
  const second = assumeUnknowns(after.kernel, { ...after.launch, arguments: given, buffers: held }, contents, work);
  const types = [before, after].map(({ kernel, launch }) => accessTypes(kernel, { ...launch, arguments: given, buffers: held }, work));
  const buffers = second.launch.buffers.map((buffer, index): Buffer => {
    if (first.decisive.has(index) || second.decisive.has(index)) return buffer;
    const element = types.map((each) => each.get(index)).find((type) => type !== undefined) ?? buffer.element ?? "i32";
    return { ...buffer, element, content: drawn(element) };
  });
  const arguments_ = second.launch.arguments.map((argument, index) => telling(argument, before.kernel.parameters[index]?.type));
  const complete = ({ kernel, launch }: Side): Side => ({
    kernel: withVariables(kernel),
    launch: { ...launch, arguments: arguments_, buffers },
  });
  return [complete(before), complete(after)];
}

/** What a launch is given, as far as words tell it. */
function inputsText({ kernel, launch }: Side): string {
  const contentOf = (content: Content): unknown => {
    if (content.kind === "written") return [content.kind, content.buffer, content.offset];
    if (content.kind === "parts") return content.parts.map((part) => ({ ...part, content: contentOf(part.content) }));
    if (content.kind === "records")
      return [content.bytes, ...content.members.map((member) => ({ ...member, content: contentOf(member.content) }))];
    return content.kind === "values" ? [content.kind, content.values.length] : content;
  };
  const parameters = kernel.parameters.map(({ type, bytes }) => [type, bytes]);
  const buffers = launch.buffers.map(({ content, ...buffer }) => [buffer, contentOf(content)]);
  // Why something is not known may name a line, which may have moved.
  return JSON.stringify([parameters, launch.arguments, buffers], (key, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : key === "reason" ? undefined : value,
  );
}

/** As what the kernel reads each buffer, or else writes it. */
function accessTypes(kernel: Kernel, launch: Launch, work: Work): ReadonlyMap<number, ScalarType> {
  const provenance = traceAddresses(kernel, launch, work);
  const found = { load: new Map<number, ScalarType>(), store: new Map<number, ScalarType>() };
  for (const { ops } of kernel.blocks) {
    work.ask(ops.length);
    for (const { action, type, args } of ops) {
      const [address, value] = args;
      if (!address || (action.kind !== "load" && action.kind !== "store" && action.kind !== "atomic")) continue;
      const is = action.kind === "load" ? type : value?.type;
      if (is === undefined || is === "void") continue;
      for (const object of provenance.of(address)) {
        const index = bufferOf(object);
        const kind = action.kind === "load" ? "load" : "store";
        if (index !== undefined && !found[kind].has(index)) found[kind].set(index, is);
      }
    }
  }
  return new Map([...found.store, ...found.load]);
}

const bufferOf = (object: MemoryObject): number | undefined =>
  object.startsWith("buffer ") ? Number(object.slice("buffer ".length)) : undefined;

/** Mostly positive, so that roots and logarithms are numbers, and some negative, so that signs show. */
const drawn = (element: ScalarType): Content =>
  /f/.test(element) ? { kind: "uniform", lo: -1, hi: 3 } : { kind: "uniform", lo: -(2 ** 15), hi: 2 ** 15 };

/** Multiplied by one, nothing shows: a float that nobody says is another number. */
function telling(argument: Argument, type: string | undefined): Argument {
  return argument.kind === "scalar" && argument.assumed === true && /f/.test(type ?? "") ? { ...argument, value: 1.375 } : argument;
}

/** Variables of the device that hold floats nobody says hold some. */
function withVariables(kernel: Kernel): Kernel {
  const isOpen = (content: Content | undefined): boolean => content === undefined || content.kind === "unknown";
  return {
    ...kernel,
    globals: kernel.globals.map((each) =>
      isOpen(each.content) && /f/.test(each.element) ? { ...each, content: drawn(each.element) } : each,
    ),
  };
}
