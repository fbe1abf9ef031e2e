/** Statements of host code as closures. */
import type { Condition, Expression, Statement } from "../../../syntax/ast.ts";
import { numberOf } from "../values/values.ts";
import type { Known } from "./arithmetic.ts";
import { writeConversion, writeTruth } from "./compiled/numbers.ts";
import type { Writer } from "./compiled/writer.ts";
import { innerLoop } from "./counted.ts";
import { declare } from "./declarations.ts";
import { codeOf, converted } from "./expressions.ts";
import { Foresight } from "./foresight.ts";
import { fruitless } from "./fruitless.ts";
import {
  asDecision,
  asStatement,
  type Code,
  compilable,
  type Ending,
  type Execute,
  ending,
  Fruitless,
  GivenUp,
  type Machine,
  mostOfLoop,
  type Run,
  spend,
  TooLong,
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
        const elseCode = (): Execute => (s.else ? statementCode(machine, s.else) : nothing);
        const { nest } = machine;
        const [then, otherwise] = nest ? nest.either(thenCode, elseCode) : [thenCode(), elseCode()];
        return compilable(
          () => {
            before?.();
            return decided(condition) ? then() : otherwise();
          },
          (w) => {
            if (before) w.write(before);
            decide(w, condition);
            w.open("if");
            w.write(then);
            w.otherwise();
            w.write(otherwise);
            w.close();
          },
        );
      });
    case "for": {
      const counted = machine.nest && innerLoop(machine, machine.nest, s);
      if (counted) return counted;
      return scoped(machine, () => {
        const init = s.init ? statementCode(machine, s.init) : undefined;
        const turns = loopCode(machine, s, false);
        return compilable(
          () => {
            init?.();
            return turns();
          },
          (w) => {
            if (init) w.write(init);
            w.write(turns);
          },
        );
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
      return nothing;
    case "break":
      machine.nest?.broken();
      return compilable(
        () => breaks,
        (w) => w.break(),
      );
    case "continue":
      machine.nest?.continued();
      return compilable(
        () => continues,
        (w) => w.continue(),
      );
    case "return": {
      const { value } = s;
      // A lambda that returns nothing says so by that.
      if (machine.resultType === "auto" && !value) machine.resultType = "void";
      if (!machine.resultType || (machine.resultType === "void") !== (value === undefined)) throw new Unsupported();
      if (!value)
        return compilable(
          () => returns,
          (w) => w.return(false),
        );
      const run = asStatement(machine, () => {
        const code = codeOf(machine, value);
        machine.random?.flow.stores(machine.resultOrigin);
        if (machine.resultType === "auto") machine.resultType = code.type;
        return machine.resultType === "void" || machine.resultType === undefined ? code.run : converted(code, machine.resultType);
      });
      machine.nest?.returned();
      const isVoid = machine.resultType === "void";
      return compilable(
        () => {
          machine.result = run();
          return returns;
        },
        (w) => {
          w.write(run);
          if (isVoid) w.op("drop");
          w.return(!isVoid);
        },
      );
    }
    case "throw":
      // Turns behind it are not come to.
      if (machine.nest) throw new Unsupported();
      return compilable(
        () => {
          throw new GivenUp();
        },
        (w) => w.op("unreachable"),
      );
    case "empty":
      return nothing;
    default:
      throw new Unsupported();
  }
}

/** A loop from where it stands on, without what comes before its first turn. @throws Unsupported */
export function loopCode(machine: Machine, s: Statement & { readonly kind: "for" | "while" | "do" }, testedLast: boolean): Execute {
  const { turnsLeft, foresees, inQuestion } = machine;
  machine.turnsLeft = undefined;
  machine.foresees = false;
  machine.inQuestion = undefined;
  const gap = foresees ? gapCode(machine, s.condition) : undefined;
  const condition = s.condition ? conditionCode(machine, s.condition) : always;
  const rest = () => {
    const body = statementCode(machine, s.body);
    return { body, step: s.kind === "for" && s.step ? evaluated(machine, s.step) : undefined };
  };
  const { body, step } = machine.nest ? machine.nest.loop(undefined, rest) : rest();
  const isFruitless = inQuestion && fruitless(machine, inQuestion);
  const run = (): Ending => {
    const budget = machine.left;
    const distance = gap?.();
    const foresight = turnsLeft !== undefined || foresees ? new Foresight(machine) : undefined;
    let most = budget;
    for (let first = testedLast, turn = 0; ; first = false, turn++) {
      if (!first && !decided(condition)) return normal;
      spend(machine);
      if (isFruitless?.(turn)) throw new Fruitless();
      if (foresight?.isTold(turn)) {
        const left = turnsLeft === undefined ? turnsBy(turn, distance, gap?.()) : turnsLeft - turn;
        most = left === undefined ? mostUnforeseen : budget;
        if (foresight.isTooMuch(left ?? 0)) throw new TooLong();
      }
      if (budget - machine.left > most) throw new TooLong();
      const end = body();
      if (end === breaks) return normal;
      if (end === returns) return end;
      step?.();
    }
  };
  return compilable(run, (w) => {
    const isForeseen = turnsLeft !== undefined || foresees === true;
    const writeGap = (): void => {
      if (gap) w.write(gap);
      else w.float(Number.NaN, "f64");
    };
    const foresee = isForeseen ? w.foreseen(foreseeing(machine, turnsLeft), writeGap) : undefined;
    w.loop({
      condition: () => decide(w, condition),
      body: () => {
        foresee?.();
        w.write(body);
      },
      step: () => step && w.write(step),
      testedLast,
    });
  });
}

/** Tells, before some turns, before which to ask again. @throws TooLong */
function foreseeing(machine: Machine, turnsLeft: number | undefined): (turn: number, gap: number) => number {
  const budget = machine.left;
  const foresight = new Foresight(machine);
  let distance: Known;
  return (turn, gap) => {
    if (turn === 0) distance = Number.isNaN(gap) ? undefined : gap;
    else if (foresight.isTold(turn)) {
      const left = turnsLeft === undefined ? turnsBy(turn, distance, gap) : turnsLeft - turn;
      if (foresight.isTooMuch(left ?? 0)) throw new TooLong();
      if (left === undefined && budget - machine.left > (budget / mostOfLoop) * mostUnforeseen) throw new TooLong();
    }
    return foresight.next;
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
  if (machine.nest || s.condition.kind === "variable" || s.init || s.body.kind !== "block") throw new Unsupported();
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
  const run = (): Ending => {
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
  return compilable(run, (w) => w.breakable(() => w.choose(chosen, labels, otherwise, body)));
}

/** How far apart the sides of a comparison are. */
function gapCode(machine: Machine, condition: Condition | undefined): Run | undefined {
  if (condition?.kind !== "binary" || !/^(<|>|<=|>=|!=)$/.test(condition.op)) return undefined;
  const { effects } = machine;
  const sides = asStatement(machine, () => [codeOf(machine, condition.left), codeOf(machine, condition.right)] as const);
  if (machine.effects !== effects) throw new Unsupported();
  const [left, right] = sides.map(({ run }) => narrowed(run));
  return compilable(
    () => {
      const [a, b] = [left?.(), right?.()];
      return a === undefined || b === undefined ? undefined : a - b;
    },
    (w) => {
      for (const { run, type } of sides) {
        w.write(run);
        writeConversion(w, type, "double");
      }
      w.op("f64.sub");
    },
  );
}

/** @throws GivenUp where that is not known */
function decided({ run }: Code): boolean {
  const value = run();
  if (value === undefined) throw new GivenUp();
  return value !== 0;
}

/** Leaves 1 where it holds. */
function decide(w: Writer, { run, type }: Code): void {
  w.write(run);
  writeTruth(w, type);
}

function conditionCode(machine: Machine, condition: Condition): Code {
  if (condition.kind === "variable") throw new Unsupported();
  return asDecision(machine, () => codeOf(machine, condition));
}

const nothing: Execute = compilable(
  () => normal,
  () => undefined,
);

const always: Code = {
  type: "int",
  run: compilable(
    () => 1,
    (w) => w.i32(1),
  ),
};

function evaluated(machine: Machine, e: Expression): Execute {
  const { run } = asStatement(machine, () => codeOf(machine, e));
  return compilable(
    () => {
      run();
      return normal;
    },
    (w) => {
      w.write(run);
      w.op("drop");
    },
  );
}

function inTurn(all: readonly Execute[]): Execute {
  const [only] = all;
  if (all.length === 1 && only) return only;
  return compilable(
    () => {
      for (const execute of all) {
        const end: Ending = execute();
        if (end !== normal) return end;
      }
      return normal;
    },
    (w) => {
      for (const execute of all) w.write(execute);
    },
  );
}

export function scoped(machine: Machine, make: () => Execute): Execute {
  machine.scopes.push(new Map());
  try {
    return make();
  } finally {
    machine.scopes.pop();
  }
}
