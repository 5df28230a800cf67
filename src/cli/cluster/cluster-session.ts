/** A connection to the cluster that a command works on. */
import { resolve } from "node:path";
import { timeoutSignal, type Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import {
  formatKey,
  type KubeObject,
  type ManifestObject,
  type ObjectKey,
} from "../../kube/object.ts";
import { groupResourceOf, type ResourceInfo, type ResourceType } from "../../kube/resource.ts";
import { isConflict, isNotFound } from "../../kube/status.ts";
import { isAllowed } from "../../runtime/client/access.ts";
import type { Client } from "../../runtime/client/client.ts";
import { mergeFrom } from "../../runtime/client/patches.ts";
import { createClient } from "../../runtime/client/create-client.ts";
import { oncePerText } from "../../runtime/rest/warnings.ts";
import type { ClusterConfig } from "../../runtime/transport/cluster-config.ts";
import {
  kubeconfigPaths,
  loadClusterConfig,
  type ClusterConfigOptions,
} from "../../runtime/kubeconfig/load-config.ts";
import { ConnectionError } from "../../runtime/transport/transport.ts";
import type { ClientMiddleware } from "../../runtime/rest/rest-client.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";
import { requireOwn } from "../project/own-kubeconfig.ts";
import { Pod } from "../../generated/k8s/core-v1.ts";
import { FIELD_MANAGER } from "./ownership.ts";
import { present } from "../../present.ts";
import type { OptionOf } from "../command.ts";
import type { kubeconfig, kubeContext, waitingTime } from "../shared-flags.ts";

/** The flags of every command that works on a cluster. */
export type ClusterOptions = OptionOf<typeof kubeconfig> &
  OptionOf<typeof kubeContext> &
  // The seconds that each request can take, with the credentials for it. Defaults to the limit of the runtime.
  Partial<OptionOf<typeof waitingTime>>;

/** A cluster, by the flags or by the text of a kubeconfig. */
export type ClusterChoice = ClusterOptions & Pick<ClusterConfigOptions, "kubeconfigText">;

/** The waits before what a cut connection left open is tried again; a server that restarts is back by then. */
const RETRY_WAITS_MS = [100, 500, 2000];

/** The outcome of applying an object. */
export type Applied = "created" | "configured" | "unchanged";

/** Reads and writes manifests: objects that say themselves of which kind they are. */
export class ClusterSession {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly server: string;

  constructor(client: Client, server: string, clock: Clock) {
    this.#client = client;
    this.server = server;
    this.#clock = clock;
  }

  async findResource(
    object: Pick<ManifestObject, "apiVersion" | "kind">,
  ): Promise<ResourceType | undefined> {
    try {
      return await this.#client.dynamic(object.apiVersion, object.kind);
    } catch (error) {
      if (error instanceof TsopError && error.code === "kind-not-served") return undefined;
      throw error;
    }
  }

  /** The live object, or `undefined` when it, or its kind, is not there. */
  async find(object: ManifestObject): Promise<KubeObject | undefined> {
    const resource = await this.findResource(object);
    const live = resource && (await this.#client.find(resource, keyIn(resource, object)));
    return live && { ...live, apiVersion: object.apiVersion, kind: object.kind };
  }

  /** The name of an object in progress lines: `deployments.apps demo/web`. */
  async describe(object: ManifestObject): Promise<string> {
    const resource = await this.findResource(object);
    if (!resource) return `${object.kind} ${object.metadata.name}`;
    return `${groupResourceOf(resource)} ${formatKey(keyIn(resource, object))}`;
  }

  /** The pods of a namespace that have the labels. */
  pods(namespace: string, labels: Readonly<Record<string, string>>): Promise<Pod[]> {
    return this.#client.list(Pod, { namespace, labels });
  }

  list<T extends KubeObject>(resource: ResourceType<T>, namespace?: string): Promise<T[]> {
    return this.#client.list(resource, present({ namespace }));
  }

  /**
   * Applies an object on the server's side. Conflicts are forced, since the manifest is the truth.
   *
   * @throws TsopError `kind-not-served`
   */
  async apply(object: ManifestObject, options: { readonly dryRun: boolean }): Promise<Applied> {
    const resource = await this.#client.dynamic(object.apiVersion, object.kind);
    const before = await this.#client.find(resource, keyIn(resource, object));
    const after = await this.#despiteCuts(() =>
      this.#client.apply(resource, inPlace(resource, object), {
        fieldManager: FIELD_MANAGER,
        force: true,
        dryRun: options.dryRun,
      }),
    );
    if (!before) return "created";
    return before.metadata.resourceVersion === after.metadata.resourceVersion
      ? "unchanged"
      : "configured";
  }

  /** The object as it would be after `apply`: the API server answers a dry run, and nothing is written. */
  async tryApply(object: ManifestObject): Promise<KubeObject> {
    const resource = await this.#client.dynamic(object.apiVersion, object.kind);
    const after = await this.#client.apply(resource, inPlace(resource, object), {
      fieldManager: FIELD_MANAGER,
      force: true,
      dryRun: true,
    });
    return { ...after, apiVersion: object.apiVersion, kind: object.kind };
  }

  /**
   * Changes a live object where it differs.
   *
   * @throws StatusError 409 when it changed since it was read; 404 when it is gone
   */
  async change(live: KubeObject, changed: KubeObject): Promise<void> {
    const resource = await this.#client.dynamic(live.apiVersion, live.kind);
    const patch = mergeFrom(live, changed, { optimisticLock: true });
    await this.#client.patch(resource, keyIn(resource, live), patch, {
      fieldManager: FIELD_MANAGER,
    });
  }

  /** Whether the user may do this to the kind's objects, in the namespace or everywhere. */
  async isAllowed(verb: string, resource: ResourceType, namespace?: string): Promise<boolean> {
    const asked = { verb, resource, namespace };
    return (await this.#despiteCuts(() => isAllowed(this.#client, asked))) === true;
  }

  /** Asks for the deletion of exactly this live object; `false` when it is gone, or another has its name. */
  async remove(live: ManifestObject): Promise<boolean> {
    const resource = await this.findResource(live);
    if (!resource) return false;
    const key = keyIn(resource, live);
    const { uid } = live.metadata;
    let tries = 0;
    try {
      await this.#despiteCuts(() => {
        tries++;
        return this.#client.delete(resource, key, {
          propagationPolicy: "Background",
          ...(uid === undefined ? {} : { preconditions: { uid } }),
        });
      });
      return true;
    } catch (error) {
      // After a connection was cut, the deletion of the try before may be the reason.
      if (isNotFound(error)) return tries > 1;
      if (isConflict(error)) return false;
      throw error;
    }
  }

  /**
   * Sends a request that may be sent twice, again when the connection is cut. The client itself
   * does so with reads only.
   */
  async #despiteCuts<T>(send: () => Promise<T>): Promise<T> {
    for (const waitMs of RETRY_WAITS_MS) {
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof ConnectionError && error.failure === "reset")) throw error;
        await this.#clock.sleep(waitMs);
      }
    }
    return send();
  }
}

