/** What the journal keeps of reconciles, and how an operator serves it. */
import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  controllerFor,
  createManager,
  type DebugEndpoint,
  type JournalAnswer,
  type JournalEntry,
  type Manager,
  type Outcome,
} from "../../../src/index.ts";
import { ConfigMap, CronJob, Secret } from "../../../src/k8s.ts";
import {
  clientFor,
  inProcess,
  silentLogger,
  startControlPlane,
  VirtualClock,
  type ControlPlane,
} from "../../../src/testing.ts";

const ONE = { namespace: "default", name: "one" };
const TOKEN = "a-token-of-this-test";

let clock: VirtualClock;
let cluster: ControlPlane;
let stop: AbortController;
let manager: Manager;
let running: Promise<void>;

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startControlPlane({ clock, listen: false, controllers: "off" });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await clock.advance(60_000);
  await running.catch(() => undefined);
  await cluster.stop();
});

/** Starts an operator whose controller of ConfigMaps does `work` for the one that is named `one`. */
async function start(
  work: (manager: Manager, number: number) => Promise<Outcome>,
  debug: DebugEndpoint = { port: 0, token: TOKEN },
): Promise<void> {
  manager = createManager({ transport: inProcess(cluster), log: silentLogger, debug });
  let number = 0;
  controllerFor(manager)
    .for(ConfigMap)
    .complete({
      reconcile: async ({ key }) => (key.name === "one" ? work(manager, ++number) : undefined),
    });
  running = manager.start(stop.signal);
  running.catch(() => undefined);
  await manager.idle();
  await clientFor(cluster).create(ConfigMap, { metadata: ONE, data: { page: "old" } });
  await manager.idle();
}

const headers = { authorization: `Bearer ${TOKEN}` };
const url = (path: string): string => `http://127.0.0.1:${manager.ports.debug}${path}`;

async function answer(): Promise<JournalAnswer> {
  return (await (await fetch(url("/debug/journal"), { headers })).json()) as JournalAnswer;
}

async function entriesOfOne(): Promise<JournalEntry[]> {
  return (await answer()).entries.filter(({ name }) => name === "one");
}

/** A request with headers that `fetch` does not let anybody set. */
function statusOf(path: string, sent: Record<string, string>, method = "GET"): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url(path), { method, headers: sent }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject).end();
  });
}

