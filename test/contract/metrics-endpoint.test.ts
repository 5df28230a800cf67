/** T54: who may read the metrics of an operator, and its journal. */
import { get } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createManager, type Manager } from "../../src/index.ts";
import { ClusterRole, ClusterRoleBinding, ServiceAccount } from "../../src/k8s.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { connect, TARGETS, type Target } from "./targets.ts";

describe.each(TARGETS)("the endpoints of metrics and journal on %s", (_, kubeconfig) => {
  let target: Target;
  let manager: Manager;
  const stop = new AbortController();
  let running: Promise<void>;

  beforeAll(async () => {
    target = await connect(kubeconfig);
    manager = createManager({
      config: target.config,
      log: silentLogger,
      metrics: { port: 0, host: "127.0.0.1", reviewed: true },
      debug: { port: 0, host: "127.0.0.1", reviewed: true, tls: "self-signed" },
    });
    running = manager.start(stop.signal);
    await eventually(() => {
      expect(manager.ports.debug).toBeDefined();
    });
  });

  afterAll(async () => {
    stop.abort();
    await running;
    const name = target.run;
    await target.client.delete(ClusterRoleBinding, { name });
    await target.client.delete(ClusterRole, { name });
    await target.end();
  });

  async function statusFor(token?: string): Promise<number> {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const url = `http://127.0.0.1:${String(manager.ports.metrics)}/metrics`;
    return (await fetch(url, { headers })).status;
  }

  /** Of the journal: the certificate is one that nobody knows. */
  function journalStatusFor(token?: string): Promise<number> {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const port = String(manager.ports.debug);
    const url = `https://127.0.0.1:${port}/debug/journal`;
    return new Promise((resolve, reject) => {
      get(url, { headers, rejectUnauthorized: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      }).on("error", reject);
    });
  }

  async function tokenOf(name: string): Promise<string> {
    const { client, namespaces } = target;
    const key = { namespace: namespaces[0], name };
    await client.create(ServiceAccount, { metadata: key });
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const answer = await client.subresource("token").create(ServiceAccount, key, request);
    return (answer as unknown as { status: { token: string } }).status.token;
  }

  it("T54: answers 401 to nobody, 403 to who may not, and 200 to who may", async () => {
    const { client, run: name, namespaces } = target;
    await client.create(ClusterRole, {
      metadata: { name },
      rules: [{ nonResourceURLs: ["/metrics", "/debug/journal"], verbs: ["get"] }],
    });
    await client.create(ClusterRoleBinding, {
      metadata: { name },
      roleRef: {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "ClusterRole",
        name,
      },
      subjects: [{ kind: "ServiceAccount", name: "prometheus", namespace: namespaces[0] }],
    });
    const [somebody, prometheus] = [await tokenOf("somebody"), await tokenOf("prometheus")];
    for (const ask of [statusFor, journalStatusFor]) {
      expect(await ask()).toBe(401);
      expect(await ask("no-such-token")).toBe(401);
      expect(await ask(somebody)).toBe(403);
      expect(await ask(prometheus)).toBe(200);
    }
  });
});
