/**
 * Operators with the rights of their generated roles alone, against a control plane that enforces RBAC: they become
 * ready, do their work, and are refused nothing.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/kube/object.ts";
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  Event,
  Lease,
  ServiceAccount,
} from "../../src/k8s.ts";
import { clientFor, eventually, type ControlPlane } from "../../src/testing.ts";
import { newProject, runCli } from "../cli/support/run-cli.ts";
import { DeployedOperator, tokenOf } from "../support/deployed-operator.ts";
import { exampleOnSources, useSources } from "../support/example.ts";

/** A controller without `@Rbac` that tries each call, and writes down which failed. */
const BUSY = `import {
  addFinalizer, controllerFor, createOrUpdate, mergePatch, metadataOf, removeFinalizer, timerSource,
  type Client, type EventRecorder, type Manager, type Reconciler, type Request, type Token,
} from "tsop";
import { ConfigMap, Deployment, Namespace, Pod, Secret, Service, ServiceAccount } from "tsop/k8s";
import { Page } from "../api/v1/page.ts";

const namespace = "default";
const KINDS = [Service, ServiceAccount] as const;
const labels = { made: "by-page" };

export class PageReconciler implements Reconciler {
  readonly #client: Client;
  readonly #recorder: EventRecorder;
  constructor(client: Client, recorder: EventRecorder) {
    this.#client = client;
    this.#recorder = recorder;
  }

  async reconcile({ key }: Request): Promise<void> {
    const page = await this.#client.find(Page, key);
    if (!page) return;
    await this.#client.status.patch(page, () => ({ observedGeneration: 1 }));
    this.#recorder.event(page, { type: "Normal", reason: "Worked", action: "Work", message: "Done." });
  }
}

async function everything(client: Client): Promise<string> {
  const failed: string[] = [];
  const attempt = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failed.push(name + ": " + String(error));
    }
  };
  const key = { namespace, name: "page" };
  const page = await client.create(Page, { metadata: key, spec: { message: "hello" } });
  await attempt("apply with an owner", () =>
    client.apply(ConfigMap, { metadata: key, data: { a: "1" } }, { owner: page }));
  await attempt("status", () => client.status.patch(page, (status) => ({ ...status, observedGeneration: 1 })));
  await attempt("finalizer", async () => {
    const held = await addFinalizer(client, ConfigMap, await client.live.get(ConfigMap, key), "web.example.com/hold");
    await removeFinalizer(client, ConfigMap, held, "web.example.com/hold");
  });
  await attempt("create", () => client.create(Secret, { metadata: key, stringData: { a: "1" } }));
  await attempt("live", () => client.live.get(Secret, key));
  await attempt("update", async () => {
    const secret = await client.live.get(Secret, key);
    await client.update(Secret, { ...secret, data: { b: "Mg==" } });
  });
  await attempt("patch", () => client.patch(Secret, key, mergePatch({ data: { c: "Mw==" } })));
  await attempt("delete", () => client.delete(Secret, key));
  await attempt("deleteAllOf", () => client.deleteAllOf(ConfigMap, { namespace, labels }));
  await attempt("metadata", () => client.live.list(metadataOf(Pod), { namespace }));
  await attempt("createOrUpdate", () =>
    createOrUpdate(client, Deployment, key, (deployment) => {
      deployment.spec = {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } },
      };
    }));
  await attempt("scale", () => client.subresource("scale").patch(Deployment, key, mergePatch({ spec: { replicas: 2 } })));
  await attempt("helper of kinds", () => each(KINDS, async (kind) => {
    for (const one of await client.live.list(kind, { namespace, labels })) await client.delete(kind, {
      namespace, name: one.metadata.name,
    });
  }));
  await attempt("by name", async () => {
    const kind = await client.dynamic("v1", "Namespace");
    await client.get(kind, { name: namespace });
  });
  await attempt("token", () =>
    client.subresource("token").create(ServiceAccount, { namespace, name: "default" }, {
      apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {},
    }));
  await attempt("all", async () => {
    for await (const one of client.live.listAll(Namespace)) void one;
  });
  return failed.join("; ");
}

async function each(kinds: readonly Token[], run: (kind: Token) => Promise<void>): Promise<void> {
  for (const kind of kinds) await run(kind);
}

export function setUpPage(manager: Manager): void {
  const client = manager.client;
  controllerFor(manager)
    .for(Page)
    .owns(ConfigMap)
    .watches(Deployment, () => [])
    .watchesSource(timerSource(manager, Page, { everyMs: 60_000 }))
    .complete(new PageReconciler(client, manager.recorder("pages")));
  manager.add({
    name: "everything",
    start: async () => {
      const failed = await everything(client);
      await client.apply(ConfigMap, { metadata: { namespace, name: "told" }, data: { failed } });
    },
  });
}
`;

