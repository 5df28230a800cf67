import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clusterJournals, debugPortOf } from "../../../src/cli/journal/cluster-journal.ts";
import { ownerOf } from "../../../src/cli/journal/owner.ts";
import { concerns, reasonsFor } from "../../../src/cli/journal/reasons.ts";
import { reasonLines } from "../../../src/cli/journal/reasons-text.ts";
import { parseTarget, type Target } from "../../../src/cli/journal/target.ts";
import { systemClock } from "../../../src/clock.ts";
import type { JournalAnswer, JournalEntry } from "../../../src/index.ts";
import { asRead } from "../../support/as-read.ts";
import { emptyFolder, newProject, runCli, testContext } from "../support/run-cli.ts";

const WEB = { kind: "MyWeb", resource: "mywebs.example.com", namespace: "d", name: "web" };
const DEPLOYMENT = {
  kind: "Deployment",
  resource: "deployments.apps",
  namespace: "d",
  name: "web",
};
const POD = { kind: "Pod", resource: "pods", namespace: "d", name: "web-1" };

/** A reconcile of MyWeb d/web. */
const entry = (number: number, more: Partial<JournalEntry> = {}): JournalEntry => ({
  number,
  id: `a-${number}`,
  controller: "myweb",
  kind: "MyWeb",
  resource: "mywebs.example.com",
  namespace: "d",
  name: "web",
  atMs: Date.UTC(2026, 0, 1, 12, 0, number),
  durationMs: 3,
  causes: [],
  failures: 0,
  queueDepth: 0,
  reads: [],
  writes: [],
  outcome: "success",
  ...more,
});

const write = { verb: "apply", afterMs: 1, durationMs: 1 };

const ENTRIES: readonly JournalEntry[] = [
  entry(1, {
    causes: [
      {
        type: "event",
        text: "update of MyWeb d/web",
        object: { ...WEB, resourceVersion: "12" },
        changes: [{ path: "spec.page", before: "old", after: "new" }],
      },
    ],
    reads: [{ from: "cache", object: WEB, found: 1, times: 2 }],
    writes: [
      {
        ...write,
        object: { ...DEPLOYMENT, resourceVersion: "13" },
        changes: [{ path: 'metadata.annotations["page/hash"]', before: "a1f", after: "9c2" }],
      },
    ],
  }),
  entry(2),
  entry(3, {
    causes: [
      {
        type: "event",
        text: "update of Deployment d/web",
        object: { ...DEPLOYMENT, resourceVersion: "13" },
        writtenBy: "a-1",
      },
    ],
    writes: [
      {
        ...write,
        verb: "patch",
        object: WEB,
        subresource: "status",
        changes: [{ path: "status.ready", before: false, after: true }],
      },
    ],
    requeueAfterMs: 30_000,
    outcome: "requeue_after",
  }),
  entry(4, {
    namespace: "other",
    failures: 2,
    causes: [{ type: "retry", text: "retry 2 after: no" }],
    writes: [{ ...write, object: { ...POD, namespace: "other" }, error: "pods is forbidden" }],
    outcome: "error",
    error: { message: "no", code: "Forbidden", place: "src/controllers/myweb.ts:41:9" },
  }),
];

const CHOICE = { last: 5, all: false };
const of = (target: string, namespace?: string, choice = CHOICE) =>
  reasonsFor(parseTarget(target, namespace), ENTRIES, choice);
const numbers = (reasons: ReturnType<typeof of>): number[] =>
  reasons.entries.map(({ number }) => number);

