/** The commands of webhooks in the command tree. */
import { type Command, Option } from "commander";
import { DIFF, DRY_RUN, type Done } from "./command-options.ts";
import type { CreateApiOptions } from "./commands/create-api.ts";
import type { CliContext } from "./context.ts";

/** The flags of `create controller`; what a kind would be made of is not among them. */
type ControllerOptions = Omit<CreateApiOptions, "field" | "controller" | "resource" | "userRoles">;

const versions = (value: string, earlier: readonly string[]): readonly string[] => [
  ...earlier,
  ...value.split(",").filter((version) => version !== ""),
];

/** The flag that says where the certificate of the webhooks comes from. */
export function certificatesOption(): Option {
  return new Option(
    "--certificates <mode>",
    "where the certificate of the webhooks comes from: the operator issues it, cert-manager does, or it is in a Secret of yours (default: self-managed)",
  ).choices(["self-managed", "cert-manager", "secret"]);
}

/** Adds `create controller`, another name of `create api --no-resource`. */
export function addCreateController(create: Command, context: CliContext, done: Done): void {
  create
    .command("controller")
    .summary("add a controller of a kind that is there")
    .description(
      "Add a controller and its test to a kind that is there: of the project, of Kubernetes itself, or of somebody else.",
    )
    .option("--group <group>", "the API group, of the project's kinds without the domain", "")
    .option("--version <version>", "the API version, such as v1")
    .option("--kind <Kind>", "the name of the kind, such as MyWeb")
    .option(
      "--external-api-domain <domain>",
      "what the group ends in, where the CRD is somebody else's",
    )
    .option("--external-api-path <file>", "the file of the class, where the CRD is somebody else's")
    .option("--force", "overwrite the controller's files", false)
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .action(async (options: ControllerOptions) => {
      const { createApi } = await import("./commands/create-api.ts");
      const asked = { ...options, field: [], controller: true, resource: false };
      done(await createApi({ ...asked, userRoles: "none" }, context));
    });
}

/** Adds `create webhook`. */
export function addWebhookCommands(create: Command, context: CliContext, done: Done): void {
  create
    .command("webhook")
    .summary("add webhooks to a kind")
    .description(
      "Add webhooks to a kind that is there: defaults, checks, conversion, and their tests.",
    )
    .option("--group <group>", "the API group without the domain, such as web", "")
    .option("--version <version>", "the API version, such as v1; with --conversion the hub")
    .option("--kind <Kind>", "the name of the kind, such as MyWeb")
    .option("--defaulting", "fill in what users leave out", false)
    .option("--validation", "refuse invalid objects", false)
    .addOption(new Option("--programmatic-validation").default(false).hideHelp())
    .option("--conversion", "convert between the versions of the kind", false)
    .option(
      "--spoke <versions>",
      "with --conversion: the other versions, separated by commas",
      versions,
      [],
    )
    .addOption(certificatesOption())
    .option(
      "--external-api-domain <domain>",
      "what the group ends in, where the CRD is somebody else's",
    )
    .option("--external-api-path <file>", "the file of the class, where the CRD is somebody else's")
    .option("--force", "overwrite the webhooks' files", false)
    .option("--dry-run", DRY_RUN, false)
    .option("--diff", DIFF, false)
    .action(async (options: object) => {
      const { createWebhook } = await import("./commands/create-webhook.ts");
      done(await createWebhook(options as Parameters<typeof createWebhook>[0], context));
    });
}
