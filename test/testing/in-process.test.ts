import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ConnectionError,
  controllerFor,
  createClient,
  createManager,
  loadClusterConfig,
} from "../../src/index.ts";
import { ConfigMap, Namespace, Secret } from "../../src/k8s.ts";
import type { ClusterConfig } from "../../src/runtime/transport/cluster-config.ts";
import { openTransport } from "../../src/runtime/transport/open-transport.ts";
import { fixedCredentials } from "../../src/runtime/transport/credentials/credentials.ts";
import type { Transport, TransportRequest } from "../../src/runtime/transport/transport.ts";
import {
  clientFor,
  type ControlPlane,
  faults,
  inProcess,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../src/testing.ts";
import { inProcessConfig } from "../../src/testing/in-process.ts";
import { SkippedTime } from "../support/skipped-time.ts";

/** What only a connection has, and what is another at each request. */
const OF_THE_CONNECTION = ["connection", "keep-alive", "transfer-encoding", "date", "audit-id"];

async function exchange(transport: Transport, request: TransportRequest): Promise<object> {
  const { status, headers, body } = await transport.request(request);
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece));
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name));
  return { status, headers: Object.fromEntries(kept), body: Buffer.concat(pieces).toString() };
}

const json = { "Content-Type": "application/json", Accept: "application/json" };

describe("a transport without a socket", () => {
  let time: SkippedTime;
  let cluster: ControlPlane;
  beforeAll(async () => {
    // A watch ends after a second.
    time = await SkippedTime.start();
    cluster = await startControlPlane({ clock: time.clock });
    const admin = clientFor(cluster);
    await admin.create(Namespace, { metadata: { name: "enterprise" } });
    await cluster.settle();
  });
  afterAll(async () => {
    await cluster.stop();
    await time.stop();
  });

  const both = (
    identity: { user: string; groups?: string[] },
    change: Partial<ClusterConfig> = {},
  ): Transport[] => {
    const kubeconfigText = cluster.kubeconfigFor(identity);
    return [loadClusterConfig({ kubeconfigText }), inProcessConfig(cluster, identity)].map(
      (config) => openTransport({ ...config, ...change }, "agent/1"),
    );
  };

  const review = {
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    headers: json,
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
  };

  async function same(
    transports: readonly Transport[],
    request: TransportRequest,
  ): Promise<object> {
    const answers = [];
    for (const transport of transports) answers.push(await exchange(transport, request));
    const [overHttps = {}, direct = {}] = answers.map(
      (answer) =>
        JSON.parse(
          JSON.stringify(answer)
            // A certificate of its own, and the moment of the answer.
            .replaceAll(/X509SHA256=[0-9a-f]{64}/g, "X509SHA256=...")
            .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uid")
            .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "then"),
        ) as object,
    );
    expect(direct).toEqual(overHttps);
    for (const transport of transports) transport.close();
    return direct;
  }

  it.each([
    ["an administrator", { user: "admin", groups: ["system:masters"] }],
    ["a user without groups", { user: "uhura" }],
    ["a user in groups", { user: "spock", groups: ["science", "bridge"] }],
  ])("is %s as over HTTPS", async (_, identity) => {
    await same(both(identity), review);
  });

  it("lets users do what their roles say", async () => {
    const secrets = { method: "GET", path: "/api/v1/namespaces/enterprise/secrets", headers: json };
    expect(await same(both({ user: "uhura" }), secrets)).toMatchObject({ status: 403 });
  });

  it("acts as somebody else, and may not without the right to", async () => {
    const impersonate = {
      user: "scotty",
      groups: ["engineering", "bridge"],
      uid: "7",
      extra: { "example.com/deck": ["1", "2"] },
    };
    const admin = both({ user: "admin", groups: ["system:masters"] }, { impersonate });
    expect(JSON.stringify(await same(admin, review))).toContain("engineering");
    const other = both({ user: "uhura" }, { impersonate: { user: "scotty" } });
    expect(await same(other, review)).toMatchObject({ status: 403 });
  });

  it("asks as a token says, and is refused with a wrong one", async () => {
    const wrong = both({ user: "uhura" }, { credentials: fixedCredentials({ token: "x.y.z" }) });
    expect(await same(wrong, review)).toMatchObject({ status: 401 });
    const nobody = both({ user: "uhura" }, { credentials: fixedCredentials({}) });
    const version = { method: "GET", path: "/version", headers: json };
    expect(await same(nobody, version)).toMatchObject({ status: 200 });
    const again = both({ user: "uhura" }, { credentials: fixedCredentials({}) });
    const nodes = { method: "GET", path: "/api/v1/nodes", headers: json };
    expect(await same(again, nodes)).toMatchObject({ status: 403 });
  });

  it.each<[string, TransportRequest]>([
    ["a list", { method: "GET", path: "/api/v1/namespaces?limit=2", headers: json }],
    ["an object that is not there", { method: "GET", path: "/api/v1/nodes/none", headers: json }],
    ["a path that nobody serves", { method: "GET", path: "/nobody" }],
    ["discovery", { method: "GET", path: "/apis", headers: json }],
    [
      "a table",
      {
        method: "GET",
        path: "/api/v1/nodes",
        headers: { Accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      },
    ],
    [
      "YAML",
      {
        method: "GET",
        path: "/api/v1/namespaces/enterprise",
        headers: { Accept: "application/yaml" },
      },
    ],
    ["a HEAD", { method: "HEAD", path: "/version" }],
    [
      "a body that is no JSON",
      { method: "POST", path: "/api/v1/namespaces", headers: json, body: "{" },
    ],
    [
      "a body that is too large",
      { method: "POST", path: "/api/v1/namespaces", headers: json, body: " ".repeat(4e6) },
    ],
    [
      "warnings",
      {
        method: "POST",
        path: "/api/v1/namespaces/enterprise/configmaps?dryRun=All&fieldValidation=Warn",
        headers: json,
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"w","uid":"7"},"tür":1,"tor":2}',
      },
    ],
    [
      "a watch that ends",
      { method: "GET", path: "/api/v1/nodes?watch=true&timeoutSeconds=1", headers: json },
    ],
  ])("answers as over HTTPS: %s", async (_, request) => {
    await same(both({ user: "admin", groups: ["system:masters"] }), request);
  });

  it("refuses what could not be sent", async () => {
    const transport = inProcess(cluster);
    await expect(transport.request({ method: "GET", path: "/a b" })).rejects.toThrow(TypeError);
    const headers = { "X-Line": "a\r\nb" };
    await expect(transport.request({ method: "GET", path: "/", headers })).rejects.toThrow(
      "The header x-line has characters that cannot be sent.",
    );
  });
});

