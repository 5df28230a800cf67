import { generateKeyPairSync, type X509Certificate } from "node:crypto";
import { type Server, createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../src/clock.ts";
import { CertificateAuthority } from "../../src/controlplane/auth/certificates.ts";
import { type ControlPlane, startControlPlane } from "../../src/controlplane/control-plane.ts";
import { eventually } from "../support/eventually.ts";

const certificate = { user: "ada", groups: ["system:masters"] };
const GROUP = "/apis/metrics.example.com";
const API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";
const NAME = "v1.metrics.example.com";

let cluster: ControlPlane;
const closing: Server[] = [];
beforeEach(async () => {
  cluster = await startControlPlane({ listen: false, controllers: "off" });
});
afterEach(async () => {
  for (const server of closing.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await cluster.stop();
});

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function send(method: string, target: string, body?: object, headers = {}): Promise<Seen> {
  const exchange = cluster.request({
    method,
    target,
    headers: { "content-type": "application/json", ...headers },
    certificate,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await exchange.answer;
  let text = "";
  if (typeof answer.body === "function") await answer.body((piece) => (text += piece));
  else text = Buffer.from(answer.body).toString("utf8");
  exchange.leave();
  return { ...answer, body: text };
}

/** An extension API server that trusts the front proxies of the cluster. */
async function extension(
  respond: (asked: IncomingMessage, answer: ServerResponse) => void,
): Promise<{ address: string; caBundle: string; peers: string[] }> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const authority = new CertificateAuthority(systemClock, privateKey);
  const { certificate: cert, key } = authority.server(["metrics.monitoring.svc"]);
  const { data } = cluster
    .objects("configmaps", "kube-system")
    .find(({ metadata }) => metadata.name === "extension-apiserver-authentication") as unknown as {
    data: Record<string, string>;
  };
  const peers: string[] = [];
  const ca = data["requestheader-client-ca-file"];
  const server = createServer({ cert, key, ca, requestCert: true }, (asked, answer) => {
    const peer = (asked.socket as TLSSocket).getPeerX509Certificate() as X509Certificate;
    peers.push(peer.subject);
    respond(asked, answer);
  });
  closing.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(authority.certificate).toString("base64");
  return { address: `127.0.0.1:${port}`, caBundle, peers };
}

const RESOURCES = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "metrics.example.com/v1",
  resources: [
    {
      name: "loads",
      singularName: "load",
      namespaced: true,
      kind: "Load",
      verbs: ["get", "list", "watch"],
    },
    { name: "loads/status", singularName: "", namespaced: true, kind: "Load", verbs: ["get"] },
  ],
};

async function register(caBundle: string): Promise<void> {
  await send("POST", API_SERVICES, {
    metadata: { name: NAME },
    spec: {
      group: "metrics.example.com",
      version: "v1",
      service: { namespace: "monitoring", name: "metrics" },
      caBundle,
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
  });
}

async function expectCondition(expected: object): Promise<void> {
  await eventually(async () => {
    const { body } = await send("GET", `${API_SERVICES}/${NAME}`);
    const { status } = JSON.parse(body) as { status?: { conditions: object[] } };
    expect(status?.conditions).toEqual([expect.objectContaining(expected)]);
  });
}

async function createService(): Promise<void> {
  await send("POST", "/api/v1/namespaces", { metadata: { name: "monitoring" } });
  const spec = { ports: [{ port: 443 }] };
  await send("POST", "/api/v1/namespaces/monitoring/services", {
    metadata: { name: "metrics" },
    spec,
  });
}

it("passes requests on as the front proxy, with the user, and merges discovery", async () => {
  const seen: IncomingMessage[] = [];
  const { address, caBundle, peers } = await extension((asked, answer) => {
    seen.push(asked);
    const isList = asked.url === `${GROUP}/v1`;
    answer.writeHead(isList ? 200 : 201, { "content-type": "application/json", "x-own": "yes" });
    answer.end(JSON.stringify(isList ? RESOURCES : { kind: "Load" }));
  });
  cluster.routeService("monitoring/metrics", address);
  await createService();
  await register(caBundle);
  await expectCondition({
    type: "Available",
    status: "True",
    reason: "Passed",
    message: "all checks passed",
  });

  const path = `${GROUP}/v1/namespaces/default/loads?labelSelector=a%3Db`;
  const headers = { authorization: "Bearer secret", "x-remote-user": "eve" };
  expect(await send("GET", path, undefined, headers)).toMatchObject({
    status: 201,
    headers: { "x-own": "yes" },
    body: '{"kind":"Load"}',
  });
  expect(peers.at(-1)).toContain("CN=front-proxy-client");
  expect(seen.at(-1)).toMatchObject({
    url: path,
    headers: { "x-remote-user": "ada", "x-remote-group": "system:masters, system:authenticated" },
  });
  expect(seen.at(-1)?.headers.authorization).toBeUndefined();

  const groups = JSON.parse((await send("GET", "/apis")).body) as { groups: { name: string }[] };
  expect(groups.groups.map(({ name }) => name)).toContain("metrics.example.com");
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const aggregated = (await send("GET", "/apis", undefined, { accept })).body;
  expect(aggregated).toContain('"resource":"loads"');
  expect(JSON.parse((await send("GET", GROUP)).body)).toMatchObject({
    kind: "APIGroup",
    preferredVersion: { groupVersion: "metrics.example.com/v1" },
  });
  await send("DELETE", `${API_SERVICES}/${NAME}`);
  expect((await send("GET", path)).status).toBe(404);
});

it("streams watches", async () => {
  const { address, caBundle } = await extension((asked, answer) => {
    if (asked.url === `${GROUP}/v1`) answer.end(JSON.stringify(RESOURCES));
    else {
      answer.write('{"type":"ADDED"}\n');
      setImmediate(() => answer.end('{"type":"DELETED"}\n'));
    }
  });
  cluster.routeService("monitoring/metrics", address);
  await createService();
  await register(caBundle);
  await expectCondition({ status: "True" });
  const { body } = await send("GET", `${GROUP}/v1/loads?watch=true`);
  expect(body).toBe('{"type":"ADDED"}\n{"type":"DELETED"}\n');
});

it("tells why a server is not available, and answers 503 for it", async () => {
  await register("");
  await expectCondition({
    status: "False",
    reason: "ServiceNotFound",
    message: 'service/metrics in "monitoring" is not present',
  });
  expect(await send("GET", `${GROUP}/v1/loads`)).toMatchObject({
    status: 503,
    body: "service unavailable\n",
  });
  await createService();
  await expectCondition({
    reason: "FailedDiscoveryCheck",
    message: expect.stringMatching(
      /^failing or missing response from https:\/\/10\.96\.\d+\.\d+:443\/apis\/metrics\.example\.com\/v1: dial tcp .*--route-service monitoring\/metrics=host:port/,
    ) as string,
  });
  const ports = { ports: [{ port: 8443 }] };
  await send("PUT", "/api/v1/namespaces/monitoring/services/metrics", {
    metadata: { name: "metrics" },
    spec: ports,
  });
  await expectCondition({
    reason: "ServicePortError",
    message: 'service/metrics in "monitoring" is not listening on port 443',
  });
});
