import type { CliContext } from "../../context.ts";
import { placeOfDev, readJournal } from "../../journal/journal-place.ts";
import { changedSomething } from "../../journal/reasons.ts";
import { entryLines } from "../../journal/reasons-text.ts";
import { paint, reportError } from "../../output.ts";
import { BackgroundProcess, endingOf } from "../../processes.ts";
import { listenToKeys } from "../../terminal-keys.ts";
import { withoutColors } from "../../terminal-text.ts";
import type { DevPage } from "./dev-page.ts";
import type { DevSession } from "./dev-session.ts";
import type { LogChoice } from "./log-choice.ts";

/** A key, and what it does. */
interface KeyAction {
  /** The key's action, in the line that names the keys. */
  readonly help: string;
  readonly run: () => Promise<void> | void;
}

/** The objects that the keys act on. */
export interface KeyTargets {
  readonly root: string;
  readonly session: Pick<DevSession, "applySamples" | "deleteObjects"> & {
    readonly log: Pick<LogChoice, "next">;
    readonly page: Pick<DevPage, "open">;
  };
  readonly quit: () => void;
}

export class DevKeys {
  readonly #context: CliContext;
  readonly #targets: KeyTargets;
  readonly #actions: Readonly<Record<string, KeyAction>>;
  #last: Promise<void> = Promise.resolve();
  #stop: (() => void) | undefined;
  #tests: BackgroundProcess | undefined;

  constructor(targets: KeyTargets, context: CliContext) {
    this.#context = context;
    this.#targets = targets;
    const { session } = targets;
    this.#actions = {
      a: { help: "apply samples", run: () => session.applySamples() },
      t: { help: "run tests", run: () => this.#runTests() },
      w: { help: "why: the last change", run: () => this.#tellLast() },
      f: {
        help: "filter the log",
        run: () => {
          context.out(paint(context).bold(session.log.next()));
        },
      },
      o: { help: "open the page", run: () => session.page.open() },
      r: { help: "reset: delete all objects of your kinds", run: () => session.deleteObjects() },
      q: { help: "quit", run: targets.quit },
    };
  }

  /** Starts to listen, and names the keys in a line, if this is a terminal. */
  start(): void {
    const listen = this.#context.keys ?? listenToKeys;
    this.#stop = listen((key) => {
      this.#press(key);
    });
    if (!this.#stop) return;
    const { bold, dim } = paint(this.#context);
    const names = Object.entries(this.#actions).map(
      ([key, { help }]) => `${bold(key)} ${dim(help)}`,
    );
    this.#context.err(`  ${names.join(dim(", "))}`);
  }

  /** Gives the terminal back, and ends tests that run. */
  stop(): void {
    this.#tests?.end();
    this.#stop?.();
  }

  #press(key: string): void {
    const action = Object.hasOwn(this.#actions, key) ? this.#actions[key] : undefined;
    if (!action) return;
    if (key === "q" || key === "f") void action.run();
    // Actions run one after the other: an apply does not run into a reset.
    else {
      this.#last = this.#last.then(action.run).catch((error: unknown) => {
        reportError(error, this.#context);
      });
    }
  }

  async #runTests(): Promise<void> {
    const { env } = this.#context;
    const out = (line: string): void => {
      this.#context.out(withoutColors(line));
    };
    this.#context.out(paint(this.#context).bold("npm test"));
    const call = { program: "npm", args: ["test"], cwd: this.#targets.root, env };
    this.#tests = BackgroundProcess.start(call, { onLine: out, ownGroup: true, endsAsGroup: true });
    const code = await this.#tests.exited;
    this.#tests = undefined;
    out(code === 0 ? "the tests passed" : `the test run ${endingOf(code)}`);
  }

  async #tellLast(): Promise<void> {
    const { clock } = this.#context;
    const place = placeOfDev(this.#targets.root);
    const entries = place ? (await readJournal(place, clock)).entries : [];
    const last = entries.findLast(changedSomething);
    if (last) for (const line of entryLines(last, this.#context)) this.#context.out(line);
    else this.#context.out("no reconcile has changed anything yet: press a to apply the samples");
  }
}
