/** The command tree: names, flags, help. What a command does is loaded when it runs. */
import { Command, CommanderError, Help, Option } from "commander";
import { processContext, type CliContext } from "./context.ts";
import { addHelp, commandTable } from "./help.ts";
import { addKubebuilderWords, addOtherExtensions } from "./absent-commands.ts";
import { addClusterCommands, addWhy } from "./cluster-commands.ts";
import {
  collect,
  DIFF,
  DRY_RUN,
  json,
  timeout,
  withCluster,
  type Done,
} from "./command-options.ts";
import { addPackageCommands } from "./package-commands.ts";
import { Loudness } from "./loudness.ts";
import { packageVersion } from "./package-info.ts";
import { addCreatePlugin } from "./plugin-commands.ts";
import { addChangingCommands, addDeleteCommands, addLookingCommands } from "./project-commands.ts";
import { addTellingCommands } from "./telling-commands.ts";
import { addCreateController, addWebhookCommands } from "./webhook-commands.ts";

/** Parses `argv`, runs the command and turns every result into an exit code. */
export async function runProgram(
  argv: readonly string[],
  context: CliContext = processContext(),
): Promise<number> {
  let code = 0;
  const loudness = new Loudness(context);
  const done = (result: number): void => {
    code = result;
  };
  const program = buildProgram(context, done, loudness);
  try {
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync(withKnownHelp(program, argv), { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { reportError } = await import("./output.ts");
    return reportError(error, loudness.context);
  } finally {
    context.doing(undefined);
  }
}

/**
 * `help create api` as `create api --help`. Where there is no such command, the words alone: that is an error, which
 * names the nearest one.
 */
function withKnownHelp(program: Command, argv: readonly string[]): readonly string[] {
  const isHelpWord = argv[0] === "help" && argv.length > 1;
  if (!isHelpWord && !argv.some((word) => word === "--help" || word === "-h")) return argv;
  const end = argv.findIndex((word) => word.startsWith("-"));
  const words = argv.slice(isHelpWord ? 1 : 0, end === -1 ? argv.length : end);
  let command = program;
  for (const [index, word] of words.entries()) {
    const next = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (!next && command.commands.length > 0) return words.slice(0, index + 1);
    command = next ?? command;
  }
  return isHelpWord ? [...words, "--help"] : argv;
}

/** The tree with all its flags; `completion` and the documentation read it too. */
export function buildProgram(
  context: CliContext,
  done: (code: number) => void,
  loudness = new Loudness(context),
): Command {
  const program = new Command("tsop")
    .description("Kubernetes operators in TypeScript, with the control plane in the box.")
    .version(packageVersion(), "-V, --version", "print the version")
    .showSuggestionAfterError(true)
    .showHelpAfterError("(`--help` after the command shows what it takes)")
    .configureHelp({
      // "default: false" adds nothing to the flag.
      optionDescription: (option) =>
        new Help().optionDescription(option).replace(/ \(default: (false|\[\]|"")\)$/, ""),
    })
    .enablePositionalOptions() // `create api --version` is not the program's `--version`
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out(text.replace(/\n$/, "")),
      writeErr: (text) => context.err(text.replace(/\n$/, "")),
    });
  addProjectCommands(program, loudness.context, done);
  addClusterCommands(program, loudness.context, done);
  addOtherCommands(program, loudness.context, done);
  loudness.addTo(program);
  addHelp(program);
  return program;
}

