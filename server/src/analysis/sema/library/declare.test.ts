import { expect, test } from "vitest";
import { lastName } from "../scope.ts";
import { functionFrom, nameIn } from "./declare.ts";
import { deviceFunctions } from "./device.ts";
import { functionObjects, groupFunctions } from "./groups.ts";
import { halfFunctions } from "./half.ts";
import { library } from "./index.ts";
import { mathFunctions } from "./math.ts";
import { textureFunctions } from "./textures.ts";

const atTheRoot = [...mathFunctions, ...deviceFunctions, ...halfFunctions, ...textureFunctions].flatMap(([, ...signatures]) => signatures);
const others = [...groupFunctions.flatMap(([, ...signatures]) => signatures), ...functionObjects.map(([, , signature]) => signature)];

test("a signature's name can be had without the rest of it", () => {
  for (const signature of [...atTheRoot, ...others]) expect(nameIn(signature)).toBe(lastName(functionFrom(signature).name));
});

test("every function of the tables is found by its name", () => {
  const { root } = library();
  const counts = new Map<string, number>();
  for (const name of atTheRoot.map(nameIn)) counts.set(name, (counts.get(name) ?? 0) + 1);
  expect(counts.size).toBeGreaterThan(300);
  for (const [name, count] of counts)
    expect([name, root.names.get(name)?.filter(({ kind }) => kind === "function").length]).toEqual([name, count]);
});
