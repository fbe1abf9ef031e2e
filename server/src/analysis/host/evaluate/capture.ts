/** Kernel arguments as the engine takes them: scalars, aggregates, and pointers into buffers with what those hold now. */
import { type Buffer, type Content, type Argument as EngineArgument, type ScalarType, scalarBytes } from "@warplens/sim-engine";
import type { FunctionDeclaration, ParameterDeclaration } from "../../../syntax/ast.ts";
import { expandedParameters } from "../../sema/expanded-parameters.ts";
import type { RecordInstance, Substitution } from "../../sema/types.ts";
import type { CapturedArgument, CapturedArguments, CapturedBuffer } from "../launches/launch-entry.ts";
import { contentOf, scalarType } from "../memory/content.ts";
import { hostType } from "../memory/host-types.ts";
import type { Interpreter } from "../memory/interpreter.ts";
import { unknownContent } from "../memory/journal.ts";
import { contentIn } from "../memory/record-members.ts";
import { passed } from "../resolve/construct.ts";
import { convert } from "../values/convert.ts";
import { Allocation, Cell, type HostType, type PointerValue, type Value } from "../values/model.ts";
import { bitsOf, inputsOf, reasonOf } from "../values/values.ts";

export class Capture {
  readonly #host: Interpreter;
  readonly #indices = new Map<Allocation | Cell, number>();
  readonly buffers: CapturedBuffer[] = [];

  constructor(host: Interpreter) {
    this.#host = host;
  }

  /** The buffer that an allocation is, if an argument leads to it. */
  indexOf(allocation: Allocation): number | undefined {
    return this.#indices.get(allocation);
  }

  /** All arguments of a launch; values that are missing take the parameter's default. */
  arguments(kernel: FunctionDeclaration | undefined, substitution: Substitution | undefined, values: readonly Value[]): CapturedArguments {
    const expanded = kernel && expandedParameters(kernel, substitution);
    const parameters = expanded?.map(({ parameter }) => parameter) ?? kernel?.parameters ?? [];
    const count = Math.max(parameters.length, values.length);
    const made: CapturedArgument[] = [];
    for (let k = 0; k < count; k++) {
      const parameter = parameters[k];
      const type = parameter === undefined ? undefined : hostType(this.#host, parameter.type, expanded?.[k]?.substitution ?? substitution);
      const value = values[k] ?? this.#default(parameter);
      if (value === undefined) continue;
      const given = passed(this.#host, value, type);
      made.push({
        name: expanded?.[k]?.name ?? parameter?.name ?? `#${k + 1}`,
        type,
        argument: this.#argument(given, type),
        inputs: inputsOf(given),
        ...rangeIn(given),
      });
    }
    return { arguments: made, buffers: this.buffers };
  }

  #default(parameter: ParameterDeclaration | undefined): Value | undefined {
    return parameter?.default === undefined ? undefined : this.#host.evaluate(parameter.default);
  }

  #argument(value: Value, type: HostType | undefined): EngineArgument {
    switch (value.kind) {
      case "int":
        return { kind: "scalar", value: bitsOf(value.type) === 64 ? BigInt.asIntN(64, BigInt(value.value)) : Number(value.value) | 0 };
      case "float":
        return { kind: "scalar", value: value.value };
      case "pointer":
        return this.#pointer(value, type);
      case "record":
        return this.#record(value.members, value.type ?? type);
      case "range":
        return { kind: "unknown", reason: `it is random, from ${value.lo} to ${value.hi}` };
      case "container":
        return { kind: "unknown", reason: "it is a container of the host" };
      default:
        return { kind: "unknown", reason: reasonOf(value) };
    }
  }

  #pointer(value: PointerValue, type: HostType | undefined): EngineArgument {
    if (value.target === undefined) return { kind: "scalar", value: 0 };
    if (value.offset === undefined) return { kind: "unknown", reason: "it points to an element that is not known" };
    const pointee = type?.kind === "pointer" ? type.to : value.to;
    return { kind: "pointer", buffer: this.#buffer(value.target, pointee), offset: value.offset };
  }

