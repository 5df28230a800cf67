/** The hostile clients of `scripts/verify/strangers.ts`, in a process of their own. Sends what it has done each second, and at its end. */
import { systemClock } from "../../../src/clock.ts";
import { Random } from "../../../test/support/random.ts";
import { Attackers, type Ports } from "./attackers.ts";

/** What it is started with. */
export interface Attack {
  readonly ports: Ports;
  readonly seed: number;
  readonly count: number;
  readonly clients: number;
  readonly maxBytes: number;
}

/** What was done until now. */
export interface AttackReport {
  readonly sent: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly isOver: boolean;
}

const REPORT_MS = 1000;

process.once("message", ({ ports, seed, count, clients, maxBytes }: Attack) => {
  const attackers = new Attackers(ports, new Random(seed), maxBytes);
  const over = new AbortController();
  const report = (isOver: boolean): void => {
    const { sent, outcomes } = attackers;
    process.send?.({ sent, outcomes: Object.fromEntries(outcomes), isOver } satisfies AttackReport);
  };
  const reports = async (): Promise<void> => {
    for (;;) {
      await systemClock.sleep(REPORT_MS, over.signal);
      report(false);
    }
  };
  void reports().catch(() => undefined);
  void Promise.all(Array.from({ length: clients }, () => attackers.attack(count))).then(() => {
    over.abort();
    report(true);
  });
});
