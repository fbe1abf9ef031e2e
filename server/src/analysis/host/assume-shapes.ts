/**
 * Shapes of tensors nobody knows, where a program names their extents `ne` and byte strides `nb` with the dimension as last digit,
 * as ggml and what is made of it do: extents and strides have to go together, and no two dimensions are alike.
 */

/** Of a layer of a language model: embedding, tokens, heads, batch. */
const extents = [4096, 32, 8, 1] as const;
const elementBytes = 4;

/** The value for an input by this name; undefined for other names. */
export function tensorShape(name: string): number | undefined {
  const [, kind, digit] = /^n([eb])\d?([0-3])$/.exec(name) ?? [];
  if (kind === undefined) return undefined;
  const dimension = Number(digit);
  if (kind === "e") return extents[dimension];
  return extents.slice(0, dimension).reduce<number>((product, extent) => product * extent, elementBytes);
}

/** Why it has that value. */
export const tensorShapeReason = `a tensor of ${extents.join(" x ")} elements of ${elementBytes} bytes`;
