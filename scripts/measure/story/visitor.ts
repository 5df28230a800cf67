/** Types commands into a shell. */
import { execa } from "execa";

/** The time limit of a command. */
const MOST_MS = 5 * 60_000;

/** The surroundings of commands. */
export interface Surroundings {
  /** The program that runs the shell, with its arguments; none for the shell itself. */
  readonly prefix: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A command that runs until it is stopped. */
export interface Running {
  /** Waits until its output matches, after the last match. @throws Error when it ends before */
  until(pattern: RegExp): Promise<void>;
  stop(): Promise<void>;
}

/** Types commands into a shell, in some surroundings. */
export class Visitor {
  readonly #surroundings: Surroundings;
  readonly #running = new Set<Running>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Runs a line to its end; returns what it printed. @throws Error with all of it when it fails */
  async run(line: string, cwd: string): Promise<string> {
    const { all, exitCode } = await this.#shell(line, cwd);
    if (exitCode !== 0) throw new Error(`${line} ended with ${exitCode}\n${all}`);
    return all;
  }

  /** Starts a command that keeps running. */
  start(line: string, cwd: string): Running {
    const program = this.#shell(line, cwd);
    let output = "";
    let isOver = false;
    let look = (): void => undefined;
    program.all.on("data", (text: Buffer) => {
      output += text.toString();
      look();
    });
    const ended = program.then(() => {
      isOver = true;
      look();
    });
    const running: Running = {
      until: (pattern) =>
        new Promise((resolve, reject) => {
          look = () => {
            const found = pattern.exec(output);
            if (found) {
              output = output.slice(found.index + found[0].length);
              resolve();
            } else if (isOver)
              reject(new Error(`${line} ended before ${pattern.source}\n${output}`));
          };
          look();
        }),
      stop: async () => {
        this.#running.delete(running);
        // Like Ctrl-C, for the whole group: npx does not pass signals on.
        if (program.pid !== undefined && !isOver) process.kill(-program.pid, "SIGINT");
        await ended;
      },
    };
    this.#running.add(running);
    return running;
  }

  /** Ends all running commands. */
  async stopAll(): Promise<void> {
    for (const running of [...this.#running]) await running.stop();
  }

  #shell(line: string, cwd: string) {
    const { prefix, env } = this.#surroundings;
    const [program, ...args] = [...prefix, "sh", "-c", line];
    const options = {
      cwd,
      env,
      all: true,
      reject: false,
      detached: true,
      timeout: MOST_MS,
    } as const;
    return execa(program, args, options);
  }
}
