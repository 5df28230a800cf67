/**
 * A kind with defaults, checks and two versions, made by the commands alone: its objects are made in the old version, then it
 * gets a new one that is stored, and all are rewritten while others write.
 */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { systemClock } from "../../../src/clock.ts";
import { messageOf } from "../../../src/errors.ts";
import type { Client } from "../../../src/index.ts";
import { mergePatch } from "../../../src/index.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import type { Kubectl } from "../../support/kubectl.ts";
import type { Newcomer } from "./newcomer.ts";

const KIND = "--group web --kind Widget";
const WRITERS = 8;

const widget = (version: string): ResourceType<Widget> => ({
  group: "web.example.com",
  version,
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
});

interface Widget extends KubeObject {
  readonly spec: { readonly size?: number; readonly color?: string; readonly weight?: number };
}

interface Crd extends KubeObject {
  readonly status?: { readonly storedVersions?: readonly string[] };
}

const CRD: ResourceType<Crd> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** What a migration under load came to. */
export interface LoadReport {
  readonly objects: number;
  readonly requests: number;
  readonly seconds: number;
  /** What went wrong with requests of the writers. */
  readonly failures: readonly string[];
  readonly storedVersions: readonly string[];
}

/** Where the journey takes place. */
export class WebhookJourney {
  readonly folder: string;
  readonly #newcomer: Newcomer;

  constructor(newcomer: Newcomer) {
    this.#newcomer = newcomer;
    this.folder = join(newcomer.home, "shop");
  }

  /** Runs a command in the project. */
  tsop(line: string): Promise<string> {
    return this.#newcomer.succeed(`npx tsop ${line}`, this.folder);
  }

  /** A project with the old version of the kind. */
  async begin(): Promise<void> {
    await this.#newcomer.succeed("npx tsop init shop --domain example.com");
    const fields = "--field size:int32=1 --field color:string?";
    await this.tsop(`create api ${KIND} --version v1alpha1 ${fields}`);
    await this.tsop("manifests");
  }

  /** The new version, which is stored, and webhooks of all types. */
  async addWebhooks(): Promise<void> {
    const fields = "--field size:int32=1 --field weight:int32?";
    await this.tsop(`create api ${KIND} --version v1 ${fields}`);
    await this.tsop(
      `create webhook ${KIND} --version v1 --defaulting --validation --conversion --spoke v1alpha1`,
    );
    await this.tsop("manifests");
  }

  /** Makes objects in the old version. */
  async fill(client: Client, count: number): Promise<void> {
    for (let index = 0; index < count; index++) await client.create(widget("v1alpha1"), old(index));
  }

  /** What a user sees of the webhooks, with kubectl. @throws Error what is not as it should be */
  async look(kubectl: Kubectl): Promise<void> {
    const one = JSON.stringify({ ...old("looked-at"), ...KIND_OF("v1alpha1") });
    await kubectl.output(["apply", "-f", "-"], one);
    const read = async (version: string): Promise<Widget> => {
      const name = `widgets.${version}.web.example.com`;
      return JSON.parse(
        await kubectl.output(["get", name, "looked-at", "-n", "default", "-o", "json"]),
      ) as Widget;
    };
    const [stored, shown] = [await read("v1"), await read("v1alpha1")];
    const label = stored.metadata.labels?.["app.kubernetes.io/part-of"];
    expectSame(label, "shop", "the default in v1");
    expectSame(stored.spec, { size: 3 }, "the spec in v1");
    expectSame(shown.spec, { size: 3, color: "red" }, "the spec in v1alpha1");
    const name = "a".repeat(53);
    for (const version of ["v1", "v1alpha1"]) {
      const bad = JSON.stringify({ ...KIND_OF(version), metadata: { name }, spec: { size: 1 } });
      const { code, stderr } = await kubectl.run(["apply", "-n", "default", "-f", "-"], bad);
      if (code === 0) await kubectl.output(["delete", "widget", name, "-n", "default"]);
      if (code === 0 || !/metadata\.name: .*must be no more than 52 characters/.test(stderr)) {
        throw new Error(`a name that is too long in ${version}: ${code} ${stderr}`);
      }
    }
    await kubectl.output(["delete", "widget", "looked-at", "-n", "default"]);
  }

  /** What only the old version says is still there. @throws Error what is lost */
  async expectNothingLost(client: Client): Promise<void> {
    for (const object of await client.list(widget("v1alpha1"))) {
      expectSame(object.spec.color, "red", `the color in ${JSON.stringify(object)}`);
    }
  }

  /** Rewrites all objects while writers create, change, read and delete them in both versions. */
  async migrate(client: Client, kubeconfig: string): Promise<LoadReport> {
    const objects = (await client.list(widget("v1"))).length;
    const stop = new AbortController();
    const failures: string[] = [];
    let requests = 0;
    const send = async (request: () => Promise<unknown>): Promise<void> => {
      requests++;
      await request().catch((error: unknown) => failures.push(messageOf(error)));
    };
    const writer = async (number: number): Promise<void> => {
      // A round at least, however fast the migration is.
      for (let round = 0; round === 0 || !stop.signal.aborted; round++) {
        const one = round % 2 === 0 ? "v1" : "v1alpha1";
        const other = round % 2 === 0 ? "v1alpha1" : "v1";
        const key = keyOf((number + round * WRITERS) % objects);
        const size = mergePatch({ spec: { size: round + 2 } });
        await send(() => client.patch(widget(one), key, size));
        await send(() => client.get(widget(other), key));
        const fresh = old(`writer-${number}-${round}`);
        await send(() => client.create(widget(one), fresh));
        await send(() => client.delete(widget(other), keyOf(`writer-${number}-${round}`)));
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, number) => writer(number));
    const beganMs = systemClock.monotonicMs();
    try {
      await this.tsop(`migrate --kubeconfig ${kubeconfig}`);
    } finally {
      stop.abort();
      await Promise.all(writers);
    }
    const seconds = (systemClock.monotonicMs() - beganMs) / 1000;
    const { status } = await client.get(CRD, { name: "widgets.web.example.com" });
    await this.expectNothingLost(client);
    const storedVersions = status?.storedVersions ?? [];
    return { objects, requests, seconds, failures, storedVersions };
  }
}

const KIND_OF = (version: string): { apiVersion: string; kind: string } => ({
  apiVersion: `web.example.com/${version}`,
  kind: "Widget",
});

const keyOf = (name: number | string): { namespace: string; name: string } => ({
  namespace: "default",
  name: typeof name === "number" ? `widget-${name}` : name,
});

const old = (
  name: number | string,
): { metadata: { namespace: string; name: string }; spec: Widget["spec"] } => ({
  metadata: keyOf(name),
  spec: { size: 3, color: "red" },
});

/** @throws Error what is not as it should be */
export function expectSame(found: unknown, wanted: unknown, what: string): void {
  if (isDeepStrictEqual(found, wanted)) return;
  throw new Error(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}
