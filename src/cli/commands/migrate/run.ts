/** `tsop migrate`: rewrites the stored objects of the project's kinds in the storage version. */
import { join } from "node:path";
import { UsageError } from "../../../errors.ts";
import type { Definition } from "../../../kube/definition/definition.ts";
import { RestClient } from "../../../runtime/rest/rest-client.ts";
import { HttpsTransport } from "../../../runtime/transport/https-transport.ts";
import { findCluster } from "../../cluster/cluster-session.ts";
import { isCrd } from "../../project/crd.ts";
import { isPruned, Migration, type MigrationResult } from "../../cluster/migration.ts";
import { MigrationClaim } from "../../cluster/migration-claim.ts";
import { MigrationRequests } from "../../cluster/migration-requests.ts";
import { MigrationFile } from "../../cluster/migration-state.ts";
import { FIELD_MANAGER } from "../../cluster/ownership.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { paint } from "../../output.ts";
import { getProject } from "../../project/project-file.ts";
import type { Run } from "../../command.ts";
import type { migrate } from "./flags.ts";

export const run: Run<typeof migrate> = async (options, context) => {
  const { root } = await getProject(context.cwd);
  const rendered = await renderKustomization(join(root, "config/crd"));
  const crds = chosen(rendered.filter(isCrd) as Definition[], options.kind);
  const config = findCluster(options, context);
  const { clock } = context;
  const rest = new RestClient(new HttpsTransport(config, FIELD_MANAGER), clock);
  const signal = context.untilInterrupted();
  const requests = new MigrationRequests(rest, clock, signal);
  // A claim is given up after an interruption, too.
  const lasting = new MigrationRequests(rest, clock, new AbortController().signal);
  const isJson = options.output === "json";
  const say = (line: string): void => {
    if (isJson) context.err(line);
    else context.out(line);
  };
  const { bold, dim } = paint(context);
  say(`${bold("migrate")} at ${config.server}`);
  const results: MigrationResult[] = [];
  for (const { metadata, spec } of crds) {
    const crd = metadata.name ?? "";
    const storageVersion = spec.versions?.find(({ storage }) => storage)?.name ?? "";
    const migration = new Migration({
      crd,
      storageVersion,
      requests,
      claim: new MigrationClaim(lasting, clock, crd),
      file: new MigrationFile(root, crd),
      clock,
      signal,
      progress: (done, all) => {
        const of = all === undefined ? "" : ` of ${all}`;
        context.err(dim(`  migrating  ${crd}: ${done}${of} objects`));
      },
    });
    if (!options.all && isPruned(await migration.definition(), storageVersion)) {
      say(`  unchanged  ${crd}: only ${storageVersion} is stored`);
      continue;
    }
    const result = await (options.dryRun ? migration.rehearse() : migration.run());
    results.push(result);
    say(`  ${summary(result)}`);
  }
  if (isJson) context.out(JSON.stringify({ dryRun: options.dryRun, migrations: results }));
  return 0;
};

function summary({ crd, objects, gone, pruned, ...versions }: MigrationResult): string {
  const { storageVersion, storedVersions } = versions;
  const stored = `storedVersions ${storedVersions.join(", ")}`;
  if (!pruned) {
    return `to migrate ${crd}: ${objects} objects to ${storageVersion}; ${stored} would become ${storageVersion}`;
  }
  const deleted = gone === 0 ? "" : ` (${gone} were deleted in the meantime)`;
  return `migrated   ${crd}: ${objects} objects to ${storageVersion}${deleted}; ${stored} became ${storageVersion}`;
}

/** The CRDs that were named, each by its kind, its plural or its name. */
function chosen(crds: readonly Definition[], names: readonly string[]): readonly Definition[] {
  if (names.length === 0) return crds;
  const isCalled = ({ metadata, spec }: Definition, name: string): boolean =>
    [metadata.name, spec.names?.plural, spec.names?.kind].includes(name);
  for (const name of names) {
    if (crds.some((crd) => isCalled(crd, name))) continue;
    const known = crds.map(({ spec }) => spec.names?.kind ?? "").sort();
    throw new UsageError(
      "unknown-kind",
      `The project has no CRD for the kind ${name}.`,
      known.length === 0 ? "It has none." : `It has ${known.join(", ")}.`,
    );
  }
  return crds.filter((crd) => names.some((name) => isCalled(crd, name)));
}
