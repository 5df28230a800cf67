import { describe, expect, it } from "vitest";
import { COMMAND_TREE } from "../../src/cli/commands/command-tree.ts";
import type { CommandNode } from "../../src/cli/command-node.ts";
import type { AnyCommand } from "../../src/cli/command.ts";
import { commandsBelow, ENVIRONMENT, EXIT_CODES } from "../../src/cli/help.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { emptyFolder, runCli, testContext } from "./support/run-cli.ts";

const program = buildProgram(testContext(), () => undefined);

/** What each command is declared with, by its words. */
const TEXTS = new Map(COMMAND_TREE.flatMap(({ commands }) => textsOf(commands)));

function textsOf(nodes: readonly CommandNode[], path = ""): [string, CommandNode["texts"]][] {
  return nodes.flatMap(({ texts, children }): [string, CommandNode["texts"]][] => {
    const words = `${path} ${texts.name}`.trim();
    return children.length > 0 ? textsOf(children, words) : [[words, texts]];
  });
}

/** `make` targets and commands of kubebuilder, and ours. */
const FROM_KUBEBUILDER = [
  ["`kubebuilder init --domain D --repo R`", "`tsop init --domain D`"],
  ["`kubebuilder create api --group G --version V --kind K`", "the same; fields with `--field`"],
  ["`--resource=false`, `--controller=false`", "`--no-resource`, `--no-controller`"],
  ["`kubebuilder create webhook`", "`tsop create webhook`, with the same flags"],
  ["taking the files of a kind out by hand", "`tsop delete api`, `controller` or `webhook`"],
  ["`kubebuilder edit`", "edit `PROJECT` and `config/`; commands keep what you wrote"],
  ["`make manifests`, `make generate`", "`tsop manifests`; classes need no generated code"],
  ["`make install`, `make uninstall`", "`tsop install`, `tsop uninstall`"],
  ["`make run`", "`tsop run`, or `tsop dev` with a control plane and reload"],
  ["`make deploy IMG=I`, `make undeploy`", "`tsop deploy --image I`, `tsop undeploy`"],
  ["`make build-installer`", "`tsop deploy --image I --render > install.yaml`"],
  ["`make test`, envtest", "`npm test`, `startControlPlane()` of `tsop/testing`"],
  ["kind, minikube for trying out", "`tsop cluster`, for any client"],
];

/** The page, from the commands themselves. */
function page(): string {
  const parts = commandsBelow(program)
    .filter(({ command }) => command.commands.length === 0)
    .map(({ path, command }) => section(path, command));
  return `# Commands of tsop

Written from the commands themselves by \`npx vitest run test/cli/reference.test.ts -u\`; not by hand.

${table(["exit code", "means"], Object.entries(EXIT_CODES))}
${table(
  ["variable", "what for"],
  Object.entries(ENVIRONMENT).map(([name, text]) => [`\`${name}\``, text]),
)}
${parts.join("\n")}
## Coming from kubebuilder

${table(["kubebuilder", "tsop"], FROM_KUBEBUILDER)}`;
}

function section(path: string, command: AnyCommand): string {
  const help = command.createHelp();
  const rows = [
    ...help
      .visibleArguments(command)
      .map((argument) => [argument.name(), help.argumentDescription(argument)]),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== "--help")
      .map((option) => [option.flags, help.optionDescription(option)]),
  ].map(([name = "", text = ""]) => [`\`${name}\``, text]);
  const { examples = [], notes = [] } = TEXTS.get(path) ?? {};
  return [
    `## tsop ${path}\n`,
    `${command.description()}\n`,
    `\`tsop ${`${path} ${command.usage()}`.trim()}\`\n`,
    ...(rows.length > 0 ? [table(["argument or flag", "what for"], rows)] : []),
    ...notes.map((note) => `${note}\n`),
    ...(examples.length > 0 ? ["```sh", ...examples, "```\n"] : []),
  ].join("\n");
}

/** A table as the formatter writes it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`,
  );
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return `${[lines[0], rule, ...lines.slice(1)].join("\n")}\n`;
}

describe("the reference of commands", () => {
  it("says what the commands say", async () => {
    await expect(page()).toMatchFileSnapshot("../../docs/cli.md");
  });

  it("has an example for every command, and each example parses", async () => {
    for (const { path, command } of commandsBelow(program)) {
      if (command.commands.length > 0) continue;
      const { examples = [] } = TEXTS.get(path) ?? {};
      expect([path, examples.length]).not.toEqual([path, 0]);
      const { out } = await runCli(emptyFolder(), [...path.split(" "), "--help"]);
      for (const line of examples) expect(out).toContain(`  ${line}`);
      const known = command.options.flatMap(({ long, short }) => [long, short]);
      for (const flag of examples.flatMap(
        (line) => line.split(" -- ")[0]?.match(/ --[a-z-]+/g) ?? [],
      )) {
        expect(known, `${path}${flag}`).toContain(flag.trim());
      }
    }
  });

  it("describes a flag as a lowercase fragment of less than 70 characters, and a command as sentences", () => {
    for (const { path, command } of commandsBelow(program)) {
      expect([path, command.description()]).toEqual([path, expect.stringMatching(/^[A-Z].*\.$/s)]);
      if (command.commands.length > 0) continue;
      const options = command.createHelp().visibleOptions(command);
      const described = [...command.registeredArguments, ...options];
      for (const { description } of described) {
        // An abbreviation such as API, and a kind such as ClusterRole, keep their capitals.
        expect([path, description]).toEqual([
          path,
          expect.stringMatching(/^(?!(?:the|its|an?) )(?=[a-z]|[A-Z]\w*[A-Z]).{3,68}[^.]$/),
        ]);
      }
    }
  });
});

describe("a user of kubebuilder", () => {
  it.each([
    [["generate"], "no-generate", "tsop manifests"],
    [["alpha", "generate"], "no-alpha", "npm"],
  ])("is told what to do instead of %j", async (argv, code, fix) => {
    const result = await runCli(emptyFolder(), argv);
    expect([result.code, result.err]).toEqual([2, expect.stringContaining(code)]);
    expect(result.err).toContain(fix);
  });
});
