/** The plural and scope of kinds, asked of the server once and remembered. */
import { TsopError } from "../../errors.ts";
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf, parseApiVersion, type ResourceType } from "../../kube/resource.ts";
import { isNotFound } from "../../kube/status.ts";
import { groupVersionPath } from "../rest/paths.ts";
import { type ReconcileTap, servedQuestion } from "../rest/reconcile-tap.ts";
import type { RestClient } from "../rest/rest-client.ts";

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
  }[];
}

export class Discovery {
  readonly #rest: RestClient;
  readonly #tapOf: () => ReconcileTap | undefined;
  readonly #known = new Map<string, ResourceType>();

  /** @param tapOf - the tap of the calling reconcile, where reconciles are recorded or replayed */
  constructor(rest: RestClient, tapOf: () => ReconcileTap | undefined = () => undefined) {
    this.#rest = rest;
    this.#tapOf = tapOf;
  }

  /** Remembers the kind of a token. */
  remember(resource: ResourceType): void {
    this.#known.set(`${apiVersionOf(resource)} ${resource.kind}`, resource);
  }

  /** The resource of an object. @throws TsopError `kind-not-served` */
  ofObject({ apiVersion, kind }: KubeObject): Promise<ResourceType> {
    return this.of(apiVersion, kind);
  }

  /** The resource of an apiVersion and kind. @throws TsopError `kind-not-served` */
  async of(apiVersion: string, kind: string, plural?: string): Promise<ResourceType> {
    const tap = this.#tapOf();
    if (!tap) return this.#find(apiVersion, kind, plural);
    // A result for an earlier reconcile is not asked for again.
    const question = servedQuestion(apiVersion, kind, plural);
    return tap.laterFact(question, () => this.#find(apiVersion, kind, plural));
  }

  async #find(apiVersion: string, kind: string, plural?: string): Promise<ResourceType> {
    const known = this.#known.get(`${apiVersion} ${kind}`);
    if (known && (plural === undefined || plural === known.plural)) return known;
    const { group, version } = parseApiVersion(apiVersion);
    const found = (await this.#resources(group, version)).find(
      (candidate) =>
        candidate.kind === kind &&
        !candidate.name.includes("/") &&
        (plural === undefined || plural === candidate.name),
    );
    if (!found) {
      throw new TsopError(
        "kind-not-served",
        `The API server at ${this.#rest.server} does not serve ${kind} of ${apiVersion}.`,
        "Check the spelling, and install the CRD if it is a custom kind (`tsop install`).",
      );
    }
    const resource = { group, version, kind, plural: found.name, namespaced: found.namespaced };
    this.remember(resource);
    return resource;
  }

  async #resources(
    group: string,
    version: string,
  ): Promise<NonNullable<ResourceList["resources"]>> {
    try {
      const path = groupVersionPath(group, version);
      const list = (await this.#rest.request({ method: "GET", path })) as ResourceList;
      return list.resources ?? [];
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }
}
