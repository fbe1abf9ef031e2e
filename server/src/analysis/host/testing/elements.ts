/** What buffers hold, element by element, for tests that hold it against compiled programs. */
import { type Buffer, type Content, type ScalarType, scalarBytes } from "@warplens/sim-engine";

/** An element of so many bytes; NaN where it is not known, or stands for a number that the program draws. */
export function elementAt(content: Content | undefined, index: number, bytes = 4): number {
  switch (content?.kind) {
    case "zero":
      return 0;
    case "constant":
      return content.value;
    case "linear":
      return content.start + content.stride * index;
    case "values":
      return content.drawn ? Number.NaN : (content.values[index] ?? Number.NaN);
    case "computed":
      return content.by.at(index);
    case "parts": {
      const part = content.parts.find(({ from, to }) => index * bytes >= from && index * bytes < to);
      return elementAt(part?.content, index - (part?.origin ?? 0) / bytes, bytes);
    }
    default:
      return Number.NaN;
  }
}

/** FNV-1a of the bits of the numbers as doubles. */
export function digestOf(at: (index: number) => number, count: number): number {
  const bits = new DataView(new ArrayBuffer(8));
  let sum = 2166136261;
  for (let index = 0; index < count; index++) {
    bits.setFloat64(0, at(index));
    sum = Math.imul(sum ^ bits.getInt32(0), 16777619);
    sum = Math.imul(sum ^ bits.getInt32(4), 16777619);
  }
  return sum;
}

/** The bytes that a buffer begins with; undefined where one is not known, or padding. */
export function bytesOf({ content, element }: Pick<Buffer, "content" | "element">, count: number): (number | undefined)[] {
  return Array.from({ length: count }, (_, at) => {
    if (content.kind === "zero") return 0;
    if (content.kind !== "records")
      return element && byteOf(elementAt(content, Math.floor(at / scalarBytes[element]), scalarBytes[element]), element, at);
    const within = at % content.bytes;
    const member = content.members.find((each) => within >= each.offset && within < each.offset + scalarBytes[each.element]);
    return member && byteOf(elementAt(member.content, Math.floor(at / content.bytes)), member.element, within - member.offset);
  });
}

function byteOf(value: number, element: ScalarType, at: number): number | undefined {
  if (Number.isNaN(value)) return undefined;
  const bits = new DataView(new ArrayBuffer(8));
  if (element === "f32") bits.setFloat32(0, value, true);
  else if (element === "f64") bits.setFloat64(0, value, true);
  else bits.setBigInt64(0, BigInt.asIntN(64, BigInt(value)), true);
  return bits.getUint8(at % scalarBytes[element]);
}
