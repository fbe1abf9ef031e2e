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

/** Bytes of local memory of a thread (CUDA C++ Programming Guide, technical specifications). */
export const mostLocalBytes = 512 * 2 ** 10;
/** Bytes of shared memory of a block that are laid out at all: some times what any GPU has, so that what would make a block fit can be told. */
export const mostSharedBytes = 2 ** 20;
