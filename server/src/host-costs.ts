/**
 * What host code pays for asking the device, and what the driver does by itself: measured beside an H200, on a virtual machine with a Xeon
 * (`sim-engine/validation/microbenchmarks/h200-host-code.txt`). Other hosts differ, most in what they copy from and to pageable memory.
 */
export interface HostCosts {
  /** Nanoseconds in which the host asks for a launch, a copy that it does not wait for, a fill, and what has to do with events. */
  readonly launch: number;
  readonly copy: number;
  readonly set: number;
  readonly event: number;
  /** Nanoseconds until an idle device begins with what it was asked for, and until the host goes on that waited. */
  readonly begins: number;
  readonly returns: number;
  /** Nanoseconds of a copy or fill besides its bytes'. */
  readonly started: { readonly "to device": number; readonly "from device": number; readonly "in device": number };
  /** Share of the link's bandwidth that copies of page-locked memory reach, and of that each way when they go both ways. */
  readonly copyShare: number;
  readonly bothWays: number;
  /** Bytes a nanosecond from and to memory that is not page-locked, and how many of them the driver takes over when it is asked. */
  readonly pageableRate: number;
  readonly takenOver: number;
}

export const hostCosts: HostCosts = {
  launch: 3900,
  copy: 2300,
  set: 1400,
  event: 450,
  begins: 2400,
  returns: 2400,
  started: { "to device": 800, "from device": 1470, "in device": 800 },
  // 64 MB at 55.4 GB/s of 63; 32 MB each way at once in 671 us, one way in 608.
  copyShare: 0.88,
  bothWays: 0.9,
  // Between 7 and 13 on three hosts, from 4 MB on.
  pageableRate: 10,
  // CUDA programming guide, asynchronous execution: the host goes on beside copies to the device of 64 KB and less.
  takenOver: 1 << 16,
};
