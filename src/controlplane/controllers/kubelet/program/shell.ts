/** A shell on virtual time: it runs a script at once, and says when everything happens. */
import { NotUnderstood } from "./not-understood.ts";
import { ShellFiles } from "./shell-files.ts";
import { baseName, scriptOf, sleepMs } from "./command-words.ts";
import type { CommandRun } from "./command-course.ts";
import { type Command, type Script, type Word, parseScript } from "./shell-syntax.ts";

/** The surroundings of a command. */
export interface ShellSettings {
  /** Variables; `undefined` for those whose value is not known here. */
  readonly env: ReadonlyMap<string, string | undefined>;
  /** When it gets SIGTERM, in milliseconds since its start. */
  readonly signalMs?: number;
  /** Whether more memory than it may have ends it. */
  readonly hasMemoryLimit: boolean;
  /** Files that are there at its start. */
  readonly files?: ReadonlyMap<string, string>;
}

/** A part of the script ends all of it, or a loop. */
class Ended extends Error {
  readonly how: "exit" | "never" | "memory" | "break" | "continue";

  constructor(how: Ended["how"]) {
    super(how);
    this.how = how;
  }
}

/** After so many commands a script counts as endless. */
const LONGEST = 3000;
/** How long a program takes to use up a container's memory. */
const MEMORY_FULL_MS = 900;
/** Programs without an effect on the simulation, which succeed at once. */
const HARMLESS = new Set(
  ": true date cd umask mkdir chmod chown sync id env uname whoami pwd".split(" "),
);
const SPECIAL_FILES = new Set([
  "/dev/null",
  "/dev/stdout",
  "/dev/stderr",
  "/proc/1/fd/1",
  "/proc/1/fd/2",
]);

const VARIABLE = /\$(?:([?$])|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::-([^}]*))?\}|.?)/g;

export class Shell {
  readonly #env: Map<string, string | undefined>;
  readonly #files: ShellFiles;
  readonly #settings: ShellSettings;
  readonly #traps = new Map<string, Script>();
  readonly #output: { atMs: number; text: string }[] = [];
  readonly #changes: { atMs: number; path: string; text: string | undefined }[] = [];
  /** When the programs in the background end. */
  readonly #jobs: number[] = [];
  #nowMs = 0;
  #last = 0;
  #commands = 0;
  #stopsAtFailure = false;
  /** Whether the result of what runs is looked at, so that a failure ends nothing. */
  #isTested = false;
  #isSignalled = false;
  /** The duration of a loop's last round, for endless ones. */
  #roundMs = 0;

