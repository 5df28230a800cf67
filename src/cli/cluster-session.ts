/**
 * A connection to the cluster that a command works on.
 *
 * @module
 */
import { TsopError } from "../errors.ts";
import type { JsonObject, KubeList, KubeObject, ObjectKey } from "../kube/object.ts";
import {
  groupResourceOf,
  parseApiVersion,
  apiVersionOf,
  type ResourceInfo,
} from "../kube/resource.ts";
import { isNotFound } from "../kube/status.ts";
import { collectionPath, groupVersionPath, objectPath } from "../runtime/client/paths.ts";
import { RestClient } from "../runtime/client/rest-client.ts";
import { HttpsTransport } from "../runtime/transport/https-transport.ts";
import { loadClusterConfig, type ClusterConfigOptions } from "../runtime/transport/load-config.ts";
import type { CliContext } from "./context.ts";
import { packageVersion } from "./package-info.ts";

/** The flags of every command that works on a cluster. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Who owns what tsop applies, in managedFields. */
const FIELD_MANAGER = "tsop";

/** What applying an object did. */
export type Applied = "created" | "configured" | "unchanged";

/** Reads and writes objects of any kind; kinds are looked up in the API server's discovery. */
export class ClusterSession {
  readonly #client: RestClient;
  readonly #resources = new Map<string, Promise<ReadonlyMap<string, ResourceInfo>>>();

  constructor(client: RestClient) {
    this.#client = client;
  }

  /** The API server's address. */
  get server(): string {
    return this.#client.server;
  }

  /**
   * How the API server serves a kind.
   *
   * @throws TsopError `no-such-kind`
   */
  async resourceFor({
    apiVersion,
    kind,
  }: Pick<KubeObject, "apiVersion" | "kind">): Promise<ResourceInfo> {
    let served = this.#resources.get(apiVersion);
    if (!served) {
      served = this.#discover(apiVersion);
      this.#resources.set(apiVersion, served);
    }
    const info = (await served).get(kind);
    if (info) return info;
    // It may be installed meanwhile: nothing that is missing is remembered.
    this.#resources.delete(apiVersion);
    throw new TsopError(
      "no-such-kind",
      `The API server ${this.server} has no kind ${kind} in ${apiVersion}.`,
      "Install the CRD that defines it, or take the object out of the kustomization.",
    );
  }

  /** The object, or `undefined` when there is none. */
  async find(object: KubeObject): Promise<KubeObject | undefined> {
    const info = await this.resourceFor(object);
    try {
      const path = objectPath(info, keyIn(info, object));
      return (await this.#client.request({ method: "GET", path })) as KubeObject;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** All objects of a kind, in all namespaces. */
  async list(info: ResourceInfo): Promise<KubeObject[]> {
    const path = collectionPath(info);
    const answer = (await this.#client.request({ method: "GET", path })) as KubeList<KubeObject>;
    const apiVersion = apiVersionOf(info);
    return answer.items.map((item) => ({ ...item, apiVersion, kind: info.kind }));
  }

  /** Applies an object on the server's side; conflicts are won, since the manifest is the truth. */
  async apply(object: KubeObject, options: { readonly dryRun: boolean }): Promise<Applied> {
    const before = await this.find(object);
    const info = await this.resourceFor(object);
    const after = (await this.#client.request({
      method: "PATCH",
      path: objectPath(info, keyIn(info, object)),
      query: {
        fieldManager: FIELD_MANAGER,
        force: true,
        dryRun: options.dryRun ? "All" : undefined,
      },
      contentType: "application/apply-patch+yaml",
      body: object,
    })) as KubeObject;
    if (!before) return "created";
    return before.metadata.resourceVersion === after.metadata.resourceVersion
      ? "unchanged"
      : "configured";
  }

  /** Creates an object that has no name yet to collide with, such as a review; returns the answer. */
  async create(info: ResourceInfo, body: JsonObject): Promise<JsonObject> {
    const path = collectionPath(info);
    return (await this.#client.request({ method: "POST", path, body })) as JsonObject;
  }

  /** Asks for the deletion; `false` when there was nothing to delete. */
  async remove(object: KubeObject): Promise<boolean> {
    const info = await this.resourceFor(object);
    try {
      await this.#client.request({
        method: "DELETE",
        path: objectPath(info, keyIn(info, object)),
        body: { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" },
      });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #discover(apiVersion: string): Promise<ReadonlyMap<string, ResourceInfo>> {
    const { group, version } = parseApiVersion(apiVersion);
    const path = groupVersionPath(group, version);
    try {
      const answer = (await this.#client.request({ method: "GET", path })) as {
        resources: { name: string; kind: string; namespaced: boolean }[];
      };
      return new Map(
        answer.resources
          .filter(({ name }) => !name.includes("/"))
          .map(({ name, kind, namespaced }) => [
            kind,
            { group, version, kind, plural: name, namespaced },
          ]),
      );
    } catch (error) {
      if (isNotFound(error)) return new Map();
      throw error;
    }
  }
}

/** Connects to the cluster that the flags, `KUBECONFIG` or `~/.kube/config` name. */
export function openCluster(
  options: ClusterOptions & Pick<ClusterConfigOptions, "kubeconfigText">,
  context: CliContext,
): ClusterSession {
  const config = loadClusterConfig({
    clock: context.clock,
    environment: context.env,
    ...(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig }),
    ...(options.kubeconfigText === undefined ? {} : { kubeconfigText: options.kubeconfigText }),
    ...(options.context === undefined ? {} : { context: options.context }),
  });
  const transport = new HttpsTransport(config, `tsop/${packageVersion()}`);
  return new ClusterSession(new RestClient(transport, context.clock));
}

/** `deployments.apps demo/web`: how progress lines name an object. */
export function describeObject(info: ResourceInfo, object: KubeObject): string {
  const { name = "?", namespace } = object.metadata;
  const place = info.namespaced && namespace !== undefined ? `${namespace}/` : "";
  return `${groupResourceOf(info)} ${place}${name}`;
}

function keyIn(info: ResourceInfo, object: KubeObject): ObjectKey {
  const { name = "", namespace = "default" } = object.metadata;
  return info.namespaced ? { namespace, name } : { name };
}