describe("tsop why", () => {
  it("finds the reconciles that were for an object, wrote it, or ran because of it", () => {
    expect(numbers(of("deployment/web"))).toEqual([1, 3]);
    expect(numbers(of("myweb/web", "d"))).toEqual([1, 3]);
    expect(of("myweb/web", "d").quiet).toBe(1);
    expect(numbers(of("myweb/web", "d", { last: 5, all: true }))).toEqual([1, 2, 3]);
    expect(numbers(of("pod/web-1"))).toEqual([4]);
  });

  it.each(["deployment", "deployments", "Deployment", "deployments.apps", "deployment.apps"])(
    "takes %s as the name of a kind",
    (kind) => {
      expect(of(`${kind}/web`).object).toEqual(DEPLOYMENT);
    },
  );

  it("adds the reconcile whose write led to the last one", () => {
    const last = of("deployment/web", undefined, { last: 1, all: false });
    expect(numbers(last)).toEqual([1, 3]);
    expect(last.older).toBe(0);
  });

  it("refuses what is no object, what the journal does not know, and a name in two namespaces", () => {
    expect(() => parseTarget("web", undefined)).toThrow("does not name an object");
    expect(() => of("job/web")).toThrow("No reconcile in the journal concerns job/web");
    expect(() => of("deployment/web", "other")).toThrow("deployment/web in other");
    expect(() => of("myweb/web")).toThrow("several myweb/web: in d, other");
  });

  it("prints causes, reads, writes as differences, errors with their line, and what comes next", () => {
    const context = testContext();
    expect(reasonLines(of("deployment/web"), context)).toEqual([
      "Deployment d/web",
      "",
      "12:00:01.000  myweb reconciled d/web: success in 3 ms  a-1",
      "  because  update of MyWeb d/web, version 12",
      '             spec.page: "old" -> "new"',
      "  read     MyWeb d/web 2 times",
      "  wrote    apply Deployment d/web, version 13",
      '             metadata.annotations["page/hash"]: "a1f" -> "9c2"',
      "",
      "12:00:03.000  myweb reconciled d/web: success in 3 ms  a-3",
      "  because  update of Deployment d/web, version 13, which reconcile a-1 wrote",
      "  wrote    patch MyWeb d/web (status)",
      "             status.ready: false -> true",
      "  next     again after 30s",
    ]);
    expect(reasonLines(of("pod/web-1"), context)).toEqual([
      "Pod other/web-1",
      "",
      "12:00:04.000  myweb reconciled other/web: failed in 3 ms, after 2 failures  a-4",
      "  because  retry 2 after: no",
      "  wrote    apply Pod other/web-1, refused: pods is forbidden",
      "  failed   no (Forbidden)",
      "             at src/controllers/myweb.ts:41:9",
    ]);
  });
});

