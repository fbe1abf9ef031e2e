/** What host code does wrong with memory, as its evaluation sees it; nothing that rests on a value or a way that is not known. */
import type { FaultObject, HostFault } from "../../facts.ts";
import type { Allocation } from "../values/model.ts";

/** The first fault of each kind at each place. */
export class FaultLog {
  readonly #faults = new Map<string, HostFault>();

  add(fault: HostFault): void {
    const key = `${fault.kind} ${fault.at.start}-${fault.at.end}`;
    if (!this.#faults.has(key)) this.#faults.set(key, fault);
  }

  get faults(): readonly HostFault[] {
    return [...this.#faults.values()];
  }
}

export const faultObject = ({ name, summary, residence, origin }: Allocation): FaultObject => ({
  name,
  bytes: summary.bytes,
  residence,
  allocated: origin?.at,
});
