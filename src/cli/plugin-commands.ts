/** The commands of plugins of kubectl in the command tree. */
import type { Command } from "commander";
import { DIFF, DRY_RUN, type Done } from "./command-options.ts";
import type { CliContext } from "./context.ts";

/** Adds `create plugin`. */
export function addCreatePlugin(create: Command, context: CliContext, done: Done): void {
  create
    .command("plugin")
    .summary("add a plugin of kubectl")
    .description(
      "Add a plugin of kubectl and its test: a command that lists and describes the objects of a kind, for you to go on with.",
    )
    .argument("<name>", "its name after `kubectl`, such as webs")
    .option(
      "--group <group>",
      "the API group of the kind, of the project's kinds without the domain",
    )
    .option("--version <version>", "the API version, such as v1")
    .option("--kind <Kind>", "the kind that it shows (default: the project's, where it has one)")
    .option("--force", "overwrite the plugin's files", false)
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .action(async (name: string, options: object) => {
      const { createPlugin } = await import("./commands/plugins/create-plugin.ts");
      done(await createPlugin(name, options as Parameters<typeof createPlugin>[1], context));
    });
}

/** Adds `delete plugin`. */
export function addDeletePlugin(remove: Command, context: CliContext, done: Done): void {
  remove
    .command("plugin")
    .summary("delete a plugin of kubectl")
    .description("Delete a plugin of kubectl and its test; the kind that it shows stays.")
    .argument("<name>", "its name after `kubectl`")
    .option("--force", "delete files that you changed or that others import, too", false)
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .action(async (name: string, options: object) => {
      const { deletePlugin } = await import("./commands/plugins/delete-plugin.ts");
      done(await deletePlugin(name, options as Parameters<typeof deletePlugin>[1], context));
    });
}

/** Adds `krew`. */
export function addKrew(program: Command, context: CliContext, done: Done): void {
  program
    .command("krew")
    .summary("write a krew manifest of a plugin of kubectl")
    .description(
      "Build a plugin of kubectl, and write the archive that krew downloads and the manifest for krew's index.",
    )
    .argument("[name]", "the plugin (default: the project's, where it has one)")
    .option(
      "--uri <url>",
      "where the archive will be (default: the release of this version in the GitHub repository of package.json)",
    )
    .option("--homepage <url>", "the plugin's page (default: that of package.json)")
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .action(async (name: string | undefined, options: object) => {
      const { krew } = await import("./commands/plugins/krew.ts");
      done(await krew(name, options, context));
    });
}
