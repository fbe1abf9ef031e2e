/** The time that a file may take. */

export interface Budget {
  /** As the user says it. */
  readonly seconds: number;
  /** Asked now and then, and cheap: what is left undone is given up. */
  isOver(): boolean;
}

/** What is left of the time, when it is over for the simulation, is for the findings. */
const forSimulation = 0.8;

/** The budget of what this process does from now on: processor time, which other processes do not use up. */
export function processorBudget(seconds: number): Budget {
  const start = process.cpuUsage();
  const most = forSimulation * seconds * 1e6;
  return {
    seconds,
    isOver() {
      const { user, system } = process.cpuUsage(start);
      return user + system > most;
    },
  };
}
