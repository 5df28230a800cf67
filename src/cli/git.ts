/**
 * Every call of git. A cloned repository can contain any file, but none called `.git`: only a repository in such a folder
 * is the user's. Git itself would also take a folder with the files of a bare repository for one, and run the programs
 * that its config names.
 */
import { existsSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { CliContext } from "./context.ts";
import { runToEnd } from "./processes.ts";
import { foldersUp } from "./project/project-root.ts";

/** The settings that keep git from starting another program. They win over every config file. */
const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ["safe.bareRepository", "explicit"],
  ["protocol.ext.allow", "never"],
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
];

/** The environment with settings that keep git from starting programs: they count as if they were given on the command line. */
export function withoutPrograms(env: CliContext["env"]): CliContext["env"] {
  const before = Number(env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const added: Record<string, string> = { GIT_CONFIG_COUNT: String(before + SETTINGS.length) };
  for (const [index, [key, value]] of SETTINGS.entries()) {
    added[`GIT_CONFIG_KEY_${before + index}`] = key;
    added[`GIT_CONFIG_VALUE_${before + index}`] = value;
  }
  return { ...env, ...added };
}

/** The repository of a folder. */
export class GitRepository {
  readonly #cwd: string;
  readonly #env: CliContext["env"];
  readonly #context: CliContext;
  /** The path of the folder in the repository: empty, or with a slash at its end. */
  readonly prefix: string;

  private constructor(
    { cwd, prefix, env }: { cwd: string; prefix: string; env: CliContext["env"] },
    context: CliContext,
  ) {
    this.#cwd = cwd;
    this.prefix = prefix;
    this.#env = env;
    this.#context = context;
  }

  /** The nearest repository of `folder`, or that of `GIT_DIR`. If there is none, each call fails as git fails outside a repository. */
  static of(folder: string, context: CliContext): GitRepository {
    // Objects that a partial clone lacks are not fetched: a fetch starts programs.
    const safe = { GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0" };
    const env = withoutPrograms({ ...context.env, ...safe });
    const real = realpathSync(folder);
    if (context.env["GIT_DIR"] !== undefined)
      return new GitRepository({ cwd: real, prefix: "", env }, context);
    const top = [...foldersUp(real)].find((one) => existsSync(join(one, ".git")));
    if (top === undefined) {
      const outside = { ...env, GIT_DIR: join(real, ".git") };
      return new GitRepository({ cwd: real, prefix: "", env: outside }, context);
    }
    // Git looks for `.git` in its folder first; a `--git-dir` would skip its check of the owner.
    const path = relative(top, real).replaceAll("\\", "/");
    return new GitRepository({ cwd: top, prefix: path === "" ? "" : `${path}/`, env }, context);
  }

  /** The output of a call of the plumbing, which knows no filters, textconv or signatures. @throws as `runToEnd` */
  run(...args: readonly string[]): Promise<string> {
    const call = { program: "git", args, cwd: this.#cwd, env: this.#env };
    return runToEnd(call, { context: this.#context });
  }
}
