/** The time that a file may take. */

export interface Budget {
  /** As the user says it. */
  readonly seconds: number;
  /** Asked now and then, and cheap: what is left undone is given up. */
  isOver(): boolean;
}

/** What is left of the time, when it is over for the simulation, is for the findings. */
const forSimulation = 0.8;

/** Questions of which one looks at the clock: most come within a microsecond of each other. */
const seldom = 64;
/**
 * Milliseconds by the clock after which the system is asked for the processor time, which costs as much as what is done between tens of
 * questions. The processor time of a process of one busy thread does not outrun the clock by much.
 */
const between = 50;

/** The budget of what this process does from now on: processor time, which other processes do not use up. */
export function processorBudget(seconds: number): Budget {
  const start = process.cpuUsage();
  const most = forSimulation * seconds * 1e6;
  let questions = 0;
  let asked = performance.now();
  let over = false;
  return {
    seconds,
    isOver() {
      if (over || ++questions % seldom !== 0) return over;
      const now = performance.now();
      if (now - asked < between) return over;
      asked = now;
      const { user, system } = process.cpuUsage(start);
      over = user + system > most;
      return over;
    },
  };
}