describe("where tsop why asks", () => {
  let server: Server;
  let url: string;
  const answer: JournalAnswer = {
    version: 1,
    operator: "web",
    instance: "one",
    nowMs: 0,
    entries: ENTRIES,
    queues: [],
    usedRights: [],
  };
  beforeAll(async () => {
    server = createServer(({ headers, url: path }, response) => {
      const isKnown = headers.authorization === "Bearer of-an-operator";
      if (path !== "/debug/journal") response.writeHead(404).end("no");
      else if (isKnown) response.end(JSON.stringify(answer));
      else response.writeHead(401).end("Unauthorized");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it("is an address, with the token of the environment; JSON has all that is known", async () => {
    const env = { TSOP_OPERATOR_TOKEN: "of-an-operator" };
    const argv = ["why", "deployment/web", "--operator", url, "-o", "json"];
    const { code, out } = await runCli(emptyFolder(), argv, { env });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      object: DEPLOYMENT,
      entries: [{ id: "a-1" }, { id: "a-3" }],
    });
    const refused = await runCli(emptyFolder(), argv);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("journal-refused") as string,
    });
  });

  it.each([
    ["a short name of Kubernetes", ["deploy/web"]],
    ["kind and name as two words", ["deployment", "web"]],
    ["the name of the resource and its group", ["deployments.apps", "web"]],
    ["a short name of the project's kind", ["mw/web"]],
  ])("finds the object by %s", async (_what, said) => {
    const root = await newProject();
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "mywebs.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "MyWeb", plural: "mywebs", shortNames: ["mw"] },
        versions: [{ name: "v1", served: true, storage: true }],
      },
    };
    mkdirSync(join(root, "config/crd/bases"), { recursive: true });
    writeFileSync(join(root, "config/crd/bases/mywebs.yaml"), JSON.stringify(crd));
    const env = { TSOP_OPERATOR_TOKEN: "of-an-operator" };
    const { code, out } = await runCli(root, ["why", ...said, "-n", "d", "--operator", url], {
      env,
    });
    const kind = said[0]?.startsWith("mw") ? "MyWeb" : "Deployment";
    expect([code, out]).toEqual([0, expect.stringMatching(`^${kind} d/web\n`)]);
  });

  it("is told when there is no operator to ask", async () => {
    const none = await runCli(await newProject(), ["why", "deployment/web"]);
    expect(none).toMatchObject({
      code: 1,
      err: expect.stringContaining("no-operator-to-ask") as string,
    });
    const away = ["why", "deployment/web", "--operator", "http://127.0.0.1:1"];
    expect((await runCli(emptyFolder(), away)).err).toContain("journal-away");
    const wrong = ["why", "deployment/web", "--operator", "operator:8089"];
    expect(await runCli(emptyFolder(), wrong)).toMatchObject({ code: 2 });
    const last = ["why", "deployment/web", "--operator", url, "--last", "no"];
    expect(await runCli(emptyFolder(), last)).toMatchObject({ code: 2 });
  });

  it("is not asked about a pod, whose owner is named instead", async () => {
    const owned = (kind: string, name: string) => [
      { apiVersion: "apps/v1", kind, name, uid: "u", controller: true },
    ];
    const resource = { version: "v1", namespaced: true };
    const client = {
      list: () =>
        Promise.resolve([
          {
            metadata: { namespace: "d", name: "web-1", ownerReferences: owned("ReplicaSet", "rs") },
          },
        ]),
      dynamic: () => Promise.resolve({ ...resource, group: "apps", kind: "R", plural: "rs" }),
      find: () =>
        Promise.resolve({
          metadata: { namespace: "d", name: "rs", ownerReferences: owned("Deployment", "web") },
        }),
    } as unknown as Parameters<typeof ownerOf>[0];
    const pod = { ...resource, group: "", kind: "Pod", plural: "pods" };
    const isKnown = (target: Target): boolean => concerns(ENTRIES, target);
    const asked = { kind: "pod", name: "web-1" };
    expect(await ownerOf(client, pod, asked, isKnown)).toBe("deployment/web");
    expect(await ownerOf(client, pod, { ...asked, name: "none" }, isKnown)).toBeUndefined();
  });

  it("is each running pod of the project's Deployment that was given a port", async () => {
    const metadata = { namespace: "shop-system", name: "shop-controller-manager" };
    const labels = { app: "shop" };
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { selector: { matchLabels: labels } },
    };
    const pod = (name: string, phase: string, ...args: string[]) =>
      asRead({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { namespace: metadata.namespace, name },
        spec: { containers: [{ name: "manager", args }] },
        status: { phase },
      });
    const pods = [
      pod("a", "Running", "--debug-port=8089"),
      pod("b", "Pending", "--debug-port=8089"),
    ];
    const asked: unknown[] = [];
    const opened: Duplex[] = [];
    const own = createServer((_, response) => response.end(JSON.stringify(answer)));
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    const { port } = own.address() as AddressInfo;
    const client = {
      list: async (_: unknown, options: unknown) => {
        asked.push(options);
        return pods;
      },
      pods: {
        // Without a local port, which other users of the machine could use.
        connect: async (key: unknown, target: number) => {
          asked.push(key, target);
          const socket = connect(port, "127.0.0.1");
          // As a connection to a pod, it is not a socket.
          const pod = Duplex.from({ readable: socket, writable: socket });
          opened.push(pod);
          return pod;
        },
      },
    };
    const journals = await clusterJournals(client as never, [deployment], systemClock);
    own.close();
    expect(journals).toEqual([answer]);
    await expect.poll(() => opened.map(({ destroyed }) => destroyed)).toEqual([true]);
    expect(asked).toEqual([
      { namespace: "shop-system", labels },
      { namespace: "shop-system", name: "a" },
      8089,
    ]);
    pods.splice(0, 2, pod("a", "Running"));
    await expect(clusterJournals(client as never, [deployment], systemClock)).rejects.toMatchObject(
      {
        code: "no-journal-in-cluster",
      },
    );
    expect(debugPortOf(pod("a", "Running", "--debug-port", "1"))).toBe(1);
  });
});