  constructor(settings: ShellSettings) {
    this.#settings = settings;
    this.#env = new Map(settings.env);
    this.#files = new ShellFiles(settings.files, (change) => {
      this.#changes.push({ ...change, atMs: this.#nowMs });
    });
  }

  /** Runs a script. @throws NotUnderstood */
  run(text: string, options: string): CommandRun {
    const script = parseScript(text);
    if (!script) throw new NotUnderstood();
    this.#stopsAtFailure = options.includes("e");
    const run = this.#finish(() => this.#script(script));
    const { signalMs } = this.#settings;
    const isUnheard = run.endMs === undefined && !this.#isSignalled && this.#traps.has("TERM");
    if (signalMs === undefined || !isUnheard || this.#roundMs === 0) return run;
    // An endless loop gets its signal long after the rounds that were run: those between are like the last one.
    const skippedMs = Math.ceil((signalMs - this.#nowMs) / this.#roundMs + 1) * this.#roundMs;
    const again = new Shell({ ...this.#settings, signalMs: signalMs - skippedMs });
    const { endMs, ...rest } = again.run(text, options);
    return { ...rest, endMs: endMs === undefined ? undefined : endMs + skippedMs };
  }

  /** Runs a program that is no shell. Without a handler of its own it ignores SIGTERM, as the first process of a container. @throws NotUnderstood */
  runProgram(words: readonly string[]): CommandRun {
    this.#isSignalled = true;
    return this.#finish(() => this.#program(words));
  }

  #finish(work: () => void): CommandRun {
    let how: Ended["how"] = "exit";
    try {
      work();
      this.#runTrap("EXIT");
    } catch (thrown) {
      if (!(thrown instanceof Ended)) throw thrown;
      how = thrown.how;
    }
    return {
      endMs: how === "never" ? undefined : this.#nowMs,
      exitCode: how === "never" ? 0 : how === "memory" ? 137 : this.#last,
      isOutOfMemory: how === "memory",
      output: this.#output,
      files: this.#changes,
    };
  }

  #script(script: Script, isTested = false): void {
    for (const [index, { command, joint, isNegated, inBackground }] of script.entries()) {
      if (joint === "&&" ? this.#last !== 0 : joint === "||" && this.#last === 0) continue;
      const isLooked = isTested || isNegated || (script[index + 1]?.joint ?? ";") !== ";";
      const before = this.#isTested;
      this.#isTested ||= isLooked;
      if (inBackground) this.#background(command);
      else this.#command(command);
      if (isNegated) this.#last = this.#last === 0 ? 1 : 0;
      this.#hearSignal();
      // The failure of another compound command was looked at within it.
      const isOwn = command.kind === "simple" || command.kind === "subshell";
      if (this.#stopsAtFailure && this.#last !== 0 && isOwn && !this.#isTested) {
        throw new Ended("exit");
      }
      this.#isTested = before;
    }
  }

  #command(command: Command): void {
    if (++this.#commands > LONGEST) throw new Ended("never");
    switch (command.kind) {
      case "simple":
        this.#simple(command);
        return;
      case "group":
        this.#script(command.body);
        return;
      case "subshell":
        this.#subshell(command.body);
        return;
      case "if": {
        for (const { condition, body } of command.cases) {
          this.#script(condition, true);
          if (this.#last !== 0) continue;
          this.#script(body);
          return;
        }
        this.#last = 0;
        this.#script(command.otherwise);
        return;
      }
      case "for":
        for (const word of command.words) {
          this.#env.set(command.name, this.#text(word));
          if (!this.#round(command.body)) break;
        }
        return;
      case "loop":
        for (;;) {
          const began = this.#nowMs;
          if (++this.#commands > LONGEST) throw new Ended("never");
          this.#script(command.condition, true);
          if ((this.#last === 0) === command.until) break;
          if (!this.#round(command.body)) break;
          this.#roundMs = this.#nowMs - began;
        }
        this.#last = 0;
        return;
    }
  }

  /** Runs a part with an end of its own. */
  #subshell(body: Script): void {
    const env = new Map(this.#env);
    const before = this.#isTested;
    try {
      this.#script(body);
    } catch (thrown) {
      if (!(thrown instanceof Ended) || thrown.how !== "exit") throw thrown;
      this.#isTested = before;
    }
    for (const name of this.#env.keys()) if (!env.has(name)) this.#env.delete(name);
    for (const [name, value] of env) this.#env.set(name, value);
  }

  /** Runs the body of a loop once. @returns whether it goes on */
  #round(body: Script): boolean {
    const before = this.#isTested;
    try {
      this.#script(body);
    } catch (thrown) {
      if (!(thrown instanceof Ended)) throw thrown;
      this.#isTested = before;
      if (thrown.how === "break") return false;
      if (thrown.how !== "continue") throw thrown;
    }
    return true;
  }

  #background(command: Command): void {
    const other = new Shell({ ...this.#settings, env: this.#env, files: this.#files.all });
    const { endMs, output, files } = other.#finish(() => other.#command(command));
    this.#jobs.push(endMs === undefined ? Infinity : this.#nowMs + endMs);
    for (const { atMs, text } of output) this.#output.push({ atMs: this.#nowMs + atMs, text });
    for (const change of files) {
      this.#changes.push({ ...change, atMs: this.#nowMs + change.atMs });
    }
    this.#last = 0;
  }

  #simple({ words, redirects }: Extract<Command, { kind: "simple" }>): void {
    const texts = words.map((word) => this.#text(word));
    while (/^[A-Za-z_]\w*=/.test(texts[0] ?? "")) this.#assign(texts.shift() ?? "");
    if (texts.length === 0) return;
    const before = this.#output.length;
    this.#program(texts);
    for (const { file, isAppended, isOfErrors } of redirects) {
      const path = file && this.#text(file);
      if (path === undefined || isOfErrors) continue;
      const printed = this.#output.splice(before).map(({ text }) => text);
      if (SPECIAL_FILES.has(path)) {
        if (path !== "/dev/null") this.#print(printed.join(""));
      } else {
        if (!isAppended) this.#files.write(path, printed.join(""));
        else this.#files.append(path, printed.join(""));
      }
    }
  }

  #assign(text: string): void {
    const equals = text.indexOf("=");
    this.#env.set(text.slice(0, equals), text.slice(equals + 1));
    this.#last = 0;
  }

  #program([program = "", ...args]: readonly string[]): void {
    const name = baseName(program);
    const nested = scriptOf([program, ...args]);
    if (nested) {
      const script = parseScript(nested.text);
      if (!script) throw new NotUnderstood();
      this.#script(script);
      return;
    }
    if (name === "exit" || name === "return") return this.#exit(args[0]);
    this.#last = 0;
    switch (name) {
      case "busybox":
        this.#program(args);
        return;
      case "exec":
        if (args.length === 0) return;
        this.#traps.clear();
        this.#isSignalled = true;
        this.#program(args);
        throw new Ended("exit");
      case "sleep":
        this.#sleep(sleepMs(args));
        return;
      case "wait":
        this.#wait();
        return;
      case "false":
        this.#last = 1;
        return;
      case "echo":
        this.#print(
          `${args.filter((one) => !/^-[ne]+$/.test(one)).join(" ")}${args[0] === "-n" ? "" : "\n"}`,
        );
        return;
      case "printf":
        this.#print((args[0] ?? "").replaceAll("\\n", "\n").replaceAll("%s", args[1] ?? ""));
        return;
      case "export":
        for (const one of args) if (one.includes("=")) this.#assign(one);
        return;
      case "set":
        this.#stopsAtFailure ||= args.some((one) => /^-[a-z]*e/.test(one) || one === "errexit");
        return;
      case "break":
      case "continue":
        throw new Ended(name);
      case "trap":
        this.#trap(args);
        return;
      case "tail":
        this.#tail(args);
        return;
      case "touch":
        for (const path of args) this.#files.touch(path);
        return;
      case "rm":
        for (const path of args) if (!path.startsWith("-")) this.#files.write(path, undefined);
        return;
      case "cat":
      case "ls":
        this.#show(name, args);
        return;
      case "test":
      case "[":
        this.#last = this.#files.test(args.at(-1) === "]" ? args.slice(0, -1) : args) ? 0 : 1;
        return;
      default:
        if (!HARMLESS.has(name)) throw new NotUnderstood();
        return;
    }
  }

  #exit(code: string | undefined): never {
    if (code !== undefined && !/^\d{1,3}$/.test(code)) throw new NotUnderstood();
    if (code !== undefined) this.#last = Number(code) & 255;
    this.#runTrap("EXIT");
    throw new Ended("exit");
  }

  #sleep(ms: number | undefined): void {
    if (ms === undefined) throw new NotUnderstood();
    if (ms === Infinity) throw new Ended("never");
    this.#nowMs += ms;
  }

  #wait(): void {
    const endMs = Math.max(this.#nowMs, ...this.#jobs);
    const { signalMs = Infinity } = this.#settings;
    // Unlike other commands it is interrupted by a signal that has a trap.
    if (!this.#isSignalled && this.#traps.has("TERM") && signalMs < endMs) {
      this.#nowMs = Math.max(this.#nowMs, signalMs);
      return;
    }
    if (endMs === Infinity) throw new Ended("never");
    this.#nowMs = endMs;
  }

  #trap([action = "", ...signals]: readonly string[]): void {
    for (const signal of signals) {
      const name = signal.replace(/^SIG/, "").replace(/^15$/, "TERM").replace(/^0$/, "EXIT");
      const script = action === "-" ? undefined : parseScript(action);
      if (action === "-" || action === "") this.#traps.delete(name);
      else if (script) this.#traps.set(name, script);
      else throw new NotUnderstood();
    }
  }

  #hearSignal(): void {
    const { signalMs = Infinity } = this.#settings;
    if (this.#isSignalled || signalMs > this.#nowMs) return;
    this.#isSignalled = true;
    this.#runTrap("TERM");
  }

  #runTrap(signal: string): void {
    const script = this.#traps.get(signal);
    this.#traps.delete(signal);
    if (script) this.#script(script);
  }

  #tail(args: readonly string[]): void {
    if (args.some((one) => /^-[fF]/.test(one))) throw new Ended("never");
    if (!args.includes("/dev/zero")) throw new NotUnderstood();
    if (!this.#settings.hasMemoryLimit) throw new Ended("never");
    this.#nowMs += MEMORY_FULL_MS;
    throw new Ended("memory");
  }

  #print(text: string): void {
    this.#output.push({ atMs: this.#nowMs, text });
  }

  #show(name: "cat" | "ls", paths: readonly string[]): void {
    const { output, code } = this.#files.show(name, paths);
    this.#print(output);
    this.#last = code;
  }

  #text(word: Word): string {
    return word.map(({ text, isLiteral }) => (isLiteral ? text : this.#expand(text))).join("");
  }

  #expand(text: string): string {
    return text.replace(VARIABLE, (...found) => {
      const [all, special, plain, braced] = found as (string | undefined)[];
      if (special === "?") return String(this.#last);
      if (special === "$") return "1";
      const name = plain ?? braced;
      if (name === undefined) {
        if (/^\$[({@#]/.test(all ?? "")) throw new NotUnderstood();
        return all ?? "";
      }
      if (this.#env.has(name) && this.#env.get(name) === undefined) throw new NotUnderstood();
      return this.#env.get(name) || ((found[4] as string | undefined) ?? "");
    });
  }
}
