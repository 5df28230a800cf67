/** Recorded scenarios of a real API server, and the resources that they speak of. */
/* oxlint-disable typescript/no-explicit-any, typescript/explicit-module-boundary-types -- recordings are documents of any shape */
import { readFileSync } from "node:fs";
import type { Schema } from "../../src/kube/schema/structural.ts";
import { rulesOf } from "../../src/controlplane/builtin/kinds/kind-table.ts";
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
      traits: rulesOf(group, kind) ?? {},
      schema,
      subresources: known.subresources ?? [],
    };
  }
}

/** The scenarios of one recording. */
export function recordedScenarios(name: string): Scenario[] {
  return JSON.parse(
    readFileSync(sharedPath("conformance", "recordings", `${name}.json`), "utf8"),
  ) as Scenario[];
}
