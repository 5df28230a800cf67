/**
 * What the pages tell their readers to type exists: commands and flags of `tsop` as the program itself parses them,
 * scripts of npm, verbs of kubectl, files that node is to run.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { sitePages } from "../../scripts/make/site/pages.ts";
import type { AnyCommand } from "../../src/cli/command.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { KUBECTL_COMMANDS } from "../../src/cli/project/plugins/plugin-names.ts";
import { testContext } from "../cli/support/run-cli.ts";
import { commandsIn, commandsOf } from "./support/shell-lines.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** Plugins: the one of the pages, and krew. */
const PLUGINS = ["webs", "krew"];
const NPM = ["ci", "install", "i", "test", "cit", "pack", "publish", "run", "link", "ls", "audit"];
/** What the pages use and nobody here can check. */
const OTHERS = ["cd", "git", "export", "source", "helm", "crane", "docker", "kind", "curl"];

const PROGRAMS = ["tsop", "npx tsop", "npm run", "kubectl"];

/** The page of errors shows what the program refuses, and says why. */
const REFUSED = ["tsop generate"];
/** A sentence names a command, and may leave out what the command takes. */
const LEFT_OUT =
  /^commander\.(?:optionMissingArgument|missingMandatoryOptionValue|missingArgument|help)$/;

/** What is wrong with a command; `undefined` when nothing is. */
function problemOf(
  words: readonly string[],
  scripts: readonly string[],
  isNamed = false,
): string | undefined {
  const [program = "", ...args] = words;
  switch (program) {
    case "npx":
      return problemOf(args, scripts, isNamed);
    case "tsop":
      return problemOfTsop(args, isNamed);
    case "npm":
      if (args[0] === "run" && !scripts.includes(args[1] ?? "")) return `no script ${args[1]}`;
      return NPM.includes(args[0] ?? "") ? undefined : `no npm ${args[0]}`;
    case "kubectl":
      return problemOfKubectl(args);
    case "node": {
      const file = args.find((word) => /\.(?:ts|mjs|js)$/.test(word) && !/^[A-Z]/.test(word));
      return file === undefined || existsSync(join(root, file)) ? undefined : `no file ${file}`;
    }
    default:
      return OTHERS.includes(program) || LOCAL.includes(program)
        ? undefined
        : `what is ${program}?`;
  }
}

/** Programs that `npm install` brings. */
const LOCAL = ["vitest", "tsc", "eslint"];

/** The arguments as the program itself takes them, with no command run. */
function problemOfTsop(args: readonly string[], isNamed: boolean): string | undefined {
  const given = isNamed ? args.filter((word) => word !== "...") : args;
  let told = "";
  const context = { ...testContext(), out: () => undefined, err: (text: string) => (told += text) };
  const program = buildProgram(context, () => undefined);
  const inert = (command: AnyCommand): void => {
    command.exitOverride();
    if (command.commands.length === 0) command.action(() => undefined);
    else command.commands.forEach(inert);
  };
  inert(program);
  try {
    program.parse([...given], { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const isLeftOut = LEFT_OUT.test(error.code) || error.message.includes("value '<");
    if (error.exitCode === 0 || (isNamed && isLeftOut)) return undefined;
    return `${error.message} ${told}`;
  }
}

function problemOfKubectl(args: readonly string[]): string | undefined {
  const withValue = /^(?:-n|--namespace|--kubeconfig|--context)$/;
  const verb = args.find(
    (word, at) => !word.startsWith("-") && !withValue.test(args[at - 1] ?? ""),
  );
  const isKnown = KUBECTL_COMMANDS.has(verb ?? "") || PLUGINS.includes(verb ?? "");
  return isKnown ? undefined : `no kubectl ${verb}`;
}

/** The scripts that a reader of a page has: of the repository, of a project, of the examples that the page names. */
function scriptsFor(page: string): string[] {
  const named = `${page}\n${textOf(page)}`.matchAll(/\bexamples\/([\w-]+)/g);
  const manifests = [
    "package.json",
    "templates/init/package.json.hbs",
    ...[...named].map(([, name = ""]) => `examples/${name}/package.json`),
  ];
  return manifests.filter((path) => existsSync(join(root, path))).flatMap(scriptsOf);
}

function scriptsOf(manifest: string): string[] {
  const [, block = ""] = /"scripts": \{([^}]*)\}/.exec(textOf(manifest)) ?? [];
  return [...block.matchAll(/"([\w:-]+)":/g)].map(([, name = ""]) => name);
}

describe("what the pages tell their readers to type", () => {
  it.each(sitePages(root))("exists: %s", (page) => {
    const scripts = scriptsFor(page);
    const problems = commandsIn(textOf(page), PROGRAMS).flatMap(({ words, line, isNamed }) => {
      if (REFUSED.includes(words.join(" "))) return [];
      const problem = problemOf(words, scripts, isNamed);
      return problem === undefined ? [] : [`${page}:${line} ${words.join(" ")}: ${problem}`];
    });
    expect(problems).toEqual([]);
  });

  it.each([
    ["tsop deploy --image x --imag y", "unknown option"],
    ["npx tsop create thing", "unknown command"],
    ["npx tsop explain", "missing required argument"],
    ["npm run no-such-script", "no script"],
    ["kubectl -n web gets pods", "no kubectl gets"],
    ["node scripts/no-such-file.ts", "no file"],
    ["tsopp dev", "what is"],
  ])("would be refused where it does not: %s", (line, problem) => {
    expect(commandsOf(line).map((words) => problemOf(words, []))).toEqual([
      expect.stringContaining(problem),
    ]);
  });

  it("is read as a shell reads it", () => {
    expect(
      commandsOf(`A=1 tsop x --field 'port:int?' > a.yaml && kubectl apply -f - # twice`),
    ).toEqual([
      ["tsop", "x", "--field", "port:int?"],
      ["kubectl", "apply", "-f", "-"],
    ]);
  });
});
