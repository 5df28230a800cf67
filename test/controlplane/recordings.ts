/**
 * Recorded writes of a real API server, as steps that ownership can be replayed on without a server: what was
 * stored before, what was asked, what was stored after.
 */
/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/explicit-module-boundary-types -- recordings are documents of any shape */
import { readFileSync } from "node:fs";
import type { ManagedFieldsEntry } from "../../src/kube/object.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Schema } from "../../src/kube/schema/structural.ts";
import { findBuiltInSchema } from "../../src/controlplane/builtin/definitions.ts";
import resources from "../../src/controlplane/builtin/resources.data.json" with { type: "json" };
import type { OwnedResource } from "../../src/controlplane/apply/write.ts";
import { sharedPath } from "../support/shared.ts";

/** One step of a recorded scenario. */
export interface RecordedStep {
  request?: string;
  body?: any;
  text?: string;
  base64?: string;
  headers?: Record<string, string>;
  answer?: { status: number; body?: any };
  together?: unknown;
}

/** A recorded scenario. */
export interface Scenario {
  id: string;
  title: string;
  steps: RecordedStep[];
}

/** One write with its neighbours. */
export interface RecordedWrite {
  readonly id: string;
  readonly step: number;
  readonly verb: "create" | "update" | "patch" | "apply";
  readonly manager: string;
  readonly force: boolean;
  readonly subresource: string;
  readonly resource: OwnedResource;
  readonly before: KubeObject | undefined;
  readonly body: any;
  readonly status: number;
  readonly after: any;
}

interface CustomVersion {
  readonly schema: Schema;
  readonly plural: string;
  readonly subresources: readonly { name: string }[];
}

const tableOf = (group: string, version: string): any[] | undefined =>
  (resources as any[])
    .find((entry) => entry.name === group)
    ?.versions.find((entry: any) => entry.version === version)?.resources;

const subresourcesOf = (version: any): { name: string }[] =>
  Object.keys(version.subresources ?? {}).map((name) => ({ name }));

/** The resources that a scenario may speak of: the built-in table and its own CRDs. */
export class Resources {
  readonly #custom = new Map<string, CustomVersion>();

  learn(crd: any): void {
    for (const version of crd?.spec?.versions ?? []) {
      this.#custom.set(`${crd.spec.group}/${version.name}/${crd.spec.names.kind}`, {
        schema: version.schema?.openAPIV3Schema ?? {},
        plural: crd.spec.names.plural,
        subresources: subresourcesOf(version),
      });
    }
  }

  /** The resource of a path such as `/apis/apps/v1/namespaces/n/deployments/d`. */
  ofPath(path: string): OwnedResource | undefined {
    const match =
      /^\/(?:api\/(?<core>\w+)|apis\/(?<group>[^/]+)\/(?<version>\w+))\/(?:namespaces\/[^/]+\/(?=\w))?(?<plural>\w+)/.exec(
        path,
      )?.groups;
    if (!match) return undefined;
    const { core, group = "", version = core ?? "", plural = "" } = match;
    const gv = group === "" ? version : `${group}/${version}`;
    const custom = [...this.#custom].find(
      ([key, known]) => key.startsWith(`${gv}/`) && known.plural === plural,
    );
    const kind = custom
      ? custom[0].slice(gv.length + 1)
      : tableOf(group, version)?.find((entry) => entry.plural === plural)?.kind;
    return kind === undefined ? undefined : this.find(gv, kind);
  }

  find(apiVersion: string, kind: string): OwnedResource | undefined {
    const [group, version] = apiVersion.includes("/")
      ? (apiVersion.split("/") as [string, string])
      : ["", apiVersion];
    const custom = this.#custom.get(`${group}/${version}/${kind}`);
    if (custom) return { group, version, kind, builtIn: false, ...custom };
    const known = tableOf(group, version)?.find((entry) => entry.kind === kind);
    const schema = findBuiltInSchema({ group, version, kind });
    if (!known || !schema) return undefined;
    return {
      group,
      version,
      kind,
      plural: known.plural,
      builtIn: true,
      schema,
      subresources: known.subresources ?? [],
    };
  }
}

function verbOf(method: string, contentType: string): RecordedWrite["verb"] | undefined {
  if (method === "POST") return "create";
  if (method === "PUT") return "update";
  if (method !== "PATCH") return undefined;
  return contentType.startsWith("application/apply-patch") ? "apply" : "patch";
}

function managerOf(query: URLSearchParams, headers: Record<string, string>): string {
  return query.get("fieldManager") ?? (headers["user-agent"] ?? "conform").split("/")[0] ?? "";
}

function writesOf(scenario: Scenario): RecordedWrite[] {
  const known = new Resources();
  const stored = new Map<string, KubeObject>();
  const writes: RecordedWrite[] = [];
  for (const [
    step,
    { request, body, text, headers: given = {}, answer },
  ] of scenario.steps.entries()) {
    if (!request || !answer) continue;
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const [method = "", url = ""] = request.split(" ");
    const [path = "", search = ""] = url.split("?");
    const query = new URLSearchParams(search);
    const verb = verbOf(method, headers["content-type"] ?? "");
    const after = answer.body;
    if (after?.kind === "CustomResourceDefinition") known.learn(after);
    const subresource = /\/(status|finalize|approval|scale)$/.exec(path)?.[1] ?? "";
    const isReview = after?.metadata?.uid === undefined;
    const key =
      verb === "create"
        ? `${path}/${after?.metadata?.name}`
        : path.replace(/\/(status|finalize|approval)$/, "");
    const before = stored.get(key);
    const target = answer.status < 300 ? after : (body ?? {});
    const resource = known.find(target?.apiVersion ?? "", target?.kind ?? "");
    if (verb && resource && subresource !== "scale" && !query.has("dryRun") && text === undefined) {
      writes.push({
        id: scenario.id,
        step,
        verb,
        manager: managerOf(query, headers),
        force: query.get("force") === "true",
        subresource,
        resource,
        before,
        body,
        status: answer.status,
        after,
      });
    }
    if (answer.status >= 300 || query.has("dryRun")) continue;
    // Scale travels as another kind, and a deletion may leave the object: the next read or write tells.
    if (subresource === "scale" || isReview || method === "DELETE")
      stored.delete(key.replace(/\/scale$/, ""));
    else if (after.metadata.name) stored.set(key, after);
  }
  return writes;
}

/** The scenarios of one recording. */
export function recordedScenarios(name: string): Scenario[] {
  return JSON.parse(
    readFileSync(sharedPath("conformance", "recordings", `${name}.json`), "utf8"),
  ) as Scenario[];
}

/** Every write of one recording that can be replayed. */
export function recordedWrites(name: string): RecordedWrite[] {
  return recordedScenarios(name).flatMap(writesOf);
}

const rank = (entry: ManagedFieldsEntry): string =>
  [entry.manager, entry.operation, entry.apiVersion, entry.subresource].join();

/** managedFields without what the recordings mask or leave open: the time's value and the order. */
export function comparable(entries: readonly ManagedFieldsEntry[] | undefined): unknown {
  return (entries ?? [])
    .map(({ time, ...entry }) => ({ ...entry, timed: time !== undefined }))
    .sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
}