/** Against what hangs: real processes on a machine that others use, too. */
const PATIENCE = { timeoutMs: 60_000 };

/** What a server refused, as the operator's own metrics count it. */
const REFUSED = /^rest_client_requests_total\{[^}]*code="403".*$/gm;

/** A service account that may read the metrics when its role is bound. */
async function accountOf(operator: DeployedOperator, name: string, role?: string): Promise<string> {
  const client = clientFor(operator.cluster);
  const namespace = "default";
  await client.create(ServiceAccount, { metadata: { namespace, name } });
  if (role !== undefined) {
    await client.create(ClusterRoleBinding, {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", namespace, name }],
    });
  }
  return tokenOf(operator.cluster, { namespace, name });
}

/** Ready, by its own word and the kubelet's; the holder of its Lease. */
async function expectAtWork(operator: DeployedOperator, name: string): Promise<void> {
  await operator.untilReady(name);
  expect(await operator.readyz()).toBe(200);
  const client = clientFor(operator.cluster);
  const { namespace } = operator;
  const [lease] = await client.list(Lease, { namespace });
  expect(lease?.spec?.holderIdentity).toMatch(/./);
}

async function expectNothingRefused(operator: DeployedOperator, name: string): Promise<void> {
  const reader = await accountOf(operator, "prometheus", `${name}-metrics-reader`);
  const { status, body } = await operator.scrape(reader);
  expect(status).toBe(200);
  expect(body).toMatch(/^rest_client_requests_total\{[^}]*code="200"/m);
  expect(body.match(REFUSED) ?? []).toEqual([]);
  const log = operator.lines.join("\n");
  expect(log).not.toMatch(/forbidden|may not /i);
}

/** A project by these commands, with its manifests. */
async function projectBy(flags: readonly string[], ...commands: string[]): Promise<string> {
  const folder = await newProject(...flags);
  useSources(folder);
  for (const command of [...commands, "manifests"]) {
    const { code, err } = await runCli(folder, command.split(" "));
    if (code !== 0) throw new Error(err);
  }
  return folder;
}

/** Applies the project's own samples, and waits until each is ready. */
async function untilSamplesReady(cluster: ControlPlane, folder: string, sample: string) {
  const client = clientFor(cluster);
  const text = readFileSync(join(folder, "config/samples", sample), "utf8");
  const object = parseAllDocuments(text)[0]?.toJS() as KubeObject;
  const namespace = object.metadata.namespace ?? "default";
  object.metadata.namespace = namespace;
  const kind = await client.dynamic(object.apiVersion, object.kind);
  await client.create(kind, object);
  await eventually(async () => {
    const { status } = (await client.get(kind, {
      namespace,
      name: object.metadata.name,
    })) as KubeObject & { status?: { conditions?: { type: string; status: string }[] } };
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "True" }),
    );
  }, PATIENCE);
  return { client, kind, key: { namespace, name: object.metadata.name } };
}

