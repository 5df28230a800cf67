import { X509Certificate } from "node:crypto";
import {
  createManager,
  findCondition,
  isControlledBy,
  mergePatch,
  type Client,
  type Manager,
} from "tsop";
import { ConfigMap, Deployment, Ingress, Secret, Service } from "tsop/k8s";
import {
  clientFor,
  installOperator,
  silentLogger,
  startControlPlane,
  VirtualClock,
  type ControlPlane,
} from "tsop/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Certificate } from "../src/api/v1/certificate.ts";
import { setUpCertificate } from "../src/controllers/certificate-controller.ts";
import { AcmeServer, type Problem } from "./support/acme-server.ts";
import { Edge } from "./support/edge.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 1);
const namespace = "default";
const key = { namespace, name: "shop" };
const tls = { namespace, name: "shop-tls" };
const dnsNames = ["shop.example.com", "www.shop.example.com"];

describe("Certificate", { timeout: 300_000 }, () => {
  let clock: VirtualClock;
  let cluster: ControlPlane;
  let client: Client;
  let edge: Edge;
  let acme: AcmeServer;
  let operator: { readonly manager: Manager; end(): Promise<void> };
  let start: () => typeof operator;

  beforeEach(async () => {
    clock = new VirtualClock({ startMs: START_MS });
    cluster = await startControlPlane({ clock, listen: false });
    client = clientFor(cluster);
    edge = await Edge.start(() => client);
    acme = await AcmeServer.start({
      clock,
      fetch: edge.fetch,
      lifetimeMs: (host) => (host.startsWith("short.") ? 6 : 90) * DAY_MS,
    });
    const config = await installOperator(cluster); // The CRD, and the rights of the operator.
    start = () => {
      const manager = createManager({ config, log: silentLogger });
      const { directoryUrl } = acme;
      setUpCertificate(manager, { directoryUrl, fetch: edge.fetch, email: "ops@example.com" });
      const stop = new AbortController();
      const running = manager.start(stop.signal);
      const end = async (): Promise<void> => {
        stop.abort();
        await clock.advance(0);
        await running;
      };
      return { manager, end };
    };
    operator = start();
  });

  afterEach(async () => {
    await operator.end();
    await acme.stop();
    await edge.stop();
    await cluster.stop();
  });

  /** Time passes, from one thing that the operator waits for to the next: what it asks the ACME server takes none. */
  async function pass(forMs: number): Promise<void> {
    const endMs = clock.now() + forMs;
    for (;;) {
      const { waiting } = await operator.manager.idle({ timeoutMs: 60_000 });
      const nowMs = clock.now();
      if (nowMs >= endMs) return;
      const nextMs = Math.min(endMs, ...waiting.map(({ atMs }) => atMs));
      await clock.advance(Math.max(nextMs - nowMs, 1));
      await cluster.settle();
    }
  }

  const create = async (name = "shop", hosts = dnsNames): Promise<void> => {
    const spec = { secretName: `${name}-tls`, dnsNames: hosts };
    await client.create(Certificate, { metadata: { namespace, name }, spec });
  };
  const condition = async (type: string, name = "shop") =>
    findCondition((await client.get(Certificate, { namespace, name })).status?.conditions, type);

  /** The certificate in a Secret. */
  async function certificate(name = "shop"): Promise<X509Certificate> {
    const { data } = await client.get(Secret, { namespace, name: `${name}-tls` });
    return new X509Certificate(Buffer.from(data?.["tls.crt"] ?? "none", "base64"));
  }

  /** All objects that the operator may have made. */
  async function names(): Promise<string[]> {
    const objects = [
      ...(await client.list(Secret, { namespace })),
      ...(await client.list(Deployment, { namespace })),
      ...(await client.list(Service, { namespace })),
      ...(await client.list(Ingress, { namespace })),
      ...(await client.list(ConfigMap, { namespace })),
    ];
    const own = objects.filter(({ metadata }) => !metadata.name.startsWith("kube"));
    return own.map(({ metadata }) => metadata.name).sort();
  }

  it("S3-03 proves its hosts over HTTP, and has key and certificate in its Secret", async () => {
    await create();
    await pass(MINUTE_MS);
    expect((await condition("Ready"))?.status).toBe("True");
    expect((await certificate()).subjectAltName).toBe(
      dnsNames.map((host) => `DNS:${host}`).join(", "),
    );
    const secret = await client.get(Secret, tls);
    expect(secret.type).toBe("kubernetes.io/tls");
    expect(isControlledBy(secret, { owner: await client.get(Certificate, key) })).toBe(true);
    // The operator and the ACME server have both read both answers.
    expect(edge.answered).toBe(4);
    expect(acme.orders.map(({ status }) => status)).toEqual(["valid"]);

    expect(await names()).toEqual(["acme-account", "shop-tls"]);
    await client.delete(Certificate, key);
    await pass(MINUTE_MS);
    expect(await names()).toEqual(["acme-account"]);
  });

  it("S3-03 is renewed after two thirds of its lifetime, and never ends, whatever fails in 60 days", async () => {
    await create("long", ["long.example.com"]);
    await create("short", ["short.example.com"]);
    const random = new VirtualClock({ seed: 7 });
    const faults: Problem[] = [
      { status: 400, type: "badNonce" },
      { status: 429, type: "rateLimited", retryAfterSeconds: 3 * 3600 },
      { status: 500, type: "serverInternal" },
    ];
    acme.fault = () =>
      random.random() < 0.1 ? faults[Math.floor(random.random() * 3)] : undefined;
    acme.reaches = () => random.random() < 0.8;
    await pass(HOUR_MS);
    for (let day = 1; day <= 61; day++) {
      // Most of the day there is no operator.
      await operator.end();
      await clock.advance((17 + random.random()) * HOUR_MS);
      operator = start();
      await pass(START_MS + day * DAY_MS + HOUR_MS - clock.now());
      for (const name of ["long", "short"]) {
        expect((await condition("Ready", name))?.status).toBe("True");
        expect(Date.parse((await certificate(name)).validTo)).toBeGreaterThan(clock.now());
      }
    }
    const issued = (host: string) =>
      acme.orders.filter(({ hosts, status }) => hosts.includes(host) && status === "valid");
    const [, renewal] = issued("long.example.com");
    expect(renewal?.madeAtMs).toBeGreaterThanOrEqual(START_MS + 60 * DAY_MS);
    expect(issued("long.example.com")).toHaveLength(2);
    expect(issued("short.example.com").length).toBeGreaterThan(12);
    expect(issued("short.example.com").length).toBeLessThan(17);
    // Each other order failed, because its host was not reached.
    const others = acme.orders.filter(({ status }) => status !== "valid");
    expect(others.map(({ status }) => status)).toEqual(others.map(() => "invalid"));
    expect(acme.doubleOrders).toBe(0);
    expect(acme.accounts).toBe(1);
  });

  it("goes on with its order and its key when the operator is restarted after any step", async () => {
    await create();
    for (let step = 0; step < 12; step++) {
      await pass(3 * SECOND_MS);
      await operator.end();
      operator = start();
    }
    await pass(MINUTE_MS);
    expect((await condition("Ready"))?.status).toBe("True");
    expect(acme.orders).toHaveLength(1);
    expect(acme.accounts).toBe(1);
  });

  it("leaves a Secret that is not its own as it is, also one that comes while the order is under way", async () => {
    const foreign = { metadata: tls, stringData: { password: "secret" } };
    const { data } = await client.create(Secret, foreign);
    await create();
    await pass(MINUTE_MS);
    expect(acme.orders).toEqual([]);
    expect(await condition("Issuing")).toMatchObject({ status: "False", reason: "SecretTaken" });

    await client.delete(Secret, tls);
    await pass(5 * SECOND_MS);
    expect(acme.orders).toHaveLength(1);
    await client.create(Secret, foreign);
    await pass(MINUTE_MS);
    expect((await client.get(Secret, tls)).data).toEqual(data);
    expect((await condition("Issuing"))?.reason).toBe("SecretTaken");

    await client.delete(Secret, tls);
    await pass(MINUTE_MS);
    expect((await condition("Ready"))?.status).toBe("True");
    expect(acme.orders).toHaveLength(1);
  });

  it("asks nothing for as long as the ACME server wants, also after a restart", async () => {
    let asked = 0;
    acme.fault = () => {
      asked++;
      return { status: 429, type: "rateLimited", detail: "too many", retryAfterSeconds: 7200 };
    };
    await create();
    await pass(MINUTE_MS);
    expect(asked).toBe(1);
    expect(await condition("Issuing")).toMatchObject({
      reason: "RateLimited",
      message: "The ACME server answers 429: too many",
    });
    await operator.end();
    operator = start();
    await pass(2 * HOUR_MS - 2 * MINUTE_MS);
    expect(asked).toBe(1);
    acme.fault = () => undefined;
    await pass(3 * MINUTE_MS);
    expect((await condition("Ready"))?.status).toBe("True");
  });

  it("makes a new order later, each time twice as late, when a host could not be proven", async () => {
    acme.reaches = (host) => !host.startsWith("www.");
    await create();
    await pass(4 * HOUR_MS);
    expect(acme.orders.map(({ madeAtMs }) => Math.round((madeAtMs - START_MS) / HOUR_MS))).toEqual([
      0, 1, 3,
    ]);
    const issuing = await condition("Issuing");
    expect(issuing).toMatchObject({ status: "False", reason: "Failed" });
    expect(issuing?.message).toMatch(
      /^The order failed: http:\/\/www\..* does not have the answer/,
    );
    expect(await names()).toEqual(["acme-account"]);

    // Another spec is another matter.
    const spec = { dnsNames: ["shop.example.com"] };
    await client.patch(Certificate, key, mergePatch({ spec }));
    await pass(MINUTE_MS);
    expect((await certificate()).subjectAltName).toBe("DNS:shop.example.com");
    expect((await client.get(Certificate, key)).status?.failures).toBeUndefined();
  });

  it("says what it waits for, and makes a new order when one has ended meanwhile", async () => {
    edge.isUp = false;
    await create();
    await pass(MINUTE_MS);
    expect((await condition("Issuing"))?.message).toMatch(
      /^Waits for http:\/\/shop\.example\.com\/\.well-known\/acme-challenge\//,
    );
    await pass(26 * HOUR_MS);
    // No proof was asked for, so none has failed.
    expect(
      acme.orders.map(({ status, authorizations }) => [status, authorizations[0]?.status]),
    ).toEqual([
      ["invalid", "pending"],
      ["pending", "pending"],
    ]);
    edge.isUp = true;
    await pass(HOUR_MS);
    expect((await condition("Ready"))?.status).toBe("True");
    expect(acme.orders.map(({ status }) => status)).toEqual(["invalid", "valid"]);
  });

  it("has a new certificate when its Secret is deleted or spoilt", async () => {
    await create();
    await pass(MINUTE_MS);
    await client.delete(Secret, tls);
    await pass(MINUTE_MS);
    await certificate();
    await client.patch(Secret, tls, mergePatch({ data: { "tls.crt": "" } }));
    await pass(MINUTE_MS);
    await certificate();
    expect(acme.orders.map(({ status }) => status)).toEqual(["valid", "valid", "valid"]);
  });
});
