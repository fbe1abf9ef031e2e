/** A task of a program's time line in words: `cudaMemcpy 4.2 MB to the device, pageable`. */
import type { DeviceTask } from "./timeline/program-timeline.ts";
import { formatTraffic } from "./units.ts";

const ways = { kernel: "", "to device": " to the device", "from device": " to the host", "in device": " on the device" } as const;

/** @param name as it is to be shown */
export const taskText = ({ engine, bytes, isPageable }: DeviceTask, name: string): string =>
  `${name}${engine !== "kernel" && bytes !== undefined ? ` ${formatTraffic(bytes)}${ways[engine]}` : ""}${isPageable ? ", pageable" : ""}`;
