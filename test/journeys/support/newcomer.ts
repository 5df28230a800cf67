/**
 * A machine as a newcomer has it: an empty folder, a shell, `npx` and `npm`. What `npm install` would bring
 * from the registry is linked from this checkout, so that no journey needs a network.
 */
import { spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtCheckout } from "../../support/built-checkout.ts";
import { installedPackage } from "../../support/installed-package.ts";

const NODE_MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

/** What a command printed, and how it ended. */
export interface ShellResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command that goes on until it is stopped. */
export interface Running {
  /** Resolves with all output so far as soon as it matches. @throws Error when the command ends before */
  waitFor(pattern: RegExp): Promise<string>;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<ShellResult>;
}

/** The newcomer's machine. */
export class Newcomer {
  /** Everything that happens, happens below it; it is the home too. */
  readonly home: string;
  readonly #programs: string;
  readonly #running = new Set<ChildProcess>();
  readonly #path: string;
  readonly #exported: Record<string, string> = {};

  private constructor(home: string, path: string) {
    this.home = home;
    this.#path = path;
    this.#programs = join(home, ".programs");
  }

  /** An empty home, with `npx tsop` standing for the checkout; `programs` is a folder of others that are there. */
  static async arrive({ programs = "" } = {}): Promise<Newcomer> {
    const newcomer = new Newcomer(mkdtempSync(join(tmpdir(), "tsop-newcomer-")), programs);
    const checkout = await builtCheckout();
    const installed = await installedPackage();
    const realNpm = programOnPath("npm");
    newcomer.#program("tsop", `exec "${process.execPath}" "${checkout}/bin/tsop.js" "$@"`);
    newcomer.#program("npx", 'exec "$@"');
    newcomer.#program(
      "npm",
      `case "$1" in
install)
  mkdir -p node_modules/.bin node_modules/@types
  for name in @eslint eslint typescript typescript-eslint vite vitest @types/node; do
    ln -sfn "${NODE_MODULES}/$name" node_modules/$name
  done
  for name in eslint tsc vitest; do ln -sfn "${NODE_MODULES}/.bin/$name" node_modules/.bin/$name; done
  ln -sfn "${installed}" node_modules/tsop
  ln -sfn ../tsop/bin/tsop.js node_modules/.bin/tsop ;;
*) exec "${realNpm}" "$@" ;;
esac`,
    );
    return newcomer;
  }

  /** Runs one line in a shell to its end. */
  async run(line: string, folder = this.home): Promise<ShellResult> {
    const child = this.#spawn(line, folder);
    const output = collect(child);
    const code = await new Promise<number>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (exit) => resolve(exit ?? -1));
    });
    return { code, ...output() };
  }

  /** Runs one line and returns what it printed. @throws Error with all of it when it fails */
  async succeed(line: string, folder?: string): Promise<string> {
    const { code, out, err } = await this.run(line, folder);
    if (code !== 0) throw new Error(`${line} exited with ${code}\n${out}${err}`);
    return out + err;
  }

  /** `NAME=value` for every line from now on, with `$PWD` for the folder. */
  export(setting: string, folder: string): void {
    const [name = "", value = ""] = setting.split("=");
    this.#exported[name] = value.replace("$PWD", folder);
  }

  /** Starts a line that goes on. */
  start(line: string, folder = this.home): Running {
    const child = this.#spawn(`exec ${line}`, folder);
    const output = collect(child);
    const ended = new Promise<number>((resolve) =>
      child.on("close", (code) => resolve(code ?? -1)),
    );
    return {
      waitFor: (pattern) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const { out, err } = output();
            if (pattern.test(out + err)) resolve(out + err);
          };
          child.stdout?.on("data", look);
          child.stderr?.on("data", look);
          void ended.then((code) => {
            const { out, err } = output();
            reject(new Error(`${line} exited with ${code} before ${pattern.source}\n${out}${err}`));
          });
          look();
        }),
      stop: async (signal = "SIGINT") => {
        child.kill(signal);
        const code = await ended;
        return { code, ...output() };
      },
    };
  }

  /** Every file below a folder with its content; packages and tsop's own working files are left out. */
  filesIn(folder: string): Record<string, string> {
    const files: Record<string, string> = {};
    const visit = (path: string): void => {
      for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
        if (entry.name === "node_modules" || entry.name === ".tsop") continue;
        const child = path === "" ? entry.name : `${path}/${entry.name}`;
        if (entry.isDirectory()) visit(child);
        else files[child] = readFileSync(join(folder, child), "utf8");
      }
    };
    visit("");
    return files;
  }

  /** Ends what still runs and removes the home. */
  leave(): void {
    for (const child of this.#running) child.kill("SIGKILL");
    rmSync(this.home, { recursive: true, force: true });
  }

  #program(name: string, script: string): void {
    mkdirSync(this.#programs, { recursive: true });
    writeFileSync(join(this.#programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(this.#programs, name), 0o755);
  }

  #spawn(line: string, folder: string): ChildProcess {
    const child = spawn("sh", ["-c", line], {
      cwd: folder,
      env: {
        PATH: [this.#programs, this.#path, dirname(process.execPath), process.env["PATH"]]
          .filter(Boolean)
          .join(":"),
        HOME: this.home,
        NO_COLOR: "1",
        ...this.#exported,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#running.add(child);
    child.on("close", () => this.#running.delete(child));
    return child;
  }
}

function collect(child: ChildProcess): () => { out: string; err: string } {
  const parts = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (parts.out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (parts.err += text));
  return () => parts;
}

/** Where a shell would find a program; a Node from the npm registry brings no npm beside it. */
function programOnPath(name: string): string {
  const places = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name));
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error(`there is no ${name} on PATH`);
  return found;
}
