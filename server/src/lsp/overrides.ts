/** Values for a launch that a client asks about, read before they are believed. */
import type { Overrides } from "../what-if/question.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Parameters, and characters of a name. */
const mostParameters = 100;
const longestName = 200;

/** Undefined where it is not what it should be. Whether the values can be is for whoever knows the GPU. */
export function readOverrides(value: unknown): Overrides | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { gpu, block, grid, shared, registers, parameters } = value as Fields;
  if (gpu !== undefined && !isName(gpu)) return undefined;
  if (![shared, registers].every((each) => each === undefined || isNumber(each))) return undefined;
  if (![block, grid].every((each) => each === undefined || isTriple(each))) return undefined;
  if (parameters !== undefined && !areParameters(parameters)) return undefined;
  const given = Object.entries({ gpu, block, grid, shared, registers, parameters }).filter(([, each]) => each !== undefined);
  return Object.fromEntries(given) as Overrides;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isName = (value: unknown): value is string => typeof value === "string" && value.length <= longestName;
const isTriple = (value: unknown): boolean => Array.isArray(value) && value.length === 3 && value.every(isNumber);

const areParameters = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.keys(value).length <= mostParameters &&
  Object.entries(value).every(([name, each]) => /^[A-Za-z_]\w*$/.test(name) && name.length <= longestName && isNumber(each));