describe("the journal", () => {
  it("says which change of which version led to a reconcile, what it read, and what it wrote", async () => {
    await start(async ({ client }) => {
      const config = await client.get(ConfigMap, ONE);
      await client.live.find(ConfigMap, { ...ONE, name: "absent" });
      const metadata = { ...ONE, name: "copy" };
      await client.apply(ConfigMap, { metadata, data: { page: config.data?.["page"] ?? "" } });
    });
    const written = await clientFor(cluster).apply(
      ConfigMap,
      { metadata: ONE, data: { page: "new" } },
      { force: true },
    );
    await manager.idle();
    const entries = await entriesOfOne();
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({
      controller: "configmap",
      kind: "ConfigMap",
      namespace: "default",
      outcome: "success",
      causes: [{ type: "event", text: "create of ConfigMap default/one" }],
      writes: [
        {
          verb: "apply",
          object: { kind: "ConfigMap", resource: "configmaps", name: "copy" },
          sentOnly: true,
        },
      ],
    });
    expect(entries[1]?.causes).toEqual([
      {
        type: "event",
        text: "update of ConfigMap default/one",
        object: {
          kind: "ConfigMap",
          resource: "configmaps",
          ...ONE,
          resourceVersion: written.metadata.resourceVersion,
        },
        changes: [{ path: "data.page", before: "old", after: "new" }],
      },
    ]);
    expect(entries[1]?.reads).toEqual([
      {
        from: "cache",
        object: { kind: "ConfigMap", resource: "configmaps", ...ONE },
        found: 1,
        times: 1,
      },
      {
        from: "server",
        object: { kind: "ConfigMap", resource: "configmaps", ...ONE, name: "absent" },
        found: 0,
        times: 1,
      },
    ]);
    expect(entries[1]?.writes).toMatchObject([
      { verb: "apply", changes: [{ path: "data.page", before: "old", after: "new" }] },
    ]);
  });

  it("names the reconcile that wrote the version which an event tells of", async () => {
    await start(async ({ client }) => {
      await client.apply(ConfigMap, { metadata: { ...ONE, name: "copy" }, data: { a: "1" } });
    });
    const [wrote] = await entriesOfOne();
    const caused = (await answer()).entries.find(({ name }) => name === "copy");
    expect(caused?.causes).toMatchObject([{ writtenBy: wrote?.id }]);
  });

  it("says that a requeue, a retry or a timer led to it, and where in the author's code an error comes from", async () => {
    await start(async (_, number) => {
      if (number === 1) throw new Error("not yet");
      if (number === 2) return { requeueAfterMs: 1000 };
      return undefined;
    });
    await clock.advance(5000);
    await manager.idle();
    const [failed, retried, requeued] = await entriesOfOne();
    expect(failed).toMatchObject({ outcome: "error", error: { message: "not yet" } });
    expect(failed?.error?.place).toMatch(/journal\.test\.ts:\d+:\d+$/);
    expect(retried).toMatchObject({
      causes: [{ type: "retry" }],
      failures: 1,
      outcome: "requeue_after",
      requeueAfterMs: 1000,
    });
    expect(requeued).toMatchObject({ causes: [{ type: "requeue" }], outcome: "success" });
  });

  it("says where in the author's code a refused request was made, however far that is from the wire", async () => {
    await start(async ({ client }) => {
      const owner = await client.get(ConfigMap, ONE);
      const spec = { schedule: "no schedule" } as never;
      await client.apply(CronJob, { metadata: { ...ONE }, spec }, { owner });
    });
    const [failed] = await entriesOfOne();
    expect(failed?.error).toMatchObject({ code: "Invalid" });
    expect(failed?.error?.place).toMatch(/journal\.test\.ts:\d+:\d+$/);
  });

  it("keeps the names of a Secret's data, and never a value", async () => {
    await start(async ({ client }, number) => {
      const metadata = { ...ONE, name: "keys" };
      await client.apply(Secret, { metadata, stringData: { password: `opensesame${number}` } });
      await client.patch(Secret, metadata, {
        contentType: "application/merge-patch+json",
        body: { stringData: { password: `opensesame${number}0` } },
      });
      await client
        .create(Secret, { metadata, stringData: { password: "opensesame" } })
        .catch(() => undefined);
    });
    await clientFor(cluster).apply(
      ConfigMap,
      { metadata: ONE, data: { page: "new" } },
      { force: true },
    );
    await manager.idle();
    const text = JSON.stringify(await answer());
    expect(text).toContain("stringData.password");
    expect(text).not.toContain("opensesame");
    expect(text).not.toContain(Buffer.from("opensesame").toString("base64").slice(0, 12));
  });

  it("says what the server refused, and what changed nothing", async () => {
    await start(async ({ client }) => {
      const copy = { metadata: { ...ONE, name: "copy" }, data: { page: "1" } };
      await client.apply(ConfigMap, copy);
      await client.live.apply(ConfigMap, copy);
      await client
        .apply(ConfigMap, { metadata: { ...ONE, name: "Not_A_Name" } })
        .catch(() => undefined);
    });
    const [entry] = await entriesOfOne();
    expect(entry?.writes).toMatchObject([
      { verb: "apply" },
      { verb: "apply", unchanged: true },
      { verb: "apply", error: expect.stringContaining("Not_A_Name") as string },
    ]);
  });

  it("keeps a bounded number of reconciles, those that wrote longer than those that found nothing to do", async () => {
    await start(async ({ client }, number) => {
      if (number === 1) await client.apply(ConfigMap, { metadata: { ...ONE, name: "copy" } });
      if (number < 700) return { requeueAfterMs: 1 };
      return undefined;
    });
    await clock.advance(5000);
    await manager.idle();
    const entries = await entriesOfOne();
    expect(entries.length).toBeLessThanOrEqual(501);
    expect(entries[0]?.writes).toHaveLength(1);
    expect(entries[1]?.number).toBeGreaterThan(100);
  });

  it("is not kept, and not served, when nobody asks for it", async () => {
    manager = createManager({ transport: inProcess(cluster), log: silentLogger });
    running = manager.start(stop.signal);
    await manager.idle();
    expect(manager.ports.debug).toBeUndefined();
  });
});

