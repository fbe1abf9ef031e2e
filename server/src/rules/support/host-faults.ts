/** The faults of host code of one kind, and the words for them. */
import type { FaultObject, HostFault } from "../../analysis/facts.ts";
import type { Related, RuleContext } from "../rule.ts";

type Kind = HostFault["kind"];
export type FaultOf<K extends Kind> = Extract<HostFault, { readonly kind: K }>;

export const faultsOf = <K extends Kind>({ program }: RuleContext, kind: K): FaultOf<K>[] =>
  program.hostFaults.filter((fault): fault is FaultOf<K> => fault.kind === kind);

/** `` `x` ``, or what it is. */
export const nameOf = ({ name, residence }: FaultObject): string =>
  name !== "" ? `\`${name}\`` : residence === "device" ? "the device buffer" : "the array";

const places: Readonly<Record<FaultObject["residence"], string>> = {
  host: "in memory of the host",
  device: "in memory of the device",
  managed: "managed memory",
  pinned: "page-locked memory of the host",
};

/** "in memory of the device" */
export const placeOf = ({ residence }: FaultObject): string => places[residence];

export const bytesOf = (count: number): string => `${count.toLocaleString("en-US")} ${count === 1 ? "byte" : "bytes"}`;

/** Where each object was allocated. */
export const allocations = (...objects: readonly FaultObject[]): Related[] =>
  objects.flatMap((object) => {
    const { allocated, bytes } = object;
    const size = bytes === undefined ? "" : `: ${bytesOf(bytes)}`;
    return allocated === undefined ? [] : [{ at: allocated, message: `${nameOf(object)} is allocated here${size}` }];
  });
