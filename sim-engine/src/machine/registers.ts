import type { Block, Kernel } from "../kernel.ts";
import type { MachineBlock, RegisterEstimate } from "./machine.ts";
import type { Shape } from "./shape.ts";
import type { Target } from "./target.ts";

export function estimateRegisters(_kernel: Kernel, _blocks: ReadonlyMap<Block, MachineBlock>, _shape: Shape, _target: Target): RegisterEstimate {
  return { value: 32, low: 16, high: 64 };
}