describe("with its generated role alone", { timeout: 240_000 }, () => {
  it("the example becomes ready, serves its page, cleans up, and is refused nothing", async () => {
    const example = exampleOnSources();
    try {
      await using operator = await DeployedOperator.deploy(example.folder, "myweb");
      await expectAtWork(operator, "myweb");
      const sample = "operator_v1_myweb.yaml";
      const made = await untilSamplesReady(operator.cluster, example.folder, sample);
      const page = { namespace: made.key.namespace, name: made.key.name };
      expect(await made.client.find(ConfigMap, page)).toBeDefined();
      await made.client.delete(made.kind, made.key);
      await eventually(async () => {
        expect(await made.client.find(ConfigMap, page)).toBeUndefined();
      }, PATIENCE);
      await expectNothingRefused(operator, "myweb");
    } finally {
      example.remove();
    }
  });

  it("a scaffolded kind becomes ready, and its metrics are read by who is bound to the role, and nobody else", async () => {
    const folder = await projectBy([], "create api --group web --version v1 --kind Page");
    await using operator = await DeployedOperator.deploy(folder, "shop");
    await expectAtWork(operator, "shop");
    await untilSamplesReady(operator.cluster, folder, "web_v1_page.yaml");
    expect((await operator.scrape()).status).toBe(401);
    expect((await operator.scrape("no-such-token")).status).toBe(401);
    expect((await operator.scrape(await accountOf(operator, "somebody"))).status).toBe(403);
    await expectNothingRefused(operator, "shop");
    const client = clientFor(operator.cluster);
    await client.delete(ClusterRoleBinding, { name: "shop-metrics-auth-rolebinding" });
    // Who may not ask the cluster lets nobody in.
    const later = await accountOf(operator, "later", "shop-metrics-reader");
    expect((await operator.scrape(later)).status).toBeGreaterThanOrEqual(401);
  });

  it("a scaffold of one namespace becomes ready", async () => {
    const commands = "create api --group web --version v1 --kind Page";
    const folder = await projectBy(["--namespaced"], commands);
    const sample = join(folder, "config/samples/web_v1_page.yaml");
    const text = readFileSync(sample, "utf8");
    writeFileSync(sample, text.replace("metadata:\n", "metadata:\n  namespace: shop-system\n"));
    await using operator = await DeployedOperator.deploy(folder, "shop");
    await expectAtWork(operator, "shop");
    await untilSamplesReady(operator.cluster, folder, "web_v1_page.yaml");
    await expectNothingRefused(operator, "shop");
  });

  it("a controller of a built-in kind alone becomes ready", async () => {
    const command = "create api --group apps --version v1 --kind Deployment --no-resource";
    const folder = await projectBy([], command);
    await using operator = await DeployedOperator.deploy(folder, "shop");
    await expectAtWork(operator, "shop");
    await expectNothingRefused(operator, "shop");
  });

  it("a program that does all that a client can becomes ready, and is refused nothing", async () => {
    const folder = await projectBy([], "create api --group web --version v1 --kind Page");
    writeFileSync(join(folder, "src/controllers/page-controller.ts"), BUSY);
    const { err } = await runCli(folder, ["manifests"]);
    expect(err).toBe("");
    await using operator = await DeployedOperator.deploy(folder, "shop");
    await expectAtWork(operator, "shop");
    const client = clientFor(operator.cluster);
    await eventually(async () => {
      const { data } = await client.get(ConfigMap, { namespace: "default", name: "told" });
      expect(data).toEqual({ failed: "" });
    }, PATIENCE);
    await eventually(async () => {
      const events = await client.list(Event, { namespace: "default" });
      expect(events.map(({ reason }) => reason)).toContain("Worked");
    }, PATIENCE);
    await expectNothingRefused(operator, "shop");
  });

  it("a role that lacks a right keeps the operator's Deployment unavailable, with the rule to add", async () => {
    const command = "create api --group apps --version v1 --kind Deployment --no-resource";
    const folder = await projectBy([], command);
    await using operator = await DeployedOperator.deploy(folder, "shop", async (cluster) => {
      const client = clientFor(cluster);
      const role = await client.get(ClusterRole, { name: "shop-manager-role" });
      const rules = (role.rules ?? []).map((rule) => ({
        ...rule,
        verbs: rule.verbs.filter((verb) => verb !== "watch"),
      }));
      await client.update(ClusterRole, { ...role, rules });
    });
    await eventually(() => {
      expect(operator.lines.join("\n")).toMatch(/not allowed to .*deployments/);
    }, PATIENCE);
    expect(await operator.readyz()).toBe(500);
    const key = { namespace: operator.namespace, name: "shop-controller-manager" };
    const { status } = await clientFor(operator.cluster).get(Deployment, key);
    expect(status?.readyReplicas ?? 0).toBe(0);
  });
});
