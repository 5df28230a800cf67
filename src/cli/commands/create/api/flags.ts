import { defineCommand, Option } from "../../../command.ts";
import { FIELD_TYPES } from "../../../project/scaffold/field.ts";
import {
  apiGroup,
  apiVersion,
  collect,
  diff,
  dryRun,
  externalApiDomain,
  externalApiPath,
  kind,
} from "../../../shared-flags.ts";

export const createApi = defineCommand({
  name: "api",
  summary: "add a kind",
  description: "Add a kind: its type, controller, test, sample, and roles.",
  examples: [
    "tsop create api --group web --version v1 --kind MyWeb --field image:string=nginx --field 'port:int?'",
    "tsop create api --group web --version v1 --kind MyWeb --image nginx:1.29",
    "tsop create api --group web --version v2 --kind MyWeb",
    "tsop create api --group web --version v1 --kind MyWeb --force --dry-run --diff",
  ],
  notes: [
    `Types of --field: ${FIELD_TYPES}.`,
    "The ClusterRoles of --user-roles are separate, for admins to bind, or aggregated into admin, edit, and view.",
    "The --external-api flags need --no-resource.",
  ],
  flags: (command) =>
    command
      .addOption(apiGroup)
      .addOption(apiVersion)
      .addOption(kind)
      .option("--plural <plural>", "plural name, used in URLs (default: derived from the kind)")
      .addOption(
        new Option(
          "--scope <scope>",
          "scope of the kind (default: that of other versions, or Namespaced)",
        ).choices(["Namespaced", "Cluster"]),
      )
      // kubebuilder's users write --namespaced=false.
      .addOption(new Option("--namespaced [flag]").choices(["true", "false"]).hideHelp())
      .addOption(
        new Option("--user-roles <how>", "ClusterRoles for users of the kind")
          .choices(["separate", "aggregated", "none"])
          .default("separate"),
      )
      .option("--image <image>", "scaffold a controller that runs this image in a Deployment")
      .option("--field <name:type[?][=default]>", "field of the spec (repeatable)", collect, [])
      // kubebuilder's users write them out.
      .addOption(new Option("--controller").default(true).hideHelp())
      .addOption(new Option("--resource").default(true).hideHelp())
      .option("--no-controller", "scaffold only the type")
      .option("--no-resource", "scaffold only the controller, for an existing or a built-in kind")
      .addOption(externalApiDomain)
      .addOption(externalApiPath)
      .addOption(new Option("--external-api-module <module>").hideHelp())
      .option("--force", "overwrite the files of the kind", false)
      .addOption(dryRun)
      .addOption(diff),
});
