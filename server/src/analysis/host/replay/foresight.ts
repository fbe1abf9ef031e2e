/** Whether a loop under way will take more operations than may be run, by what its turns took so far. */
import type { Machine } from "./machine.ts";

/** Turns that tell how many operations the others take; then twice as many, and so on. */
const firstToTell = 256;
/** Part of the operations that may be run which a loop takes before it is given up: the first turns are not always like the others. */
const patience = 1 / 64;

export class Foresight {
  readonly #machine: Machine;
  readonly #budget: number;
  /** Operations taken by half as many turns, and by half of those. */
  #before = 0;
  #halfway = 0;
  #next = firstToTell / 4;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#budget = machine.left;
  }

  /** Before which turn it is told next. */
  get next(): number {
    return this.#next;
  }

  /** To be asked before each turn. @param turns that are done */
  isTold(turns: number): boolean {
    return turns === this.#next;
  }

  /**
   * Where rows of the first turns are the longest, as those of a graph's hubs, each doubling of the turns takes fewer operations more than
   * the one before: the doublings to come are taken to go on like the last two.
   * @param left turns besides
   */
  isTooMuch(left: number): boolean {
    const turns = this.#next;
    const taken = this.#budget - this.#machine.left;
    const [last, one] = [taken - this.#halfway, this.#halfway - this.#before];
    this.#before = this.#halfway;
    this.#halfway = taken;
    this.#next = 2 * turns;
    if (turns < firstToTell || taken < this.#budget * patience) return false;
    const growth = Math.min(2, one > 0 ? last / one : 2);
    const doublings = Math.log2(1 + left / turns);
    const more = Math.abs(growth - 1) < 0.01 ? last * doublings : (last * growth * (growth ** doublings - 1)) / (growth - 1);
    return taken + more > this.#budget;
  }
}