describe("the debug endpoint", () => {
  it("tells of reconciles as they end, and of those before with their numbers", async () => {
    await start(async () => undefined);
    const response = await fetch(url("/debug/journal/events"), { headers });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const lines: string[] = [];
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    while (!lines.join("").includes('"name":"one"'))
      lines.push((await reader?.read())?.value ?? "");
    const [entry] = await entriesOfOne();
    expect(lines.join("")).toContain(`id: ${entry?.number}\nevent: reconcile\ndata: {`);
    await clientFor(cluster).create(ConfigMap, { metadata: { ...ONE, name: "later" } });
    while (!lines.join("").includes('"name":"later"'))
      lines.push((await reader?.read())?.value ?? "");
    await reader?.cancel();
  });

  it("sends a new reader all that is kept, once and in order, as fast as it reads", async () => {
    const message = "x".repeat(2000);
    await start(async ({ client }, number) => {
      const data = { message: `${message}${number}` };
      await client.apply(ConfigMap, { metadata: { ...ONE, name: "copy" }, data });
      return number < 400 ? { requeueAfterMs: 1 } : undefined;
    });
    await clock.advance(5000);
    await manager.idle();
    const kept = (await answer()).entries.map(({ number }) => number);
    expect(kept.length).toBeGreaterThan(300);
    const response = await fetch(url("/debug/journal/events"), { headers });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes(`id: ${kept.at(-1)}\n`)) text += (await reader?.read())?.value ?? "";
    await clientFor(cluster).create(ConfigMap, { metadata: { ...ONE, name: "later" } });
    while (!text.includes('"name":"later"')) text += (await reader?.read())?.value ?? "";
    await reader?.cancel();
    const sent = [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
    expect(sent.slice(0, kept.length)).toEqual(kept);
    expect(new Set(sent).size).toBe(sent.length);
  });

  it("tells what is in hand, in line and waiting for its time", async () => {
    await start(async () => ({ requeueAfterMs: 30_000 }));
    expect((await answer()).queues).toEqual([
      {
        controller: "configmap",
        inHand: [],
        depth: 0,
        waiting: [{ key: "default/one", atMs: expect.any(Number) as number }],
      },
    ]);
  });

  it("answers nobody without the token, no page of a stranger, and no name that only resolves to this machine", async () => {
    await start(async () => undefined);
    const path = "/debug/journal";
    const { authorization } = headers;
    expect(await statusOf(path, { authorization })).toBe(200);
    expect(await statusOf(path, {})).toBe(401);
    expect(await statusOf(path, { authorization: "Bearer wrong" })).toBe(401);
    expect(await statusOf(path, { authorization, origin: "https://evil.example" })).toBe(403);
    expect(await statusOf(path, { authorization, origin: "null" })).toBe(403);
    expect(await statusOf(path, { authorization, host: "evil.example" })).toBe(403);
    expect(await statusOf(path, { authorization, host: "127.0.0.1.evil.example" })).toBe(403);
    expect(await statusOf(path, { authorization }, "POST")).toBe(405);
    expect(await statusOf("/", { authorization })).toBe(404);
  });

  it("changes the level of the log by a PUT with the token, and stays as it is after a mistake", async () => {
    await start(async () => undefined);
    const path = "/debug/log-level";
    const put = async (body: string): Promise<string> => {
      const response = await fetch(url(path), { method: "PUT", headers, body });
      return `${response.status} ${await response.text()}`;
    };
    const current = async (): Promise<string> => (await fetch(url(path), { headers })).text();
    expect(await put("info,controller/configmap=debug\n")).toContain(
      "200 The log level is now info,controller/configmap=debug; it was that of the logger.",
    );
    expect(await current()).toBe("info,controller/configmap=debug\n");
    expect(await put("loud")).toMatch(
      /^400 The log level "loud" cannot be used: .* Use debug, info/,
    );
    expect(await put("x".repeat(1_000_000))).toMatch(/^413 |^400 /);
    expect(await current()).toBe("info,controller/configmap=debug\n");
    const { authorization } = headers;
    expect(await statusOf(path, {}, "PUT")).toBe(401);
    expect(await statusOf(path, { authorization, origin: "https://evil.example" }, "PUT")).toBe(
      403,
    );
    expect(await statusOf(path, { authorization }, "POST")).toBe(405);
    expect(await statusOf("/debug/journal", { authorization }, "PUT")).toBe(405);
  });
});
