/** Keeps one operator running: replaced on a save, started again after a crash. */
import type { Timer } from "../../../clock.ts";
import { CONTROLLER_STARTED } from "../../../runtime/controller/controller.ts";
import type { CliContext } from "../../context.ts";
import { parseLogEntry } from "../log-lines.ts";
import type { OperatorProcess } from "../operator-process.ts";
import { paint, reportError } from "../../output.ts";
import { endingOf } from "../../processes.ts";

/** Starts an operator whose lines are handed to `onLine`. */
export type StartOperator = (onLine: (line: string) => void) => OperatorProcess;

export interface OperatorEvents {
  /** The operator's controllers run: called once, and never when it does not come that far. */
  ready(): void;
  /** The operator ended by itself, with that code. Without this method it is started again. */
  ended?(code: number | undefined): void;
}

/** The wait before the second start after a crash; doubled for each further one. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** The least run time of an operator that did not crash at its start. */
const STEADY_MS = 10_000;
/** The time that reconciles may take to end after a save. */
const GRACE_MS = 5000;

export class OperatorKeeper {
  readonly #start: StartOperator;
  readonly #controllers: number;
  readonly #context: CliContext;
  #running: OperatorProcess | undefined;
  #restart: Timer | undefined;
  #crashes = 0;

  /** @param controllers - how many of them have to run before the operator is ready */
  constructor(start: StartOperator, controllers: number, context: CliContext) {
    this.#start = start;
    this.#controllers = controllers;
    this.#context = context;
  }

  /** Ends the operator that runs, and starts it with the code as it is now. */
  async replace(events: OperatorEvents): Promise<void> {
    await this.stop();
    this.#crashes = 0;
    let told = false;
    const ready = (): void => {
      if (!told) events.ready();
      told = true;
    };
    this.#launch({ ...events, ready });
  }

  /** Ends the operator; it is not started again. */
  async stop(): Promise<void> {
    this.#restart?.cancel();
    this.#restart = undefined;
    const operator = this.#running;
    this.#running = undefined;
    await operator?.stop(GRACE_MS);
  }

  #launch(events: OperatorEvents): void {
    const began = this.#context.clock.monotonicMs();
    let started = 0;
    const operator = this.#start((line) => {
      if (parseLogEntry(line)?.["msg"] !== CONTROLLER_STARTED) return;
      started += 1;
      if (started === this.#controllers) events.ready();
    });
    this.#running = operator;
    void operator.exited.then((code) => {
      if (this.#running !== operator) return;
      this.#running = undefined;
      if (events.ended) {
        events.ended(code);
        return;
      }
      const ranMs = this.#context.clock.monotonicMs() - began;
      this.#crashes = ranMs < STEADY_MS ? this.#crashes + 1 : 1;
      this.#startAgain(code, events);
    });
  }

  #startAgain(code: number | undefined, events: OperatorEvents): void {
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (this.#crashes - 1), LONGEST_WAIT_MS);
    const { red, dim } = paint(this.#context);
    this.#context.err(
      `${red(`the operator ${endingOf(code)}`)}${dim(`; it restarts in ${waitMs / 1000} s, or when a file is saved`)}`,
    );
    this.#restart = this.#context.clock.after(waitMs, () => {
      this.#restart = undefined;
      try {
        this.#launch(events);
      } catch (error) {
        reportError(error, this.#context);
      }
    });
  }
}
