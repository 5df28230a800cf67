/** Runs commands in the test's own process, in folders that go away afterwards. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { CliContext } from "../../../src/cli/context.ts";
import { main } from "../../../src/cli/main.ts";
import { systemClock } from "../../../src/clock.ts";

/** What a command printed, and how it ended. */
export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** How a command is run: where, with which environment, and until when. */
export interface CliOptions {
  readonly env?: Record<string, string>;
  readonly signal?: AbortSignal;
  /** Told of every line as it comes. */
  readonly onLine?: (line: string) => void;
  /** A terminal: given what is told of each key. */
  readonly onTerminal?: (press: (key: string) => void) => void;
}

/** Runs `tsop ...argv` in `cwd`. */
export async function runCli(
  cwd: string,
  argv: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await main(argv, {
    ...testContext(cwd),
    env: { PATH: process.env["PATH"], HOME: cwd, ...options.env },
    out: (line) => {
      out.push(line);
      options.onLine?.(line);
    },
    err: (line) => {
      err.push(line);
      options.onLine?.(line);
    },
    ...(options.onTerminal && {
      keys: (onKey) => {
        options.onTerminal?.(onKey);
        return () => undefined;
      },
    }),
    untilInterrupted: () => options.signal ?? new AbortController().signal,
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

/** A context that nobody watches and nobody interrupts. */
export function testContext(cwd = "."): CliContext {
  return {
    cwd,
    env: {},
    interactive: false,
    color: false,
    clock: systemClock,
    out: () => undefined,
    err: () => undefined,
    detail: () => undefined,
    doing: () => undefined,
    untilInterrupted: () => new AbortController().signal,
  };
}

/** An empty folder, removed when the test is over. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tsop-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What tsop keeps of its own in a project and is committed with it: what it scaffolded. */
const RECORD = join(".tsop", "scaffold.json");

/** Every file below a folder with its content; links, packages and what is not committed are left out. */
export function filesIn(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (path.startsWith("node_modules")) continue;
    if (path.startsWith(".tsop") && path !== RECORD) continue;
    const full = join(folder, path);
    if (statSync(full).isFile()) files[path] = readFileSync(full, "utf8");
  }
  return files;
}

/** A fresh project in an empty folder. */
export async function newProject(...flags: string[]): Promise<string> {
  const folder = emptyFolder();
  const argv = ["init", "--domain", "example.com", "--project-name", "shop", "--no-install"];
  const { code, err } = await runCli(folder, [...argv, ...flags]);
  if (code !== 0) throw new Error(err);
  return folder;
}
