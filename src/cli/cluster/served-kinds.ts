/** Whether an API server knows the kinds of what is to be applied: asked before anything is changed. */
import { capitalized } from "../../kube/text/capitalized.ts";
import { TsopError } from "../../errors.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import type { ClusterSession } from "./cluster-session.ts";
import { isCrd } from "../project/crd.ts";
import { tableOf } from "../../table.ts";

/** Who defines the kinds that optional parts of a project have, and how the project does without. */
const DEFINED_BY = tableOf<string>({
  "monitoring.coreos.com":
    "install the Prometheus operator, or leave its objects out with `tsop edit --disable prometheus`",
  "cert-manager.io":
    "install cert-manager, or do without: `tsop edit --certificates self-managed` for webhooks, `tsop edit --disable metrics-certs` for the metrics",
});

/** Who has to be there for the kinds of a group, in words that follow a colon. */
const remedyFor = (apiVersion: string): string =>
  DEFINED_BY.get(parseApiVersion(apiVersion).group) ?? "install who defines it first";

/**
 * Why an object cannot be applied: nobody serves its kind, and no CRD among the others defines it.
 *
 * @param all - what is applied with it
 */
export async function whyNotServed(
  session: ClusterSession,
  object: ManifestObject,
  all: readonly ManifestObject[],
): Promise<string | undefined> {
  if (await session.findResource(object)) return undefined;
  const { group, version } = parseApiVersion(object.apiVersion);
  const isDefined = all.some(
    (one) =>
      isCrd(one) &&
      one.spec.group === group &&
      one.spec.names.kind === object.kind &&
      one.spec.versions.some(({ name, served }) => served && name === version),
  );
  if (isDefined) return undefined;
  return `the API server does not serve the kind: ${remedyFor(object.apiVersion)}`;
}

/** @throws TsopError `kinds-not-served` with all of them, and what to do */
export async function requireServed(
  session: ClusterSession,
  objects: readonly ManifestObject[],
): Promise<void> {
  const missing = new Set<string>();
  const remedies = new Set<string>();
  for (const object of objects) {
    if ((await whyNotServed(session, object, objects)) === undefined) continue;
    missing.add(`${object.kind} of ${object.apiVersion}`);
    remedies.add(remedyFor(object.apiVersion));
  }
  if (missing.size === 0) return;
  throw new TsopError(
    "kinds-not-served",
    `The API server at ${session.server} does not serve ${[...missing].join(", ")}.`,
    `${[...remedies].map(capitalized).join("; ")}. Nothing was changed.`,
  );
}
