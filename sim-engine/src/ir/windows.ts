/**
 * The flat space of generic addresses: each of the small memories has a window of its own, as on the hardware, and buffers lie far
 * above them. First addresses, in bytes.
 */

/** Bytes of a window, and of what is left free below the first. */
export const windowBytes = 2 ** 32;
export const sharedBase = 1 * windowBytes;
export const localBase = 2 * windowBytes;
export const constantBase = 3 * windowBytes;
export const paramBase = 4 * windowBytes;
export const globalBase = 0x7f * windowBytes;
