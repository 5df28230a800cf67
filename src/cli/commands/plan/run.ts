/** `tsop plan`: shows the changes that `tsop deploy` would make in a cluster. */
import { join } from "node:path";
import { openCluster } from "../../cluster/cluster-session.ts";
import { planDeployment, wouldChange, type PlannedObject } from "../../cluster/deploy-plan.ts";
import { crdEffectLines } from "../../cluster/crd-effect-lines.ts";
import type { FieldDifference } from "../../../kube/field-differences.ts";
import { ownerName } from "../../cluster/ownership.ts";
import type { CliContext } from "../../context.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { ExitCode, paint, printJson } from "../../output.ts";
import { checkImage, checkTimeout } from "../../project/inputs.ts";
import { withOperatorImage } from "../../project/operator-deployment.ts";
import { getProject } from "../../project/project-file.ts";
import { imageOverride } from "../../cluster/operator-image.ts";
import { plannedManifests } from "../../project/generated-manifests.ts";
import type { Run } from "../../command.ts";
import type { plan } from "./flags.ts";

/** The longest value in a line. */
const SHOWN_CHARACTERS = 60;

/** Prints the plan; returns 0 when nothing would change, otherwise 3. */
export const run: Run<typeof plan> = async (options, context) => {
  checkTimeout(options.timeout);
  checkImage(options.image);
  const project = await getProject(context.cwd);
  const session = openCluster(options, context);
  const manifests = await plannedManifests(project, context);
  const rendered = await renderKustomization(join(project.root, "config/default"), {
    images: [imageOverride(options.image)],
    plan: manifests,
  });
  const objects = withOperatorImage(rendered, project.projectName, options.image);
  const planned = await planDeployment(session, objects, ownerName(project));
  const code = wouldChange(planned) ? ExitCode.drift : ExitCode.ok;
  if (options.output === "json") {
    const { server } = session;
    printJson(context, { server, image: options.image, ...planned });
    return code;
  }
  const { bold, dim, yellow } = paint(context);
  context.out(`${bold("plan")} ${options.image} at ${session.server}`);
  for (const object of planned.objects) show(object, context);
  for (const note of planned.notes) context.err(`${yellow("note")} ${note}.`);
  const count = (action: PlannedObject["action"]): number =>
    planned.objects.filter((object) => object.action === action).length;
  context.out(
    `  ${count("create")} to create, ${count("change")} to change, ${count("delete")} to delete, ${count("refused")} refused, ${count("unchanged")} unchanged`,
  );
  context.out(dim("  nothing was changed"));
  return code;
};

const LABELS: Readonly<Record<PlannedObject["action"], string>> = {
  create: "to create",
  change: "to change",
  delete: "to delete",
  refused: "refused",
  kept: "kept",
  unchanged: "unchanged",
};

function show(object: PlannedObject, context: CliContext): void {
  const { green, yellow, red, dim } = paint(context);
  const colors = { create: green, change: yellow, delete: red, refused: red, kept: dim };
  if (object.action === "unchanged") return;
  const why = object.reason === undefined ? "" : dim(`: ${object.reason}`);
  context.out(`  ${colors[object.action](LABELS[object.action].padEnd(10))} ${object.name}${why}`);
  const isCrd = object.crdChanges.length > 0;
  for (const field of isCrd ? [] : object.fields) context.out(`      ${fieldLine(field)}`);
  const rest = "-o json names them all";
  for (const line of crdEffectLines(object, rest, context)) context.out(`      ${line}`);
}

const fieldLine = ({ path, before, after }: FieldDifference): string =>
  `${path}: ${shown(before)} -> ${shown(after)}`;

function shown(value: unknown): string {
  if (value === undefined) return "(none)";
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text;
}
