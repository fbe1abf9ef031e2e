/** How much longer rows of shared memory have to be so that lanes of different rows take different banks. */

/** Banks of shared memory, and bytes that each is wide. */
const [banks, wordBytes] = [32, 4];

/**
 * The fewest elements that rows need more, for which no two lanes take different words of a bank; undefined where up to a row of banks more
 * does not help.
 * @param addresses of the lanes of one request, in bytes, relative to the lowest, which is taken to lie in the first column
 */
export function paddingFor(addresses: readonly number[], rowBytes: number, elementBytes: number): number | undefined {
  for (let elements = 1; elements * elementBytes <= banks * wordBytes; elements++) {
    const longer = elements * elementBytes;
    if (!meets(addresses.map((address) => address + Math.floor(address / rowBytes) * longer))) return elements;
  }
  return undefined;
}

/** Whether different words are in one bank. */
function meets(addresses: readonly number[]): boolean {
  const words = new Set(addresses.map((address) => Math.floor(address / wordBytes)));
  return new Set([...words].map((word) => word % banks)).size < words.size;
}
