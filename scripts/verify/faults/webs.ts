/**
 * The objects of `examples/myweb` for the faults: created, changed, and compared with their
 * expected state.
 */
import type { Client, Intent } from "../../../src/index.ts";
import { mergePatch } from "../../../src/index.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { Token } from "../../../src/kube/resource.ts";
import { ConfigMap, Deployment, Namespace, Service } from "../../../src/k8s.ts";
import { eventually } from "../../../src/testing.ts";
import { MyWeb } from "../../../examples/myweb/src/api/v1/myweb.ts";
import {
  configMapFor,
  deploymentFor,
  PAGE_HASH,
} from "../../../examples/myweb/src/controllers/children.ts";

/** The namespace of the objects. */
export const NAMESPACE = "webs";
const WORKERS = 8;

/** Calls `work` for each of so many numbers, a few at a time. */
async function each(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}

/** So many MyWebs, as their user sees them. */
export class Webs {
  readonly count: number;
  readonly #client: Client;
  #round = 0;

  constructor(client: Client, count: number) {
    this.#client = client;
    this.count = count;
  }

  /** Creates the namespace and missing objects. */
  async fill(): Promise<void> {
    if (!(await this.#client.find(Namespace, { name: NAMESPACE }))) {
      await this.#client.create(Namespace, { metadata: { name: NAMESPACE } });
    }
    await each(this.count, async (index) => {
      if (await this.#client.find(MyWeb, keyOf(index))) return;
      await this.#client.create(MyWeb, {
        metadata: keyOf(index),
        spec: {
          image: "nginx:1.27",
          pageContentHtml: `made in round ${this.#round}`,
        },
      });
    });
  }

  /**
   * Gives every fifth object another page, and deletes a ConfigMap of every tenth, for the operator
   * to repair.
   */
  async disturb(): Promise<void> {
    const round = ++this.#round;
    await each(this.count, async (index) => {
      if (index % 5 === round % 5) {
        const spec = { pageContentHtml: `changed in round ${round}` };
        await this.#client.patch(MyWeb, keyOf(index), mergePatch({ spec }));
      }
      if (index % 10 === round % 10) await this.#deleteIfThere(index);
    });
  }

  async #deleteIfThere(index: number): Promise<void> {
    if (await this.#client.find(ConfigMap, keyOf(index))) {
      await this.#client.delete(ConfigMap, keyOf(index));
    }
  }

  /** Waits until every object is in its expected state. @throws Error with the differences */
  async converged(timeoutMs: number): Promise<void> {
    await eventually(
      async () => {
        const wrong = await this.problems();
        if (wrong.length > 0)
          throw new Error(`${wrong.length} wrong: ${wrong.slice(0, 3).join("; ")}`);
      },
      { timeoutMs, intervalMs: 1000 },
    );
  }

  /** The number of objects of the operator's kinds in all namespaces, by their plural. */
  async totals(): Promise<ReadonlyMap<string, number>> {
    const kinds: [string, Token][] = [
      ["mywebs", MyWeb],
      ["configmaps", ConfigMap],
      ["deployments", Deployment],
      ["services", Service],
    ];
    const counted = kinds.map(
      async ([name, kind]) => [name, (await this.#client.list(kind)).length] as const,
    );
    return new Map(await Promise.all(counted));
  }

  /** The problems of the objects: missing, stale and surplus children, and an outdated status. */
  async problems(): Promise<string[]> {
    const namespace = { namespace: NAMESPACE };
    const [webs, configMaps, deployments, services] = await Promise.all([
      this.#client.list(MyWeb, namespace),
      this.#client.list(ConfigMap, namespace),
      this.#client.list(Deployment, namespace),
      this.#client.list(Service, namespace),
    ]);
    const wrong: string[] = [];
    if (webs.length !== this.count) wrong.push(`${webs.length} MyWebs`);
    const owned = {
      ConfigMap: byOwner(configMaps),
      Deployment: byOwner(deployments),
      Service: byOwner(services),
    };
    for (const [kind, owners] of Object.entries(owned)) {
      for (const [uid, children] of owners) {
        if (children.length > 1) wrong.push(`${children.length} of ${kind} for ${uid}`);
        if (!webs.some(({ metadata }) => metadata.uid === uid)) wrong.push(`${kind} of nobody`);
      }
    }
    for (const web of webs) {
      const { name, uid, generation } = web.metadata;
      const page = owned.ConfigMap.get(uid)?.[0]?.data?.["index.html"];
      if (page !== configMapFor(web).data?.["index.html"]) wrong.push(`ConfigMap ${name}`);
      const hash = owned.Deployment.get(uid)?.[0] && hashOf(owned.Deployment.get(uid)?.[0]);
      if (hash !== hashOf(deploymentFor(web))) wrong.push(`Deployment ${name}`);
      const port = owned.Service.get(uid)?.[0]?.spec?.ports?.[0]?.nodePort;
      if (port === undefined) wrong.push(`Service ${name}`);
      else if (web.status?.nodePort !== port) wrong.push(`nodePort of ${name}`);
      if (web.status?.observedGeneration !== generation) wrong.push(`status of ${name}`);
    }
    return wrong;
  }
}

const keyOf = (index: number): { namespace: string; name: string } => ({
  namespace: NAMESPACE,
  name: `web-${index}`,
});

function hashOf(deployment: Intent<Deployment> | undefined): string | undefined {
  return deployment?.spec?.template?.metadata?.annotations?.[PAGE_HASH];
}

function byOwner<T extends KubeObject>(objects: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const object of objects) {
    const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === "MyWeb");
    if (owner) found.set(owner.uid, [...(found.get(owner.uid) ?? []), object]);
  }
  return found;
}