describe("a control plane that does not listen", () => {
  it("has no address, and says how to reach it", async () => {
    await using cluster = await startControlPlane({ listen: false });
    expect(() => cluster.url).toThrow(/listen: false/);
    expect(() => cluster.kubeconfig).toThrow(expect.objectContaining({ code: "not-listening" }));
    expect(() => cluster.kubeconfigFor({ user: "uhura" })).toThrow(/listen: false/);
    expect(cluster.listens).toBe(false);
    await using fork = await cluster.fork();
    expect(fork.listens).toBe(false);
    await expect(clientFor(fork).list(Namespace)).resolves.toBeDefined();
  });

  it("serves a manager in which a virtual hour takes no time, with its own clock", async () => {
    const clock = new VirtualClock();
    await using cluster = await startControlPlane({ clock, listen: false });
    const manager = createManager({ transport: inProcess(cluster), log: silentLogger });
    expect(manager.clock).toBe(clock);
    const seen: string[] = [];
    controllerFor(manager)
      .for(ConfigMap)
      .complete({
        reconcile({ key }) {
          if (key.name === "one") seen.push(new Date(clock.now()).toISOString().slice(11, 19));
          return Promise.resolve({ requeueAfterMs: 20 * 60_000 });
        },
      });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(0);
    const client = clientFor(cluster);
    await client.create(ConfigMap, { metadata: { namespace: "default", name: "one" }, data: {} });
    await clock.advance(3_600_000);
    expect(seen).toEqual(["00:00:00", "00:20:00", "00:40:00", "01:00:00"]);
    stop.abort();
    await running;
    // Nothing of the manager stays behind; the control plane's own timers do.
    const own = clock.pending;
    await cluster.stop();
    expect(clock.pending).toBeLessThanOrEqual(own);
  });

  it("fails watches and requests when its connections are dropped, and they recover", async () => {
    const clock = new VirtualClock();
    await using cluster = await startControlPlane({ clock, listen: false });
    const manager = createManager({ transport: inProcess(cluster), log: silentLogger });
    const names = new Set<string>();
    controllerFor(manager)
      .for(Secret)
      .complete({ reconcile: ({ key }) => Promise.resolve(void names.add(key.name)) });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(1000);
    cluster.dropConnections();
    const client = clientFor(cluster);
    await client.create(Secret, { metadata: { namespace: "default", name: "one" } });
    await clock.advance(1000);
    cluster.dropConnections();
    cluster.compact();
    await client.create(Secret, { metadata: { namespace: "default", name: "two" } });
    await clock.advance(5000);
    expect([...names]).toEqual(expect.arrayContaining(["one", "two"]));
    stop.abort();
    await running;
  });

  it("takes faults that the seed draws", async () => {
    const counts = [];
    for (const seed of [3, 3]) {
      const clock = new VirtualClock({ seed });
      await using cluster = await startControlPlane({ clock, listen: false });
      const transport = faults(inProcessConfig(cluster), { status: { 429: 0.2 }, reset: 0.2 });
      for (let round = 0; round < 50; round++) {
        await transport.request({ method: "GET", path: "/version" }).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ConnectionError);
        });
      }
      counts.push(transport.counts);
    }
    expect(counts[0]).toEqual(counts[1]);
    expect(counts[0]?.["reset"]).toBeGreaterThan(2);
  });

  it("gives up a watch when its request is aborted, and tells the server", async () => {
    await using cluster = await startControlPlane({ listen: false, controllers: "off" });
    const stop = new AbortController();
    const { body } = await inProcess(cluster).request({
      method: "GET",
      path: "/api/v1/configmaps?watch=true",
      signal: stop.signal,
    });
    const reading = (async () => {
      for await (const piece of body) expect(piece.length).toBeGreaterThan(0);
    })();
    stop.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    const aborted = inProcess(cluster).request({ method: "GET", path: "/", signal: stop.signal });
    await expect(aborted).rejects.toThrow("enough");
  });

  it("keeps what a slow reader leaves, in its order", async () => {
    await using cluster = await startControlPlane({ listen: false, controllers: "off" });
    const client = createClient(inProcessConfig(cluster));
    const response = await inProcess(cluster).request({
      method: "GET",
      path: "/api/v1/namespaces/default/configmaps?watch=true",
    });
    for (let round = 0; round < 20; round++) {
      await client.create(ConfigMap, {
        metadata: { namespace: "default", name: `n${round}` },
        data: {},
      });
    }
    const pieces = response.body[Symbol.asyncIterator]();
    const first = Buffer.from((await pieces.next()).value as Uint8Array).toString();
    const names = first
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { object: ConfigMap }).object.metadata.name);
    expect(names).toEqual(Array.from({ length: 20 }, (_, round) => `n${round}`));
    response.cancel();
  });
});
