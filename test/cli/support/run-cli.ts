/** Runs commands in the test's own process, in folders that go away afterwards. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";
import type { CliContext } from "../../../src/cli/context.ts";
import { main } from "../../../src/cli/main.ts";
import { terminalLine } from "../../../src/cli/terminal-text.ts";
import { type Clock, systemClock } from "../../../src/clock.ts";

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
  /** The machine's own when absent. */
  readonly clock?: Clock;
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
    ...(options.clock && { clock: options.clock }),
    env: { PATH: process.env["PATH"], HOME: cwd, ...options.env },
    out: (text) => {
      const line = terminalLine(text);
      out.push(line);
      options.onLine?.(line);
    },
    err: (text) => {
      const line = terminalLine(text);
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
  for (const path of pathsIn(folder)) {
    if (path.startsWith("node_modules")) continue;
    if (path.startsWith(".tsop") && path !== RECORD) continue;
    const full = join(folder, path);
    if (statSync(full).isFile()) files[path] = readFileSync(full, "utf8");
  }
  return files;
}

/** The paths of all that is below a folder, in order. With file types, the links in it are not followed. */
function pathsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
}

/** A fresh project in an empty folder: what `tsop init` makes of the flags. */
export function newProject(...flags: string[]): Promise<string> {
  return projectAfter([], ...flags);
}

/**
 * A project after some commands, each of which succeeds. Commands before the one that is tested run
 * once for all tests of a worker: each test gets its own copy of what they left.
 */
export async function projectAfter(
  commands: readonly (readonly string[])[],
  ...flags: string[]
): Promise<string> {
  const key = JSON.stringify([flags, commands]);
  const folder = emptyFolder();
  const known = prepared.get(key);
  if (known) {
    write(folder, known);
    return folder;
  }
  const argv = commands.at(-1);
  if (argv === undefined) {
    await succeed(folder, ["init", ...OF_EVERY_PROJECT, ...flags]);
    prepared.set(key, read(folder));
    return folder;
  }
  const root = await projectAfter(commands.slice(0, -1), ...flags);
  await succeed(root, argv);
  prepared.set(key, read(root));
  return root;
}

const OF_EVERY_PROJECT = ["--domain", "example.com", "--project-name", "shop", "--no-install"];

/** The files of a folder by their paths; a folder has none. */
type Tree = ReadonlyMap<string, Buffer | undefined>;

const prepared = new Map<string, Tree>();

async function succeed(root: string, argv: readonly string[]): Promise<void> {
  const { code, err } = await runCli(root, argv);
  if (code !== 0) throw new Error(`tsop ${argv.join(" ")}: ${err}`);
}

function read(root: string): Tree {
  return new Map(
    pathsIn(root).map((path) => {
      const full = join(root, path);
      return [path, statSync(full).isFile() ? readFileSync(full) : undefined];
    }),
  );
}

function write(root: string, tree: Tree): void {
  for (const [path, content] of tree) {
    if (content) writeFileSync(join(root, path), content);
    else mkdirSync(join(root, path));
  }
}
