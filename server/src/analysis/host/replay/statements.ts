/** Statements of host code as closures. */
import type { Condition, Expression, Statement } from "../../../syntax/ast.ts";
import { numberOf } from "../values/values.ts";
import type { Known } from "./arithmetic.ts";
import { innerLoop } from "./counted.ts";
import { declare } from "./declarations.ts";
import { codeOf, converted } from "./expressions.ts";
import { Foresight } from "./foresight.ts";
import {
  asDecision,
  asStatement,
  type Ending,
  type Execute,
  ending,
  GivenUp,
  type Machine,
  type Run,
  spend,
  Unsupported,
} from "./machine.ts";
import { rangeCode } from "./ranges.ts";
import { narrowed } from "./wide.ts";

const { normal, breaks, continues, returns } = ending;

/** @throws Unsupported */
export function statementCode(machine: Machine, s: Statement): Execute {
  switch (s.kind) {
    case "block":
      return scoped(machine, () => inTurn(s.body.map((each) => statementCode(machine, each))));
    case "declaration":
      return inTurn(s.declarations.map((declaration) => asStatement(machine, () => declare(machine, declaration))));
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
    case "range-for":
      return scoped(machine, () => rangeCode(machine, s));
    case "switch":
      return scoped(machine, () => switchCode(machine, s));
    case "case":
      return () => normal;
    case "break":
      machine.nest?.broken();
      return () => breaks;
    case "continue":
      machine.nest?.continued();
      return () => continues;
    case "return": {
      const { value } = s;
      // A lambda that returns nothing says so by that.
      if (machine.resultType === "auto" && !value) machine.resultType = "void";
      if (!machine.resultType || (machine.resultType === "void") !== (value === undefined)) throw new Unsupported();
      if (!value) return () => returns;
      const run = asStatement(machine, () => {
        const code = codeOf(machine, value);
        machine.random?.flow.stores(machine.resultOrigin);
        if (machine.resultType === "auto") machine.resultType = code.type;
        return machine.resultType === "void" || machine.resultType === undefined ? code.run : converted(code, machine.resultType);
      });
      machine.nest?.returned();
      return () => {
        machine.result = run();
        return returns;
      };
    }
    case "throw":
      // Turns behind it are not come to.
      if (machine.nest) throw new Unsupported();
      return () => {
        throw new GivenUp();
      };
    case "empty":
      return () => normal;
    default:
      throw new Unsupported();
  }
}

/** A loop from where it stands on, without what comes before its first turn. @throws Unsupported */
export function loopCode(machine: Machine, s: Statement & { readonly kind: "for" | "while" | "do" }, testedLast: boolean): Execute {
  const { turnsLeft, foresees } = machine;
  machine.turnsLeft = undefined;
  machine.foresees = false;
  const gap = foresees ? gapCode(machine, s.condition) : undefined;
  const condition = s.condition ? conditionCode(machine, s.condition) : (): number => 1;
  const rest = () => {
    const body = statementCode(machine, s.body);
    return { body, step: s.kind === "for" && s.step ? evaluated(machine, s.step) : undefined };
  };
  const { body, step } = machine.nest ? machine.nest.loop(undefined, rest) : rest();
  return () => {
    const budget = machine.left;
    const distance = gap?.();
    const foresight = turnsLeft !== undefined || foresees ? new Foresight(machine) : undefined;
    let most = budget;
    for (let first = testedLast, turn = 0; ; first = false, turn++) {
      if (!first && !decided(condition)) return normal;
      spend(machine);
      if (foresight?.isTold(turn)) {
        const left = turnsLeft === undefined ? turnsBy(turn, distance, gap?.()) : turnsLeft - turn;
        most = left === undefined ? mostUnforeseen : budget;
        if (foresight.isTooMuch(left ?? 0)) throw new GivenUp();
      }
      if (budget - machine.left > most) throw new GivenUp();
      const end = body();
      if (end === breaks) return normal;
      if (end === returns) return end;
      step?.();
    }
  };
}

/** Operations of a loop of which nobody knows when it ends. */
const mostUnforeseen = 4_000_000;

/** The turns that are left, by how far apart what is compared was at first and is after some turns. */
function turnsBy(turns: number, first: Known, now: Known): number | undefined {
  const closer = first === undefined || now === undefined ? 0 : Math.abs(first) - Math.abs(now);
  return closer > 0 ? (Math.abs(now ?? 0) / closer) * turns : undefined;
}

/** @throws Unsupported */
function switchCode(machine: Machine, s: Statement & { readonly kind: "switch" }): Execute {
  const { random } = machine;
  if (!random || s.condition.kind === "variable" || s.init || s.body.kind !== "block") throw new Unsupported();
  const { condition } = s;
  const chosen = asDecision(machine, () => converted(codeOf(machine, condition), "long"));
  const labels = new Map<number, number>();
  let otherwise: number | undefined;
  const body = s.body.body.map((statement, index) => {
    if (statement.kind === "case") {
      const label = statement.value && numberOf(machine.host.evaluate(statement.value));
      if (statement.last || (statement.value && label === undefined)) throw new Unsupported();
      if (label === undefined) otherwise = index;
      else labels.set(label, index);
    }
    return statementCode(machine, statement);
  });
  return () => {
    const value = chosen();
    if (typeof value !== "number") throw new GivenUp();
    const from = labels.get(value) ?? otherwise;
    for (let k = from ?? body.length; k < body.length; k++) {
      const end = body[k]?.() ?? normal;
      if (end === breaks) return normal;
      if (end !== normal) return end;
    }
    return normal;
  };
}

/** How far apart the sides of a comparison are. */
function gapCode(machine: Machine, condition: Condition | undefined): Run | undefined {
  if (condition?.kind !== "binary" || !/^(<|>|<=|>=|!=)$/.test(condition.op)) return undefined;
  const { effects } = machine;
  const code = (e: Expression): Run => narrowed(codeOf(machine, e).run);
  const [left, right] = asStatement(machine, () => [code(condition.left), code(condition.right)] as const);
  if (machine.effects !== effects) throw new Unsupported();
  return () => {
    const [a, b] = [left(), right()];
    return a === undefined || b === undefined ? undefined : a - b;
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
  return asDecision(machine, () => codeOf(machine, condition)).run;
}

function evaluated(machine: Machine, e: Expression): Execute {
  const { run } = asStatement(machine, () => codeOf(machine, e));
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

export function scoped(machine: Machine, make: () => Execute): Execute {
  machine.scopes.push(new Map());
  try {
    return make();
  } finally {
    machine.scopes.pop();
  }
}
