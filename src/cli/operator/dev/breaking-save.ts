/** What a save does to objects that are stored already: told before the CRDs are replaced. */
import { messageOf } from "../../../errors.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import type { ClusterSession } from "../../cluster/cluster-session.ts";
import { isCrd } from "../../project/crd.ts";
import { crdEffectLines } from "../../cluster/crd-effect-lines.ts";
import { effectsOfCrd } from "../../cluster/deploy-plan.ts";
import type { CliContext } from "../../context.ts";
import { paint } from "../../output.ts";

const REST = "`tsop validate` judges manifests of them";

/** Prints the changes of CRDs that are not safe, and the stored objects that no longer fit. A failure stops nothing. */
export async function tellBreakingSave(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  context: CliContext,
): Promise<void> {
  try {
    await tellEffects(session, objects, context);
  } catch (error) {
    const note = `the stored objects were not compared with the new schemas: ${messageOf(error)}`;
    context.err(`${paint(context).yellow("note")} ${note}`);
  }
}

async function tellEffects(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  context: CliContext,
): Promise<void> {
  const { bold, dim } = paint(context);
  for (const after of objects.filter(isCrd)) {
    const live = await session.find(after);
    if (!live || !isCrd(live)) continue;
    const { crdChanges, invalid } = await effectsOfCrd(session, live, after);
    const unsafe = crdChanges.filter(({ severity }) => severity !== "safe");
    if (unsafe.length === 0) continue;
    context.err(bold(`this save changes ${after.metadata.name}:`));
    for (const line of crdEffectLines({ crdChanges: unsafe, invalid }, REST, context))
      context.err(`  ${line}`);
    if (invalid.length > 0) {
      context.err(dim("  fix or delete these objects: r deletes all objects of your kinds"));
    }
  }
}