  #buffer(target: Allocation | Cell, pointee: HostType | undefined): number {
    const known = this.#indices.get(target);
    if (known !== undefined) return known;
    const index = this.buffers.length;
    this.#indices.set(target, index);
    const own = target instanceof Allocation ? (target.summary.as ?? target.element) : target.type;
    const element = scalarType(own?.kind === "void" || own === undefined ? pointee : own) ?? scalarOfRecord(own);
    if (target instanceof Cell) {
      const bytes = target.type === undefined || target.type.kind === "container" ? undefined : this.#host.semantics.sizeOf(target.type);
      const buffer: Buffer = {
        name: target.name ?? "variable",
        content: contentOf(target.value),
        residence: "managed",
        ...(bytes === undefined ? {} : { bytes }),
        ...(element === undefined ? {} : { element }),
      };
      this.buffers.push({ buffer, sizeInputs: [] });
      return index;
    }
    const { summary, residence, cells } = target;
    this.#host.work?.spend(cells.size >> 2);
    const { bytes } = summary;
    const seen = element === undefined ? undefined : scalarBytes[element];
    const asked = summary.as && scalarType(pointee);
    const isSeenOtherwise =
      (asked !== undefined && asked !== element) ||
      (seen !== undefined &&
        summary.elementBytes !== undefined &&
        ![target.element?.kind, pointee?.kind].includes("record") &&
        summary.elementBytes !== seen);
    const elementBytes =
      summary.elementBytes ?? (pointee === undefined || pointee.kind === "container" ? undefined : this.#host.semantics.sizeOf(pointee));
    const buffer: Buffer = {
      name: target.name === "" ? `buffer${index}` : target.name,
      content:
        isSeenOtherwise && !(cells.size === 0 && isAlike(summary.content))
          ? unknownContent
          : contentIn(this.#host, target, elementBytes, pointee),
      residence: residence === "pinned" ? "host" : residence,
      ...(bytes === undefined ? {} : { bytes }),
      ...(element === undefined ? {} : { element }),
      ...(target.image === undefined ? {} : { image: target.image }),
    };
    const why = bytes === undefined && summary.why !== undefined ? summary.why : undefined;
    this.buffers.push({
      buffer,
      ...(target.origin?.unit === this.#host.entryUnit ? { allocated: target.origin.at } : {}),
      sizeInputs: why === undefined ? [] : inputsOf(why),
      ...(why === undefined ? {} : { sizeReason: reasonOf(why) }),
    });
    return index;
  }

  #record(members: ReadonlyMap<string, Cell>, type: HostType | undefined): EngineArgument {
    if (type?.kind !== "record") return { kind: "unknown", reason: "the layout of its class is not known" };
    const fields: { offset: number; type: ScalarType; value: EngineArgument }[] = [];
    this.#fields(members, type.record, 0, fields);
    return { kind: "aggregate", fields };
  }

  #fields(
    members: ReadonlyMap<string, Cell>,
    record: RecordInstance,
    base: number,
    fields: { offset: number; type: ScalarType; value: EngineArgument }[],
  ): void {
    const layout = this.#host.semantics.context.layout(record);
    if (layout === undefined) return;
    for (const inherited of layout.bases) this.#fields(members, inherited.record, base + inherited.offset, fields);
    for (const { name, type, offset, bits } of layout.fields) {
      if (bits !== undefined) continue;
      if (name === "" && type.kind === "record") {
        this.#fields(members, type.record, base + offset, fields);
        continue;
      }
      const cell = members.get(name);
      if (cell !== undefined) this.#field(cell.value, type, base + offset, fields);
    }
  }

  #field(value: Value, type: HostType, offset: number, fields: { offset: number; type: ScalarType; value: EngineArgument }[]): void {
    if (value.kind === "record" && type.kind === "record") {
      this.#fields(value.members, type.record, offset, fields);
      return;
    }
    if (type.kind === "array" && value.kind === "pointer" && value.target instanceof Allocation) {
      this.#array(value.target, type, offset, fields);
      return;
    }
    const scalar = scalarType(type);
    if (scalar !== undefined) fields.push({ offset, type: scalar, value: this.#argument(convert(value, type), type) });
  }

  #array(
    allocation: Allocation,
    type: HostType & { readonly kind: "array" },
    offset: number,
    fields: { offset: number; type: ScalarType; value: EngineArgument }[],
  ): void {
    for (const [at, cell] of allocation.cells) {
      const element = cell.type ?? type.of;
      if (element.kind !== "container") this.#field(cell.value, element, offset + at, fields);
    }
  }
}

/** Whether it is the same seen as elements of any size. */
const isAlike = ({ kind }: Content): boolean => kind === "zero" || kind === "bytes" || kind === "unknown" || kind === "written";

function rangeIn(value: Value): Pick<CapturedArgument, "range"> {
  return value.kind === "range" ? { range: [value.lo, value.hi] } : {};
}

/** A buffer of `float4` or of structs of one scalar type is one of scalars. */
function scalarOfRecord(type: HostType | undefined): ScalarType | undefined {
  if (type?.kind !== "record") return undefined;
  const match = /^(float|double|u?int|u?char|u?short|u?longlong|u?long)[1-4]$/.exec(type.record.name);
  const scalars: Readonly<Record<string, ScalarType>> = {
    float: "f32",
    double: "f64",
    int: "i32",
    uint: "i32",
    char: "i8",
    uchar: "i8",
    short: "i16",
    ushort: "i16",
    long: "i64",
    ulong: "i64",
    longlong: "i64",
    ulonglong: "i64",
  };
  return match?.[1] === undefined ? undefined : scalars[match[1]];
}
