/** Counts the comparisons of a verification, and prints its checks. */
import { systemClock } from "../../src/clock.ts";
import { messageOf } from "../../src/errors.ts";

/** Runs work and prints its title, the line that it returns, and its duration. */
export async function step<T>(title: string, work: () => T | Promise<T>): Promise<T> {
  const beganMs = systemClock.monotonicMs();
  const print = (result: string): void => {
    const seconds = (systemClock.monotonicMs() - beganMs) / 1000;
    console.log(`${result} | ${title} | ${seconds.toFixed(1)} s`);
  };
  try {
    const found = await work();
    print(typeof found === "string" && /^.+$/.test(found) ? found : "ok");
    return found;
  } catch (error) {
    console.log(messageOf(error).replaceAll(/^/gm, "  "));
    print("FAIL");
    throw error;
  }
}

/** How many comparisons there were, and how many held. */
export class Tally {
  #all = 0;
  #held = 0;
  #known = 0;
  #isBroken = false;

  /** Adds comparisons; `known` of those that did not hold are documented differences. */
  add(all: number, held: number, known = 0): void {
    this.#all += all;
    this.#held += held;
    this.#known += known;
  }

  /** Adds one comparison. */
  count(holds: boolean): void {
    this.add(1, holds ? 1 : 0);
  }

  /** Runs one check and prints its result, with the returned words. Returns whether it held. */
  async check(title: string, work: () => unknown): Promise<boolean> {
    let holds = true;
    await step(title, work).catch(() => {
      holds = false;
    });
    this.count(holds);
    return holds;
  }

  /** Runs checks in order, up to the first that fails. */
  async checkAll(checks: Iterable<readonly [title: string, work: () => unknown]>): Promise<void> {
    for (const [title, work] of checks) {
      if (!(await this.check(title, work))) return;
    }
  }

  /** Notes an error that ended the verification before its last comparison. */
  breakOff(): void {
    this.#isBroken = true;
  }

  /** Whether everything held. A verification without comparisons does not hold. */
  get holds(): boolean {
    return !this.#isBroken && this.#all > 0 && this.#held + this.#known >= this.#all;
  }

  /** The last line of a verification. */
  figure(compared: string): string {
    const known = this.#known === 0 ? "" : `, ${this.#known} known to differ`;
    return `${compared}: ${this.#all} compared, ${this.#held} held${known}`;
  }
}
