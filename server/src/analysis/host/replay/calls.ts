/** Calls in replayed code: of the program's functions, lambdas, methods of lists, and of the library. */

import type { Expression } from "../../../syntax/ast.ts";
import { isFloatName } from "../../sema/arithmetic-types.ts";
import { lastName } from "../../sema/scope.ts";
import { generators } from "../library/generators.ts";
import { mathFunctions } from "../library/math.ts";
import { templateValues } from "../memory/host-types.ts";
import { typeOfValue } from "../values/type-of-value.ts";
import { float, int, integerOf, numberOf } from "../values/values.ts";
import { behindOperator } from "./accessors.ts";
import { algorithmCode } from "./algorithms.ts";
import type { Known, NumberName } from "./arithmetic.ts";
import { drawerAt, drawnBy, functionCode, lambdaAt, methodAt, ownMethod } from "./called.ts";
import { writeAbsolute } from "./compiled/math.ts";
import { libraryDraw } from "./draws.ts";
import { constantLine } from "./lines.ts";
import { listOf } from "./list-targets.ts";
import { type Code, compilable, type Machine, spend, Unsupported } from "./machine.ts";
import { plainMath } from "./math.ts";
import { methodCode } from "./methods.ts";
import { numberType } from "./numbers.ts";
import { lastFirst } from "./records.ts";
import { loadOf, targetOf } from "./targets.ts";
import { reduced } from "./wide.ts";

type Call = Expression & { readonly kind: "call" };

/** @throws Unsupported */
export function callCode(machine: Machine, e: Call): Code {
  const { callee } = e;
  const { host, random } = machine;
  const bound = boundOfEngine(machine, e);
  if (bound) return bound;
  const behind = behindOperator(machine, e);
  if (behind) return machine.code(behind);
  if (callee.kind === "member") return memberCall(machine, e, callee);
  if (random) {
    const drawer = drawerAt(machine, callee);
    if (drawer) return drawnBy(machine, drawer, e.arguments);
    const lambda = lambdaAt(machine, callee);
    if (lambda) return lambda(e.arguments);
  }
  if (callee.kind !== "name") throw new Unsupported();
  const name = lastName(callee.name);
  const method = callee.name.parts.length === 1 ? ownMethod(machine, name) : undefined;
  if (method) return method(e.arguments);
  const candidates = callee.name.parts.length === 1 ? host.globals.functions(callee.name, host.frame.path) : [];
  const [fn] = candidates;
  if (fn) {
    if (candidates.length > 1) throw new Unsupported();
    return functionCode(machine, fn, e.arguments, { written: templateValues(host, callee.name) });
  }
  const made = libraryDraw(machine, name, e.arguments) ?? (random && algorithmCode(machine, name, e.arguments));
  return made ?? mathCode(machine, name, e);
}

function memberCall(machine: Machine, e: Call, callee: Expression & { readonly kind: "member" }): Code {
  const { host, random } = machine;
  const name = lastName(callee.name);
  // A queue of the header's is an object that has a list.
  const method = random && methodAt(machine, callee);
  if (method) return method(e.arguments);
  if (/^(at|back|front)$/.test(name)) return loadOf(machine, targetOf(machine, e, machine.code));
  const list = random && !callee.arrow ? listOf(machine, callee.base, true) : undefined;
  if (list) return methodCode(machine, list, name, e.arguments);
  if (name !== "size" || e.arguments.length > 0) throw new Unsupported();
  if (callee.base.kind !== "name" && callee.base.kind !== "member") throw new Unsupported();
  const elements = host.evaluate(callee.base);
  const size = elements.kind === "container" ? integerOf(elements.size) : undefined;
  if (size === undefined) throw new Unsupported();
  machine.nest?.constants.push(size);
  const run = compilable(
    () => size,
    (w) => w.i64(BigInt(size)),
  );
  return { type: "ulong", run, line: constantLine(size) };
}

function mathCode(machine: Machine, name: string, e: Call): Code {
  const { host } = machine;
  const library = mathFunctions.get(name);
  if (!library) throw new Unsupported();
  const args = lastFirst(e.arguments.map((argument) => machine.code(argument)));
  const plain = plainMath(name, args);
  if (plain) {
    const { type, run } = plain;
    return {
      type,
      run: compilable(
        () => {
          spend(machine);
          return run();
        },
        (w) => w.write(run),
      ),
    };
  }
  const numberAs = (value: number, type: NumberName) => (isFloatName(type) ? float(value, type) : int(value, type));
  const call = (values: readonly number[]) =>
    library(
      host,
      values.map((value, k) => ({ value: numberAs(value, args[k]?.type ?? "int") })),
      e,
    );
  const type = numberType(typeOfValue(call(args.map(() => 1))));
  if (!type) throw new Unsupported();
  const run = (): Known => {
    spend(machine);
    const values = args.map(({ run }) => run());
    if (values.some((value) => value === undefined)) return undefined;
    const made = call(values.map((value) => value ?? 0));
    return made.kind === "int" ? reduced(BigInt(made.value)) : numberOf(made);
  };
  const [only] = args;
  return { type, run: only && /^l?l?abs$/.test(name) && only.type === type ? compilable(run, (w) => writeAbsolute(w, only)) : run };
}

/** `std::mt19937::max()`, `engine.min()` */
function boundOfEngine(machine: Machine, { callee, arguments: args }: Call): Code | undefined {
  const name = callee.kind === "name" || callee.kind === "member" ? lastName(callee.name) : "";
  if (!machine.random || args.length > 0 || !/^(min|max)$/.test(name)) return undefined;
  const engine = callee.kind === "member" ? drawerAt(machine, callee.base) : undefined;
  const written = callee.kind === "name" ? callee.name.parts.at(-2)?.text : undefined;
  const generator = engine?.kind === "engine" ? engine.source() : generators.get(written ?? "")?.(1);
  if (!generator) return undefined;
  const value = name === "min" ? generator.least : generator.greatest;
  return { type: "ulong", run: () => value };
}
