import { generateKeyPairSync } from "node:crypto";
import { type Server, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock, VirtualClock } from "../../../src/clock.ts";
import { afterEach, describe, expect, it } from "vitest";
import { CertificateAuthority } from "../../../src/controlplane/auth/certificates.ts";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { connectionOf } from "../../conformance/replay.ts";

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion?: string;
    readonly objects?: readonly Record<string, unknown>[];
    readonly object?: { readonly metadata: { readonly name?: string } };
  };
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A webhook that answers what `respond` says, with the authority that vouches for it. */
async function webhook(
  names: readonly string[],
  respond: (review: Review) => object,
): Promise<{ readonly address: string; readonly caBundle: string; readonly hosts: string[] }> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const authority = new CertificateAuthority(systemClock, privateKey);
  const { certificate, key } = authority.server(names);
  const hosts: string[] = [];
  const server: Server = createServer({ cert: certificate, key }, (asked, answer) => {
    const chunks: Buffer[] = [];
    hosts.push(asked.headers.host ?? "");
    asked.on("data", (chunk: Buffer) => chunks.push(chunk));
    asked.on("end", () => {
      const review = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Review;
      const { kind, apiVersion } = review;
      const response = { uid: review.request.uid, ...respond(review) };
      answer.setHeader("content-type", "application/json");
      answer.end(JSON.stringify({ kind, apiVersion, response }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(authority.certificate).toString("base64");
  return { address: `127.0.0.1:${port}`, caBundle, hosts };
}

async function started(
  serviceAddresses: Record<string, string>,
  controllers: "on" | "off" = "off",
  clock: Clock = systemClock,
): Promise<ControlPlane> {
  const controlPlane = await startControlPlane({
    serviceAddresses,
    clock,
    ...(controllers === "off" ? { controllers } : {}),
  });
  closing.push(() => controlPlane.stop());
  return controlPlane;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

async function ask(
  { kubeconfig }: ControlPlane,
  method: string,
  path: string,
  body?: object,
  until?: (text: string) => boolean,
): Promise<Reply> {
  const { server, ca, cert, key } = connectionOf(kubeconfig);
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return new Promise((resolve, reject) => {
    const headers = { "content-type": type };
    const sent = request(`${server}${path}`, { method, ca, cert, key, headers }, (response) => {
      let text = "";
      const finish = (): void => {
        const whole = until ? {} : (JSON.parse(text) as Record<string, unknown>);
        resolve({ status: response.statusCode ?? 0, text, body: whole });
      };
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (!until?.(text)) return;
        finish();
        sent.destroy();
      });
      response.on("end", finish);
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

const configuration = (clientConfig: object, more: object = {}): object => ({
  metadata: { name: "labels" },
  webhooks: [
    {
      name: "labels.example.com",
      clientConfig,
      rules: [
        {
          operations: ["CREATE"],
          apiGroups: [""],
          apiVersions: ["v1"],
          resources: ["configmaps"],
        },
      ],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      ...more,
    },
  ],
});

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const service = { namespace: "operator-system", name: "webhooks", path: "/mutate" };

describe("A webhook behind a service", () => {
  it("is found where its annotation says, and not found with the way to route it", async () => {
    const hook = await webhook(["webhooks.operator-system.svc"], () => ({ allowed: true }));
    const controlPlane = await started({});
    const path = `${ADMISSION}/validatingwebhookconfigurations`;
    const clientConfig = { service, caBundle: hook.caBundle };
    await ask(controlPlane, "POST", path, configuration(clientConfig));
    const create = async (): Promise<unknown> =>
      (await ask(controlPlane, "POST", CONFIG_MAPS, { metadata: { generateName: "x" } })).body[
        "message"
      ];
    await ask(controlPlane, "POST", "/api/v1/namespaces", {
      metadata: { name: "operator-system" },
    });
    const services = "/api/v1/namespaces/operator-system/services";
    const spec = { ports: [{ port: 443 }] };
    await ask(controlPlane, "POST", services, { metadata: { name: "webhooks" }, spec });
    expect(await create()).toMatch(
      /no route to host .*--route-service operator-system\/webhooks=host:port, or with the annotation tsop.dev\/route/,
    );
    const annotate = (route: string | null): Promise<Reply> =>
      ask(controlPlane, "PATCH", `${services}/webhooks`, {
        metadata: { annotations: { "tsop.dev/route": route } },
      });
    await annotate(hook.address);
    expect(await create()).toBeUndefined();
    await annotate(`8443=127.0.0.1:1, 443=${hook.address}`);
    expect(await create()).toBeUndefined();
    await annotate("8443=127.0.0.1:1");
    expect(await create()).toContain("no route to host");
    await annotate("somewhere");
    expect(await create()).toContain('"operator-system/webhooks" is "somewhere": write host:port');
    await annotate(null);
    expect(await create()).toContain("no route to host");
  });

  it("is found where it is routed to while the control plane runs, and waited for where that is known soon", async () => {
    const hook = await webhook(["webhooks.operator-system.svc"], () => ({ allowed: true }));
    const clock = new VirtualClock({ startMs: systemClock.now() });
    const controlPlane = await started({}, "off", clock);
    const clientConfig = { service, caBundle: hook.caBundle };
    const path = `${ADMISSION}/validatingwebhookconfigurations`;
    await ask(controlPlane, "POST", path, configuration(clientConfig, { timeoutSeconds: 3 }));
    const create = (name: string): Promise<Reply> =>
      ask(controlPlane, "POST", CONFIG_MAPS, { metadata: { name } });
    expect((await create("unrouted")).text).toContain('service \\"webhooks\\" not found');

    let open: (address: string) => void = () => undefined;
    const soon = new Promise<string>((resolve) => (open = resolve));
    controlPlane.routeService("operator-system/webhooks", soon);
    const waiting = create("waited");
    open(hook.address);
    expect((await waiting).status).toBe(201);

    const never = new Promise<string>(() => undefined);
    // The time begins when the control plane waits for the address.
    const wait = never.then.bind(never);
    never.then = (...then) => {
      void clock.advance(3000);
      return wait(...then);
    };
    controlPlane.routeService("operator-system/webhooks", never);
    expect((await create("never")).text).toContain("context deadline exceeded");
    controlPlane.routeService("operator-system/webhooks", Promise.reject(new Error("no server")));
    expect((await create("failed")).text).toContain("no server");

    controlPlane.routeService("operator-system/webhooks", hook.address);
    const fork = await controlPlane.fork();
    closing.push(() => fork.stop());
    controlPlane.routeService("operator-system/webhooks", undefined);
    expect((await create("again")).status).toBe(500);
    const forked = await ask(fork, "POST", CONFIG_MAPS, { metadata: { name: "forked" } });
    expect(forked.status).toBe(201);
  });

  it("is called at the address that was given for the service, under the service's name", async () => {
    const patch = [{ op: "add", path: "/metadata/labels", value: { seen: "yes" } }];
    const hook = await webhook(["webhooks.operator-system.svc"], () => ({
      allowed: true,
      patchType: "JSONPatch",
      patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
    }));
    const controlPlane = await started({ "operator-system/webhooks": hook.address });
    const clientConfig = { service, caBundle: hook.caBundle };
    const path = `${ADMISSION}/mutatingwebhookconfigurations`;
    await ask(controlPlane, "POST", path, configuration(clientConfig));
    const { status, body } = await ask(controlPlane, "POST", CONFIG_MAPS, {
      metadata: { name: "a" },
    });
    expect(status).toBe(201);
    expect(body["metadata"]).toMatchObject({ labels: { seen: "yes" } });
    expect(hook.hosts).toEqual(["webhooks.operator-system.svc:443"]);
  });

  it("cannot be called when nothing is known of the service; failurePolicy decides then", async () => {
    const controlPlane = await started({});
    const path = `${ADMISSION}/validatingwebhookconfigurations`;
    await ask(controlPlane, "POST", path, configuration({ service }));
    const refused = await ask(controlPlane, "POST", CONFIG_MAPS, { metadata: { name: "a" } });
    expect(refused.body["message"]).toBe(
      'Internal error occurred: failed calling webhook "labels.example.com": failed to call webhook: Post "https://webhooks.operator-system.svc:443/mutate?timeout=10s": service "webhooks" not found',
    );
    await ask(controlPlane, "DELETE", `${path}/labels`);
    await ask(controlPlane, "POST", path, configuration({ service }, { failurePolicy: "Ignore" }));
    const taken = await ask(controlPlane, "POST", CONFIG_MAPS, { metadata: { name: "a" } });
    expect(taken.status).toBe(201);
  });

  it("is not trusted under another name than the service's", async () => {
    const hook = await webhook(["localhost"], () => ({ allowed: true }));
    const controlPlane = await started({ "operator-system/webhooks": hook.address });
    const clientConfig = { service, caBundle: hook.caBundle };
    const path = `${ADMISSION}/validatingwebhookconfigurations`;
    await ask(controlPlane, "POST", path, configuration(clientConfig));
    const { status, text } = await ask(controlPlane, "POST", CONFIG_MAPS, {
      metadata: { name: "a" },
    });
    expect(status).toBe(500);
    expect(text).toContain("tls: failed to verify certificate: x509:");
  });
});

const version = (name: string, field: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: { type: "object", properties: { [field]: { type: "integer" } } },
      },
    },
  },
});

/** A control plane with a kind whose versions call one field `size` and `count`. */
async function withWidgets(controllers: "on" | "off"): Promise<ControlPlane> {
  const fields: Record<string, string> = { "example.com/v1": "size", "example.com/v2": "count" };
  const hook = await webhook(["webhooks.operator-system.svc"], ({ request: asked }) => ({
    result: { status: "Success" },
    convertedObjects: (asked.objects ?? []).map((object) => {
      const [from, to] = [object["apiVersion"] as string, asked.desiredAPIVersion ?? ""];
      const { [fields[from] ?? ""]: value } = object["spec"] as Record<string, unknown>;
      return { ...object, apiVersion: to, spec: { [fields[to] ?? ""]: value } };
    }),
  }));
  const controlPlane = await started({ "operator-system/webhooks": hook.address }, controllers);
  const clientConfig = { service, caBundle: hook.caBundle };
  await ask(controlPlane, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [version("v1", "size", true), version("v2", "count", false)],
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig, conversionReviewVersions: ["v1"] },
      },
    },
  });
  await controlPlane.settle();
  return controlPlane;
}

const widgets = (name: string): string => `/apis/example.com/${name}/namespaces/default/widgets`;

describe("A conversion webhook", () => {
  it("serves reads, watches in their order, and the owners of fields in another version", async () => {
    const controlPlane = await withWidgets("off");
    const created = await ask(controlPlane, "POST", widgets("v1"), {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w" },
      spec: { size: 1 },
    });
    expect(created.status).toBe(201);
    const changed = await ask(controlPlane, "PATCH", `${widgets("v2")}/w?fieldManager=second`, {
      spec: { count: 2 },
    });
    expect(changed.body["spec"]).toEqual({ count: 2 });
    expect(JSON.stringify(changed.body["metadata"])).toContain('"f:spec":{"f:count":{}}');
    const read = await ask(controlPlane, "GET", `${widgets("v1")}/w`);
    expect(read.body["spec"]).toEqual({ size: 2 });
    const { resourceVersion } = created.body["metadata"] as { resourceVersion: string };
    const before = Number(resourceVersion) - 1;
    const watch = `${widgets("v2")}?watch=1&resourceVersion=${before}`;
    const twoLines = (text: string): boolean => text.split("\n").length > 2;
    const { text } = await ask(controlPlane, "GET", watch, undefined, twoLines);
    const events = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; object: { spec: object } });
    expect(events.map(({ type, object }) => [type, object.spec])).toEqual([
      ["ADDED", { count: 1 }],
      ["MODIFIED", { count: 2 }],
    ]);
  });

  it("converts what is read while others write, and what controllers have looked at before", async () => {
    const controlPlane = await withWidgets("on");
    const widget = (size: number): object => ({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w" },
      spec: { size },
    });
    const created = await ask(controlPlane, "POST", widgets("v1"), widget(0));
    const { uid } = created.body["metadata"] as { uid: string };
    const owner = { apiVersion: "example.com/v1", kind: "Widget", name: "w", uid };
    const metadata = { name: "owned", ownerReferences: [owner] };
    await ask(controlPlane, "POST", CONFIG_MAPS, { metadata });
    await controlPlane.settle();
    const write = async (): Promise<void> => {
      for (let size = 1; size <= 40; size++) {
        await ask(controlPlane, "PATCH", `${widgets("v1")}/w`, { spec: { size } });
      }
    };
    const seen: unknown[] = [];
    const read = async (path: string): Promise<void> => {
      for (let round = 0; round < 40; round++) {
        const { body } = await ask(controlPlane, "GET", path);
        const [object = body] = (body["items"] as Record<string, unknown>[] | undefined) ?? [];
        seen.push(object["spec"]);
      }
    };
    await Promise.all([write(), read(`${widgets("v2")}/w`), read(widgets("v2"))]);
    expect(seen).toHaveLength(80);
    expect(seen.filter((spec) => !Object.hasOwn(spec as object, "count"))).toEqual([]);
  });
});
