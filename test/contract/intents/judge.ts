/** Applies intents again and again with a manager's client, and counts what is sent. */
import {
  controllerFor,
  createManager,
  isNotFound,
  mergePatch,
  StatusError,
  type Client,
  type ClusterConfig,
  type Manager,
} from "../../../src/index.ts";
import { sameJson } from "../../../src/kube/json.ts";
import type { KubeObject, SentObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { silentLogger } from "../../../src/testing.ts";
import type { Random } from "../../support/random.ts";
import { changeByAnother } from "./foreign.ts";

/** An intent, with its name. */
export type Named = SentObject & { readonly metadata: { readonly name: string } };

interface Round {
  readonly intent: Named;
  /** What others did. */
  readonly way: string;
  readonly before: KubeObject | undefined;
  /** The object as it is applied to. */
  readonly met: KubeObject | undefined;
}

export class IntentJudge {
  readonly manager: Manager;
  /** `METHOD path` of each write that the manager's client sent. */
  readonly writes: string[] = [];
  readonly #stop = new AbortController();
  readonly #tokens = new Map<string, ResourceType>();
  #running: Promise<void> | undefined;

  constructor(config: ClusterConfig) {
    this.manager = createManager({
      config,
      name: "intents",
      log: silentLogger,
      warnings: "ignore",
      middlewares: [
        (request, next) => {
          if (request.method !== "GET") this.writes.push(`${request.method} ${request.path}`);
          return next(request);
        },
      ],
    });
  }

  /** Watches the kinds of these objects, from now on. */
  async start(objects: readonly { apiVersion: string; kind: string }[]): Promise<void> {
    const { client } = this.manager;
    for (const { apiVersion, kind } of objects) {
      const id = `${apiVersion} ${kind}`;
      if (!this.#tokens.has(id)) this.#tokens.set(id, await client.dynamic(apiVersion, kind));
    }
    const builder = controllerFor(this.manager).named("intents");
    for (const token of this.#tokens.values()) builder.watches(token, { map: () => [] });
    builder.complete({ reconcile: () => Promise.resolve() });
    this.#running = this.manager.start(this.#stop.signal);
    await this.manager.cache.synced();
  }

  /** Waits until the cache has everything that the server has. */
  async settle(): Promise<void> {
    await this.manager.idle({ timeoutMs: 60_000 });
  }

  token({ apiVersion, kind }: { apiVersion: string; kind: string }): ResourceType {
    const token = this.#tokens.get(`${apiVersion} ${kind}`);
    if (!token) throw new Error(`${kind} is not watched`);
    return token;
  }

  /** Applies an intent as an operator does; returns the number of writes that were sent for it. */
  async apply(intent: Named, status = false): Promise<number> {
    const before = this.writes.length;
    const { client } = this.manager;
    const token = this.token(intent);
    await (status ? client.status.apply(token, intent) : client.apply(token, intent));
    return this.writes.length - before;
  }

  /**
   * Lets others change the objects of intents, applies the intents, and compares with a client that sends every apply.
   *
   * @param client - that of the others
   * @returns what is wrong, by the name of the object
   */
  async round(intents: readonly Named[], client: Client, random: Random): Promise<string[]> {
    const rounds: Round[] = [];
    for (const intent of intents) {
      const subject = { client, token: this.token(intent), intent, random };
      const before = await client.find(subject.token, intent.metadata);
      const way = await changeByAnother(subject);
      rounds.push({ intent, way, before, met: await client.find(subject.token, intent.metadata) });
    }
    await this.settle();
    const problems: string[] = [];
    for (const round of rounds) {
      const problem = await this.#problemOf(round, client);
      if (problem !== undefined) problems.push(`${round.intent.metadata.name}: ${problem}`);
    }
    return problems;
  }

  async #problemOf(
    { intent, way, before, met }: Round,
    client: Client,
  ): Promise<string | undefined> {
    const sent = await this.apply(intent).catch((error: unknown) => error);
    if (typeof sent !== "number") return this.#afterRefusal(intent, way, sent);
    const after = await client.find(this.token(intent), intent.metadata);
    // A controller has deleted it: a Job that is done, an object whose owner never was.
    if (!after) return undefined;
    const difference = await this.difference(intent);
    if (difference !== undefined) return `after "${way}", ${sent} sent:\n${difference}`;
    // Where the owned fields do not show everything, as of Secrets and of empty lists, all of the content counts.
    const isNeedless =
      sent > 0 &&
      met !== undefined &&
      before?.metadata.uid === met.metadata.uid &&
      sameJson(ownedBy(before), ownedBy(met)) &&
      sameJson({ ...before, metadata: {}, status: {} }, { ...met, metadata: {}, status: {} }) &&
      sameJson(comparable(met), comparable(after));
    return isNeedless ? `after "${way}", sent although nothing owned had changed` : undefined;
  }

  /** What others did can make the intent invalid: for every client, until the object is made anew. */
  async #afterRefusal(intent: Named, way: string, refusal: unknown): Promise<string | undefined> {
    const token = this.token(intent);
    const { live } = this.manager.client;
    if (!(refusal instanceof StatusError)) throw refusal;
    const always = await live.apply(token, intent).catch((error: unknown) => error);
    await live.delete(token, intent.metadata).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    if (await live.find(token, intent.metadata)) {
      await live.patch(token, intent.metadata, mergePatch({ metadata: { finalizers: null } }));
    }
    await this.settle();
    await this.apply(intent);
    if (always instanceof StatusError && always.message === refusal.message) return undefined;
    return `after "${way}", refused: ${refusal.message}`;
  }

  /** The differences to what a client leaves that sends every apply; `undefined` for none. */
  async difference(intent: Named): Promise<string | undefined> {
    const token = this.token(intent);
    const { live } = this.manager.client;
    const { metadata } = intent;
    const ours = await live.find(token, metadata);
    if (!ours) return undefined;
    // What others did can make the intent invalid; where it is not sent, that is no difference.
    const always = await live.apply(token, intent).catch((error: unknown) => {
      if (error instanceof StatusError) return ours;
      throw error;
    });
    const [left, right] = [comparable(ours), comparable(always)];
    return sameJson(left, right)
      ? undefined
      : `${JSON.stringify(left)}\nis not\n${JSON.stringify(right)}`;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

function ownedBy({ metadata: { managedFields = [] } }: KubeObject): readonly unknown[] {
  return (managedFields as { manager?: string; operation?: string; fieldsV1?: object }[])
    .filter(({ manager, operation }) => manager === "intents" && operation === "Apply")
    .map(({ fieldsV1 }) => fieldsV1);
}

/** An object as its writers left it: without what each write changes, and without what controllers write. */
function comparable(object: KubeObject): object {
  const { resourceVersion: _, generation: __, managedFields: ___, ...metadata } = object.metadata;
  const { "deployment.kubernetes.io/revision": ____, ...annotations } = metadata.annotations ?? {};
  const owned = ownedBy(object);
  return { ...object, metadata: { ...metadata, annotations, owned }, status: undefined };
}

/** A change by another field manager, which takes over what it changes. */
export function foreignChange(
  client: Client,
  token: ResourceType,
  { metadata: { name, namespace } }: Named,
  change: object,
): Promise<KubeObject> {
  const { metadata = {}, ...rest } = change as { metadata?: object };
  const key = { name, ...(namespace !== undefined && { namespace }) };
  return client.apply(
    token,
    { ...rest, metadata: { ...metadata, ...key } },
    { fieldManager: "another" },
  );
}
