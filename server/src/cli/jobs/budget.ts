/** The time that a file may take. */

export interface Budget {
  /** As the user says it. */
  readonly seconds: number;
  /** Asked now and then, and cheap: what is left undone is given up. */
  isOver(): boolean;
}

/** What is left of the time, when it is over for the simulation, is for the findings. */
const forSimulation = 0.8;

/** Questions of which one is passed on to the system, where the answer costs as much as what is done between tens of them. */
const seldom = 64;

/** The budget of what this process does from now on: processor time, which other processes do not use up. */
export function processorBudget(seconds: number): Budget {
  const start = process.cpuUsage();
  const most = forSimulation * seconds * 1e6;
  let questions = 0;
  let over = false;
  return {
    seconds,
    isOver() {
      if (over || ++questions % seldom !== 0) return over;
      const { user, system } = process.cpuUsage(start);
      over = user + system > most;
      return over;
    },
  };
}