function addProjectCommands(program: Command, context: CliContext, done: Done): void {
  program
    .command("init")
    .summary("start a project")
    .description("Start a project in this folder, or in a new one.")
    .argument("[folder]", "the project's folder; it is made when it is not there", ".")
    .option("--domain <domain>", "what the API groups of your kinds end in, such as example.com")
    .option("--project-name <name>", "prefix of everything that is deployed (default: the folder)")
    .option(
      "--owner <name>",
      "who has the copyright; goes to package.json, and to LICENSE where it is named there",
    )
    .addOption(
      new Option("--license <id>", "licence of your code: LICENSE and package.json")
        .choices(["apache2", "mit", "none"])
        .default("apache2"),
    )
    .option("--namespaced", "the operator watches its own namespace only", false)
    .option("--dev-container", "a container for editors: Node, kubectl and helm", false)
    .option("--force", "overwrite files that are in the way", false)
    .option("--no-install", "do not run npm install")
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .action(async (folder: string, options: object) => {
      const { init } = await import("./commands/init.ts");
      const commands = commandTable(program);
      done(await init({ folder, commands, ...options } as Parameters<typeof init>[0], context));
    });

  const create = program
    .command("create")
    .summary("add to a project")
    .description("Add to a project.");
  create
    .command("api")
    .summary("add a kind")
    .description("Add a kind: its type, its controller, a test, a sample and its roles.")
    .option("--group <group>", "the API group without the domain, such as web", "")
    .option("--version <version>", "the API version, such as v1 or v1beta1")
    .option("--kind <Kind>", "the name of the kind, such as MyWeb")
    .option("--plural <plural>", "its name in URLs (default: by the English rules)")
    .addOption(
      new Option(
        "--scope <scope>",
        "whether its objects are in namespaces or of the cluster (default: Namespaced, or that of the kind's other versions)",
      ).choices(["Namespaced", "Cluster"]),
    )
    // kubebuilder's users write --namespaced=false.
    .addOption(new Option("--namespaced [flag]").choices(["true", "false"]).hideHelp())
    .addOption(
      new Option(
        "--user-roles <how>",
        "roles for the kind's users: to be bound by the cluster's admins, or aggregated to the cluster's admin, edit and view",
      )
        .choices(["separate", "aggregated", "none"])
        .default("separate"),
    )
    .option(
      "--image <image>",
      "start from an image: a spec with image and replicas, and a controller that runs it in a Deployment",
    )
    .option("--field <name:type[?][=default]>", "a field of the spec; may be repeated", collect, [])
    // kubebuilder's users write them out.
    .addOption(new Option("--controller").default(true).hideHelp())
    .addOption(new Option("--resource").default(true).hideHelp())
    .option("--no-controller", "only the type")
    .option(
      "--no-resource",
      "only the controller: of a class that is there, or of a kind of Kubernetes (--group apps)",
    )
    .option(
      "--external-api-domain <domain>",
      "with --no-resource: what the group ends in, where the CRD is somebody else's",
    )
    .option(
      "--external-api-path <file>",
      "with --no-resource: the file of the class, such as src/api/v1/certificate.ts",
    )
    .addOption(new Option("--external-api-module <module>").hideHelp())
    .option("--force", "overwrite the kind's files", false)
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .action(async (options: object) => {
      const { createApi } = await import("./commands/create-api.ts");
      done(await createApi(options as Parameters<typeof createApi>[0], context));
    });

  addCreateController(create, context, done);
  addWebhookCommands(create, context, done);
  addCreatePlugin(create, context, done);
  addOtherExtensions(create);
  addChangingCommands(program, context, done);
  addDeleteCommands(program, context, done);
  addLookingCommands(program, context, done);
  addKubebuilderWords(program);

  withCluster(program.command("manifests"))
    .summary("generate CRDs and roles from the code")
    .description("Generate CRDs, the operator's role and their kustomizations from the code.")
    .option("--check", "write nothing; exit with 3 when something would change", false)
    .option("--watch", "run again on every save", false)
    .option(
      "--against <state>",
      "compare with `cluster`, a file or folder, or a git revision; exit with 3 on a breaking change",
    )
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .addOption(json().conflicts("watch"))
    .action(async (options: object) => {
      const { manifests } = await import("./commands/manifests.ts");
      done(await manifests(options as Parameters<typeof manifests>[0], context));
    });

  withCluster(program.command("import"))
    .summary("turn CRDs into classes")
    .description("Write decorated classes from which `tsop manifests` makes the same CRDs again.")
    .argument(
      "<from>",
      "a YAML or JSON file or a folder of them, a URL, `-` for standard input, or `cluster`",
    )
    .option("--only <name>", "only this CRD or kind; may be repeated", collect, [])
    .addOption(
      new Option(
        "--external",
        "the CRDs are somebody else's: types only (default: outside of the project's domain)",
      ).conflicts("own"),
    )
    .option("--own", "the CRDs are this project's: generate and deploy them")
    .option("--force", "overwrite files that are there", false)
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .addOption(timeout("how long to wait for a URL or a cluster", 60))
    .action(async (from: string, options: object) => {
      const { importCrds } = await import("./commands/import.ts");
      done(await importCrds(from, options as Parameters<typeof importCrds>[1], context));
    });

  addPackageCommands(program, context, done);

  program
    .command("build")
    .summary("bundle the operator into one file, and each plugin of kubectl into another")
    .description(
      "Bundle the operator with all that it needs into dist/main.mjs, and each plugin of kubectl into a program in dist/plugins.",
    )
    .option("--dry-run", DRY_RUN, false)
    .action(async (options: { dryRun: boolean }) => {
      const { build } = await import("./commands/build.ts");
      done(await build(options, context));
    });
}