/**
 * The cluster that the flags, `KUBECONFIG` or `~/.kube/config` name.
 *
 * @throws TsopError `foreign-kubeconfig`; as `loadClusterConfig`
 */
export function findCluster(options: ClusterChoice, context: CliContext): ClusterConfig {
  const { kubeconfigText } = options;
  const kubeconfig =
    options.kubeconfig === undefined ? undefined : resolve(context.cwd, options.kubeconfig);
  if (kubeconfigText === undefined) {
    const paths = kubeconfig === undefined ? kubeconfigPaths(context.env) : [kubeconfig];
    for (const path of paths) requireOwn(resolve(context.cwd, path));
  }
  return loadClusterConfig({
    clock: context.clock,
    environment: context.env,
    onWarning: (message) => {
      context.err(`${paint(context).yellow("warning")} ${message}`);
    },
    ...present({ kubeconfig, kubeconfigText, context: options.context }),
  });
}

/**
 * Connects to the cluster that the options choose.
 *
 * @param signal - ends all requests
 */
export function openCluster(
  options: ClusterChoice,
  context: CliContext,
  signal?: AbortSignal,
): ClusterSession {
  const config = findCluster(options, context);
  const client = createClient(config, {
    name: FIELD_MANAGER,
    clock: context.clock,
    warnings: oncePerText(({ text }) => {
      context.err(`${paint(context).yellow("warning")} ${text}`);
    }),
    middlewares: [
      telling(context),
      ...(signal ? [endedBy(signal)] : []),
      ...(options.timeout === undefined ? [] : [withLimit(options.timeout, config, context)]),
    ],
  });
  return new ClusterSession(client, config.server, context.clock);
}

/** Reports each request and its duration to `--verbose`. */
const telling =
  (context: CliContext): ClientMiddleware =>
  async (request, next) => {
    const beganMs = context.clock.monotonicMs();
    let outcome = "failed";
    try {
      const answer = await next(request);
      outcome = "ok";
      return answer;
    } finally {
      const tookMs = Math.round(context.clock.monotonicMs() - beganMs);
      context.detail(`${request.method} ${request.path} ${outcome} in ${tookMs} ms`);
    }
  };

const endedBy =
  (signal: AbortSignal): ClientMiddleware =>
  (request, next) =>
    next({
      ...request,
      signal: request.signal ? AbortSignal.any([request.signal, signal]) : signal,
    });

/** Limits the time of each request: the credentials for it, its tries, and its answer. */
function withLimit(
  seconds: number,
  { server }: ClusterConfig,
  { clock }: CliContext,
): ClientMiddleware {
  return async (request, next) => {
    const limit = timeoutSignal(clock, seconds * 1000, request.signal);
    try {
      return await next({ ...request, signal: limit.signal });
    } catch (error) {
      if (!limit.signal.aborted || request.signal?.aborted) throw error;
      throw new TsopError(
        "timeout",
        `After ${seconds} s the API server at ${server} had not answered ${request.method} ${request.path}.`,
        "Check the server and the kubeconfig's credential program, if any, or raise --timeout SECONDS. Then run the command again: it keeps its earlier changes and continues from there.",
        { cause: error },
      );
    } finally {
      limit.clear();
    }
  };
}

function keyIn(info: ResourceInfo, object: ManifestObject): ObjectKey {
  const { name, namespace = "default" } = object.metadata;
  return info.namespaced ? { namespace, name } : { name };
}

/** The object in its namespace: in `default` when it names none, as with kubectl. */
function inPlace(info: ResourceInfo, object: ManifestObject): ManifestObject {
  const { namespace = "default" } = object.metadata;
  return info.namespaced ? { ...object, metadata: { ...object.metadata, namespace } } : object;
}
