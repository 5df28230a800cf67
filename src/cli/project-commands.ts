/** The commands that take something out of a project, or look at one. */
import { type Command, Option } from "commander";
import { DIFF, DRY_RUN, json, type Done } from "./command-options.ts";
import type { DeletedThing } from "./commands/delete.ts";
import type { CliContext } from "./context.ts";
import { commandTable } from "./help.ts";
import { addDeletePlugin } from "./plugin-commands.ts";
import { PARTS } from "./project/part-names.ts";
import { certificatesOption } from "./webhook-commands.ts";

const versions = (value: string, earlier: readonly string[]): readonly string[] => [
  ...earlier,
  ...value.split(",").filter((version) => version !== ""),
];

/** Adds `delete`. */
export function addDeleteCommands(program: Command, context: CliContext, done: Done): void {
  const remove = program
    .command("delete")
    .summary("remove from a project")
    .description("Take out of a project what `tsop create` added, and nothing else.");
  const add = (thing: DeletedThing, summary: string, description: string): Command =>
    remove
      .command(thing)
      .summary(summary)
      .description(description)
      .option("--group <group>", "the API group, with or without the domain", "")
      .option("--version <version>", "the API version, such as v1")
      .option("--kind <Kind>", "the name of the kind, such as MyWeb")
      .option("--force", "delete files that you changed or that others import, too", false)
      .option("--dry-run", DRY_RUN, false)
      .option("--diff", DIFF, false)
      .action(async (options: object) => {
        const { deleteFrom } = await import("./commands/delete.ts");
        done(await deleteFrom(thing, options as Parameters<typeof deleteFrom>[1], context));
      });
  add(
    "api",
    "delete a version of a kind",
    "Delete a version of a kind: its type, controller, webhooks, tests, sample and roles.",
  );
  add(
    "controller",
    "delete the controller of a kind",
    "Delete the controller of a kind and its test; the kind stays.",
  );
  add(
    "webhook",
    "delete the webhooks of a kind",
    "Delete the webhooks of a kind and their tests: all of them, or those of the types given.",
  )
    .option("--defaulting", "only the defaulter", false)
    .option("--validation", "only the validator", false)
    .option("--conversion", "only the converters", false)
    .option(
      "--spoke <versions>",
      "only the converters of these versions, separated by commas",
      versions,
      [],
    );
  addDeletePlugin(remove, context, done);
}

const parts = (value: string, earlier: readonly string[]): readonly string[] => [
  ...earlier,
  ...value.split(",").filter((part) => part !== ""),
];

/** Adds `edit` and `upgrade`. */
export function addChangingCommands(program: Command, context: CliContext, done: Done): void {
  const known = PARTS.join(", ");
  program
    .command("edit")
    .summary("change a setting of the project")
    .description(
      "Change a setting of the project: its optional parts, and where the certificate of its webhooks comes from.",
    )
    .option("--enable <part>", `add an optional part; may be repeated: ${known}`, parts, [])
    .option("--disable <part>", "take an optional part out; may be repeated", parts, [])
    .addOption(certificatesOption())
    .addOption(new Option("--multigroup [flag]").choices(["true", "false"]).hideHelp())
    .option("--force", "overwrite or delete files that were changed by hand", false)
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .action(async (options: object) => {
      const { edit } = await import("./commands/edit.ts");
      done(await edit(options as Parameters<typeof edit>[0], context));
    });
  program
    .command("upgrade")
    .summary("bring the project to this version of tsop")
    .description(
      "Bring what tsop scaffolded around your code to this version, merged with what you changed. Nothing is downloaded.",
    )
    .addOption(
      new Option(
        "--conflicts <how>",
        "lines that you and the new version changed: write nothing, or write both between markers",
      )
        .choices(["stop", "markers"])
        .default("stop"),
    )
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .action(async (options: object) => {
      const { upgrade } = await import("./commands/upgrade.ts");
      const commands = commandTable(program);
      done(await upgrade({ commands, ...options } as Parameters<typeof upgrade>[0], context));
    });
}

/** Adds `list`, `doctor` and `validate`. */
export function addLookingCommands(program: Command, context: CliContext, done: Done): void {
  program
    .command("list")
    .summary("what the project has")
    .description(
      "Print what the project has: its kinds with versions, scopes, controllers and webhooks, and what is deployed with them.",
    )
    .addOption(json())
    .action(async (options: { output?: "json" }) => {
      const { list } = await import("./commands/list.ts");
      done(await list(options, context));
    });
  program
    .command("doctor")
    .summary("find the usual mistakes")
    .description(
      "Find the usual mistakes in a project, or in any folder of manifests, each with its line and what to do. Exits with 1 when something is found.",
    )
    .argument("[path]", "a project, a folder or a file (default: the project here)")
    .addOption(json())
    .action(async (path: string | undefined, options: { output?: "json" }) => {
      const { doctor } = await import("./commands/doctor.ts");
      done(await doctor(path, options, context));
    });
  program
    .command("validate")
    .summary("check manifests against the embedded API server")
    .description(
      "Say what an API server would say to manifests: kinds, unknown fields, schemas, CEL rules, names, each with its line. No cluster is needed: the control plane in the package answers. CRDs among the files and those of the project here are known, in whatever order. Exits with 1 when an object would be refused.",
    )
    .argument("<manifests...>", "files, folders, or - for standard input")
    .option("-n, --namespace <name>", "the namespace of objects that name none", "default")
    .addOption(json())
    .action(async (paths: readonly string[], options: { namespace: string; output?: "json" }) => {
      const { validate } = await import("./commands/validate.ts");
      done(await validate(paths, options, context));
    });
}
