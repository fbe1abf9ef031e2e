/** Statements of host code as closures. */
import type { Condition, Declaration, Expression, Statement } from "../../../syntax/ast.ts";
import { hostType } from "../memory/host-types.ts";
import { innerLoop } from "./counted.ts";
import { codeOf, converted } from "./expressions.ts";
import { type Ending, type Execute, ending, GivenUp, type Machine, newSlot, type Run, spend, type Target, Unsupported } from "./machine.ts";
import { lineTo, numberType, storeTo, targetOf } from "./targets.ts";

const { normal, breaks, continues, returns } = ending;

/** @throws Unsupported */
export function statementCode(machine: Machine, s: Statement): Execute {
  switch (s.kind) {
    case "block":
      return scoped(machine, () => inTurn(s.body.map((each) => statementCode(machine, each))));
    case "declaration":
      return inTurn(s.declarations.map((declaration) => declare(machine, declaration)));
    case "expression":
      return evaluated(machine, s.expression);
    case "if":
      return scoped(machine, () => {
        const before = s.init ? statementCode(machine, s.init) : undefined;
        const condition = conditionCode(machine, s.condition);
        const thenCode = (): Execute => statementCode(machine, s.then);
        const elseCode = (): Execute => (s.else ? statementCode(machine, s.else) : () => normal);
        const { nest } = machine;
        const [then, otherwise] = nest ? nest.either(thenCode, elseCode) : [thenCode(), elseCode()];
        return () => {
          before?.();
          return decided(condition) ? then() : otherwise();
        };
      });
    case "for": {
      const counted = machine.nest && innerLoop(machine, machine.nest, s);
      if (counted) return counted;
      return scoped(machine, () => {
        const init = s.init ? statementCode(machine, s.init) : undefined;
        const turns = loopCode(machine, s, false);
        return () => {
          init?.();
          return turns();
        };
      });
    }
    case "while":
      return scoped(machine, () => loopCode(machine, s, false));
    case "do":
      return scoped(machine, () => loopCode(machine, s, true));
    case "break":
      machine.nest?.broken();
      return () => breaks;
    case "continue":
      machine.nest?.continued();
      return () => continues;
    case "return": {
      if (!s.value || !machine.resultType) throw new Unsupported();
      const run = converted(codeOf(machine, s.value), machine.resultType);
      machine.nest?.returned();
      return () => {
        machine.result = run();
        return returns;
      };
    }
    case "empty":
      return () => normal;
    default:
      throw new Unsupported();
  }
}

/** Turns that tell how many operations the others take. */
const turnsToTell = 256;

/** A loop from where it stands on, without what comes before its first turn. @throws Unsupported */
export function loopCode(machine: Machine, s: Statement & { readonly kind: "for" | "while" | "do" }, testedLast: boolean): Execute {
  const { turnsLeft } = machine;
  machine.turnsLeft = undefined;
  const condition = s.condition ? conditionCode(machine, s.condition) : (): number => 1;
  const rest = () => {
    const body = statementCode(machine, s.body);
    return { body, step: s.kind === "for" && s.step ? evaluated(machine, s.step) : undefined };
  };
  const { body, step } = machine.nest ? machine.nest.loop(undefined, rest) : rest();
  return () => {
    const budget = machine.left;
    for (let first = testedLast, turn = 0; ; first = false, turn++) {
      if (!first && !decided(condition)) return normal;
      spend(machine);
      if (turn === turnsToTell && turnsLeft !== undefined && (budget - machine.left) * (turnsLeft / turn) > budget) throw new GivenUp();
      const end = body();
      if (end === breaks) return normal;
      if (end === returns) return end;
      step?.();
    }
  };
}

/** @throws GivenUp where that is not known */
function decided(condition: Run): boolean {
  const value = condition();
  if (value === undefined) throw new GivenUp();
  return value !== 0;
}

function conditionCode(machine: Machine, condition: Condition): Run {
  if (condition.kind === "variable") throw new Unsupported();
  return codeOf(machine, condition).run;
}

function evaluated(machine: Machine, e: Expression): Execute {
  const { run } = codeOf(machine, e);
  return () => {
    run();
    return normal;
  };
}

function inTurn(all: readonly Execute[]): Execute {
  const [only] = all;
  if (all.length === 1 && only) return only;
  return () => {
    for (const execute of all) {
      const end: Ending = execute();
      if (end !== normal) return end;
    }
    return normal;
  };
}

function scoped(machine: Machine, make: () => Execute): Execute {
  machine.scopes.push(new Map());
  try {
    return make();
  } finally {
    machine.scopes.pop();
  }
}

function declare(machine: Machine, declaration: Declaration): Execute {
  if (declaration.kind !== "variable" || declaration.bindings || declaration.specifiers.static) throw new Unsupported();
  const { type, init } = declaration;
  const name = declaration.name.parts.at(-1)?.text ?? "";
  const [value] = init?.values ?? [];
  if ((init?.values.length ?? 0) > 1) throw new Unsupported();
  const enter = (target: Target): void => {
    machine.scopes.at(-1)?.set(name, target);
  };
  if (type.kind === "reference") {
    if (!value) throw new Unsupported();
    const target = targetOf(machine, value, (inner) => codeOf(machine, inner));
    if (target.kind === "slot") {
      enter(target);
      return () => normal;
    }
    // Where it leads is settled here, whatever becomes of the index.
    const at = newSlot(machine, "long");
    const { slots } = machine;
    const { offset } = target;
    enter({ ...target, offset: () => slots[at.index] });
    return () => {
      slots[at.index] = offset();
      return normal;
    };
  }
  const code = value && codeOf(machine, value);
  const number = type.kind === "auto" ? code?.type : numberType(hostType(machine.host, type));
  if (!number) throw new Unsupported();
  const slot = newSlot(machine, number);
  enter(slot);
  const store = storeTo(machine, slot, { type: code?.type ?? number });
  const { nest } = machine;
  if (nest && code) {
    const line = lineTo(code.line, code.type, number);
    nest.declared.add(slot.index);
    if (line) nest.lines.set(slot.index, line);
  }
  return () => {
    store(code?.run());
    return normal;
  };
}
