/** The commands that talk to a cluster. */
import { type Command, Option } from "commander";
import {
  collect,
  json,
  TAKE_OWNERSHIP,
  timeout,
  withCluster,
  type Done,
} from "./command-options.ts";
import type { CliContext } from "./context.ts";

/** Adds the commands that talk to a cluster: `install`, `deploy`, `plan`, `migrate`, `run` and their kin. */
export function addClusterCommands(program: Command, context: CliContext, done: Done): void {
  const wait = timeout("how long to wait", 120);
  withCluster(program.command("install"))
    .summary("install the CRDs in a cluster")
    .description("Generate the CRDs, apply them (server side) and wait until they are established.")
    .option("--take-ownership", TAKE_OWNERSHIP, false)
    .option("--dry-run", "let the API server check the requests, change nothing", false)
    .addOption(wait)
    .action(async (options: object) => {
      const { install } = await import("./commands/install.ts");
      done(await install(options as Parameters<typeof install>[0], context));
    });
  withCluster(program.command("uninstall"))
    .summary("remove the CRDs")
    .description(
      "Remove the CRDs that this project made. Refuses while objects of these kinds exist, unless --delete-objects is given.",
    )
    .option("--delete-objects", "delete all objects of the kinds first", false)
    .option("--dry-run", "show what would be removed", false)
    .addOption(wait)
    .action(async (options: object) => {
      const { uninstall } = await import("./commands/install.ts");
      done(await uninstall(options as Parameters<typeof uninstall>[0], context));
    });
  withCluster(program.command("deploy"))
    .summary("deploy the operator")
    .description("Apply what config/default renders (server side) and wait for the roll-out.")
    .requiredOption("--image <image>", "the operator's image")
    .option("--render", "print the YAML instead of applying it", false)
    .option("--no-wait", "do not wait for the Deployment")
    .option("--no-prune", "keep what an earlier version of the project left in the cluster")
    .option("--take-ownership", TAKE_OWNERSHIP, false)
    .option("--dry-run", "let the API server check the requests, change nothing", false)
    .addOption(wait)
    .action(async (options: object) => {
      const { deploy } = await import("./commands/deploy.ts");
      done(await deploy(options as Parameters<typeof deploy>[0], context));
    });
  withCluster(program.command("plan"))
    .summary("what deploy would change")
    .description(
      "Print what deploy would change in the cluster, with the changes of CRDs and the objects that they would refuse. Writes nothing.",
    )
    .requiredOption("--image <image>", "the operator's image")
    .addOption(wait)
    .addOption(json())
    .action(async (options: object) => {
      const { plan } = await import("./commands/plan.ts");
      done(await plan(options as Parameters<typeof plan>[0], context));
    });
  withCluster(program.command("undeploy"))
    .summary("remove the operator")
    .description(
      "Remove what deploy made: objects of your kinds, CRDs, operator, namespace. What others made stays.",
    )
    .option("--delete-objects", "delete all objects of the kinds first", false)
    .option("--dry-run", "show what would be removed", false)
    .addOption(wait)
    .action(async (options: object) => {
      const { undeploy } = await import("./commands/deploy.ts");
      done(await undeploy(options as Parameters<typeof undeploy>[0], context));
    });
  withCluster(program.command("migrate"))
    .summary("store all objects in the storage version")
    .description(
      "Rewrite the objects of the project's kinds in the storage version, and take the other versions out of the CRDs' status.storedVersions.",
    )
    .option("--kind <Kind>", "only this kind; may be repeated", collect, [])
    .option("--all", "also kinds of which nothing else is stored, as far as the CRD says", false)
    .option("--dry-run", "count the objects and read them, write nothing", false)
    .addOption(json())
    .action(async (options: object) => {
      const { migrate } = await import("./commands/migrate.ts");
      done(await migrate(options as Parameters<typeof migrate>[0], context));
    });
  withCluster(program.command("run"))
    .summary("run the operator here, against a cluster")
    .description(
      "Bundle the operator and run it in this terminal against a cluster, which asks its webhooks meanwhile.",
    )
    .argument("[arguments...]", "arguments of the operator, after `--`")
    .option(
      "--webhook-address <host[:port]>",
      "an address of this machine that the API server reaches; needed unless it runs here, too",
    )
    .option("--no-webhooks", "leave the webhooks of the cluster as they are")
    .action(async (args: string[], options: object) => {
      const { run } = await import("./commands/run.ts");
      done(await run({ args, ...(options as Omit<Parameters<typeof run>[0], "args">) }, context));
    });
}

/** Adds `why`. */
export function addWhy(program: Command, context: CliContext, done: Done): void {
  withCluster(program.command("why"))
    .summary("why an object is as it is")
    .description(
      "Print which change led to which reconcile, what that read, and what it wrote: of the operator of the `tsop dev` that runs here, or of one elsewhere.",
    )
    .argument(
      "[object]",
      "kind and name, such as deployment/web or deploy/web; with --page it may be left out",
    )
    .argument("[name]", "the name, where the kind stands alone: deployment web")
    .option("-n, --namespace <name>", "its namespace (default: any)")
    .option("--operator <url>", "the address of an operator's debug endpoint")
    .addOption(new Option("--last <count>", "how many reconciles").argParser(Number).default(5))
    .option("--all", "also those that changed nothing", false)
    .option("--page", "serve all of it as a page for a browser here, until Ctrl-C", false)
    .addOption(json())
    .action(async (object: string | undefined, name: string | undefined, options: object) => {
      const { why } = await import("./commands/why.ts");
      const target = name === undefined ? object : `${object}/${name}`;
      done(await why(target, options as Parameters<typeof why>[1], context));
    });
}
