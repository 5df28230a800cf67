/** The commands that make packages of an operator. */
import type { Command } from "commander";
import { DIFF, DRY_RUN, json, type Done } from "./command-options.ts";
import { UsageError } from "../errors.ts";
import type { CliContext } from "./context.ts";
import { addKrew } from "./plugin-commands.ts";

/** Adds `chart`, `bundle`, `generate client`, `krew` and `image`. */
export function addPackageCommands(program: Command, context: CliContext, done: Done): void {
  written(
    program
      .command("chart")
      .summary("write a Helm chart")
      .description(
        "Write a Helm chart of the objects that config/default renders. What you change in it is kept.",
      )
      .option("--image <image>", "the operator's image, as the chart's default value")
      .option("--chart-version <version>", "the chart's version (default: that of package.json)"),
    "chart",
  ).action(async (options: object) => {
    const { chart } = await import("./commands/packages/chart.ts");
    done(await chart(options as Parameters<typeof chart>[0], context));
  });

  written(
    program
      .command("bundle")
      .summary("write a bundle for OLM")
      .description(
        "Write a bundle for the Operator Lifecycle Manager of the objects that config/default renders. What you change in it is kept.",
      )
      .option("--image <image>", "the operator's image (default: what config/manager says)")
      .option("--version <version>", "the bundle's version (default: that of package.json)")
      .option("--channels <channels>", "the channels that it is in, separated by commas", "alpha")
      .option(
        "--default-channel <channel>",
        "the channel of subscriptions that name none (default: the first)",
      )
      .option("--replaces <version>", "the version that it follows")
      .option("--maturity <word>", "such as alpha, beta or stable")
      .option("--description <text>", "what a catalogue shows (default: that of package.json)")
      .option("--icon <file>", "a picture for a catalogue"),
    "bundle",
  ).action(async (options: object) => {
    const { bundle } = await import("./commands/packages/bundle.ts");
    done(await bundle(options as Parameters<typeof bundle>[0], context));
  });

  const generate = program
    .command("generate")
    .summary("write code for others")
    .description("Write code for others.")
    .argument("[words...]")
    .allowUnknownOption()
    .action(() => {
      throw new UsageError(
        "no-generate",
        "`tsop generate` alone writes nothing: classes need no generated code.",
        "For CRDs and roles, run `tsop manifests`; for a client package, `tsop generate client`.",
      );
    });
  written(
    generate
      .command("client")
      .summary("write a client package")
      .description(
        "Write an npm package with the project's kinds as types and tokens, for other programs to use with tsop's client. What you change in it is kept.",
      )
      .option(
        "--name <name>",
        "the package's name (default: the one it has, or the project's with -client)",
      ),
    "client",
  ).action(async (options: object) => {
    const { generateClient } = await import("./commands/packages/generate-client.ts");
    done(await generateClient(options as Parameters<typeof generateClient>[0], context));
  });

  addKrew(program, context, done);

  program
    .command("image")
    .summary("build the operator's image")
    .description(
      "Build the operator's image: by docker or podman, or without them on a base that is there as an OCI layout.",
    )
    .requiredOption("--image <image>", "its name, such as registry.example.com/web-operator:0.1.0")
    .option("--base <path>", "an OCI layout of an image with Node, as a folder or a tar")
    .option("--output <file>", "with --base: the archive to write", "dist/image.tar")
    .option(
      "--platform <platforms>",
      "without --base: the platforms that it runs on, separated by commas",
    )
    .option("--dry-run", "say what would be built, build nothing", false)
    .action(async (options: object) => {
      const { image } = await import("./commands/packages/image.ts");
      done(await image(options as Parameters<typeof image>[0], context));
    });
}

/** The flags of all packages that are folders of the project. */
function written(command: Command, what: string): Command {
  return command
    .option("--output-dir <folder>", `the ${what}'s folder in the project`, what)
    .option("--check", "write nothing; exit with 3 when something would change", false)
    .option("--force", "write files again that you changed", false)
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .addOption(json());
}