function addOtherCommands(program: Command, context: CliContext, done: Done): void {
  addWhy(program, context, done);
  program
    .command("replay")
    .summary("replay a recorded reconcile")
    .description(
      "Replay one recorded reconcile with the present code, without a cluster, and print which writes differ. `tsop dev` saves reconciles that fail in .tsop/dev/recordings.",
    )
    .argument("<file>", "the recording")
    .option("--inspect-brk [address]", "wait for a debugger at the first line", false)
    .addOption(json())
    .action(async (file: string, options: object) => {
      const { replay } = await import("./commands/replay.ts");
      done(await replay(file, options as Parameters<typeof replay>[1], context));
    });
  const port = new Option("--port <port>", "port of the API server; 0 takes a free one")
    .argParser(Number)
    .default(0);
  program
    .command("dev")
    .summary("control plane and operator, reloaded on save")
    .description(
      "Start a control plane, install the CRDs, run the operator with the rights of its generated role, and reload on save.",
    )
    .argument("[arguments...]", "arguments of the operator, after `--`")
    .addOption(port)
    .addOption(
      new Option("--once", "start, wait until the operator is up, stop")
        .default(false)
        .conflicts("inspectBrk"),
    )
    .option(
      "--inspect-brk [address]",
      "each operator waits for a debugger at its first line",
      false,
    )
    .option("--samples", "apply config/samples at the start", false)
    .option("--no-types", "do not run the project's TypeScript compiler beside the operator")
    .action(async (args: string[], options: object) => {
      const { dev } = await import("./commands/dev.ts");
      done(await dev({ args, ...(options as Omit<Parameters<typeof dev>[0], "args">) }, context));
    });
  program
    .command("cluster")
    .summary("the control plane alone")
    .description("Run a Kubernetes API in the foreground, for any client in any language.")
    .addOption(port)
    .option("--kubeconfig <file>", "where to write the kubeconfig", ".tsop/kubeconfig")
    .addOption(
      new Option("--controllers <which>", "the simulated controllers")
        .choices(["on", "off", "no-kubelet"])
        .default("on"),
    )
    .addOption(
      new Option(
        "--disable-admission-plugins <names>",
        "admission plugins to turn off, such as ServiceAccount; separated by commas",
      ).argParser((names, before: readonly string[] | undefined) => [
        ...(before ?? []),
        ...names.split(","),
      ]),
    )
    .option("--data-dir <folder>", "keep the objects there over restarts (default: in memory)")
    .addOption(new Option("--nodes <count>", "how many nodes").argParser(Number).default(1))
    .option("--json", "print one JSON object when ready, for programs", false)
    .action(async (options: object) => {
      const { cluster } = await import("./commands/cluster.ts");
      done(await cluster(options as Parameters<typeof cluster>[0], context));
    });
  addTellingCommands(program, context, done);
}
