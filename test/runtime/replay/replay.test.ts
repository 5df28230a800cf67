/** Reconciles that are recorded while they run against a control plane, and replayed without one. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  controllerFor,
  createManager,
  mergePatch,
  type Manager,
  type Outcome,
  type ReconcileContext,
  type RecordingOptions,
} from "../../../src/index.ts";
import { ConfigMap, CronJob, Secret } from "../../../src/k8s.ts";
import {
  clientFor,
  inProcess,
  replayReconcile,
  silentLogger,
  startControlPlane,
  VirtualClock,
  type ControlPlane,
  type ReplayReport,
} from "../../../src/testing.ts";

const namespace = "default";
const ONE = { namespace, name: "one" };
const POD = {
  restartPolicy: "Never" as const,
  containers: [{ name: "main", image: "registry.example/app:1" }],
};
const SECRET = "a-password-that-nobody-may-see";

type Work = (manager: Manager, context: ReconcileContext) => Promise<Outcome>;

let folder: string;
let clock: VirtualClock;
let cluster: ControlPlane;
let manager: Manager;
let end: (() => Promise<void>) | undefined;

beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), "tsop-replay-")), "recordings");
  clock = new VirtualClock({ seed: 3 });
  cluster = await startControlPlane({ clock, listen: false, controllers: "off" });
});
afterEach(async () => {
  await end?.();
  end = undefined;
  await cluster.stop();
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

/** Adds a controller of ConfigMaps that does `work` for those whose name begins with `one`. */
const setUp =
  (work: Work) =>
  (target: Manager): void => {
    controllerFor(target)
      .for(ConfigMap)
      .complete({
        reconcile: async ({ key }, context) =>
          key.name.startsWith("one") ? work(target, context) : undefined,
      });
  };

/** Runs the controller against the control plane, until ConfigMap `one` is reconciled. */
async function record(work: Work, options: Partial<RecordingOptions> = {}): Promise<void> {
  const recordings = { folder, ...options };
  manager = createManager({ transport: inProcess(cluster), log: silentLogger, recordings });
  setUp(work)(manager);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  end = async () => {
    stop.abort();
    await clock.advance(60_000);
    await running;
  };
  await manager.idle();
  await clientFor(cluster).create(ConfigMap, { metadata: ONE, data: { page: "old" } });
  await manager.idle();
}

const files = (): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".recording.json")) : [];
const fileOf = (name: string | undefined): string => join(folder, name ?? "");
const replay = (work: Work, name = files()[0]): Promise<ReplayReport> =>
  replayReconcile(fileOf(name), setUp(work));

/** Reads and writes in all ways, and fails at the end. */
const busy: Work = async ({ client, clock: time }, { nowMs }) => {
  const config = await client.get(ConfigMap, ONE);
  const all = await client.list(ConfigMap, { namespace, labels: { part: "page" } });
  const live = await client.live.find(ConfigMap, { namespace, name: "absent" });
  const drawn = time.random().toString(36);
  await client.apply(
    ConfigMap,
    {
      metadata: { namespace, name: "copy", labels: { part: "page" } },
      data: { drawn, page: config.data?.["page"] ?? "" },
    },
    { owner: config },
  );
  await client.patch(ConfigMap, ONE, mergePatch({ data: { at: new Date(nowMs).toISOString() } }));
  const again = await client.get(ConfigMap, ONE);
  const seen = `${all.length} ${live === undefined} ${again.data?.["at"] ?? ""} ${time.now()}`;
  await client.create(ConfigMap, { metadata: { namespace, generateName: "log-" }, data: { seen } });
  await client.create(ConfigMap, { metadata: { namespace, name: "copy" } });
};

describe("replayReconcile", () => {
  it("replays a failed reconcile: the same error, and the same writes byte by byte", async () => {
    await record(busy);
    const report = await replay(busy);
    expect(report.differences).toEqual([]);
    expect(report.recorded).toMatchObject({
      is: "error",
      message: 'configmaps "copy" already exists',
    });
    expect(report.replayed).toMatchObject({
      is: "error",
      message: 'configmaps "copy" already exists',
    });
    expect(report.writes.map(({ request }) => request.replace(/\?.*/, ""))).toEqual([
      "PATCH /api/v1/namespaces/default/configmaps/copy",
      "PATCH /api/v1/namespaces/default/configmaps/one",
      "POST /api/v1/namespaces/default/configmaps",
      "POST /api/v1/namespaces/default/configmaps",
    ]);
  });

  it("replays what rests on what the process remembers: kinds that it knew, and an apply that it did not repeat", async () => {
    const work: Work = async ({ client }) => {
      const config = await client.get(ConfigMap, ONE);
      const kind = await client.dynamic("v1", "ConfigMap");
      await client.apply(ConfigMap, { metadata: { namespace, name: "copy" }, data: { page: "x" } });
      await client.patch(kind, ONE, mergePatch({ data: { seen: config.data?.["page"] ?? "" } }));
    };
    await record(work, { reconciles: "all" });
    for (const page of ["new", "newer", "newest"]) {
      await clientFor(cluster).patch(ConfigMap, ONE, mergePatch({ data: { page } }));
      await manager.idle();
    }
    const reports = await Promise.all(files().map((name) => replay(work, name)));
    expect(reports.length).toBeGreaterThanOrEqual(4);
    expect(reports.flatMap(({ differences }) => differences)).toEqual([]);
    const applies = reports.filter(({ writes }) =>
      writes.some(({ request }) => request.includes("configmaps/copy")),
    );
    expect(applies).toHaveLength(1);
  });

  it("names what the changed code does otherwise: another body, a write less, a read that is not recorded", async () => {
    await record(busy);
    const other = await replay(async ({ client }) => {
      await client.patch(ConfigMap, ONE, mergePatch({ data: { at: "never" } }));
      await client.get(Secret, ONE).catch(() => undefined);
      await client.live.list(ConfigMap, { namespace: "elsewhere" });
    });
    expect(other.replayed.is === "error" && other.replayed.message).toContain(
      "The replay has no answer: GET /api/v1/namespaces/elsewhere/configmaps?limit=500 was not made",
    );
    expect(other.differences.map((text) => text.replace(/\?\S+/, ""))).toEqual([
      "GET /api/v1/namespaces/default/secrets/one was not made when the reconcile was recorded",
      "GET /api/v1/namespaces/elsewhere/configmaps was not made when the reconcile was recorded",
      "PATCH /api/v1/namespaces/default/configmaps/one is sent with another body",
      "PATCH /api/v1/namespaces/default/configmaps/copy is not sent, but was sent in the recording",
      "POST /api/v1/namespaces/default/configmaps is not sent, but was sent in the recording",
      "POST /api/v1/namespaces/default/configmaps is not sent, but was sent in the recording",
      expect.stringContaining("how it would end is unknown") as string,
    ]);
  });

  it("does not answer a mended write with the refusal of the write before it was mended", async () => {
    const apply =
      (schedule: string): Work =>
      async ({ client }) => {
        const spec = { schedule, jobTemplate: { spec: { template: { spec: POD } } } };
        await client.apply(CronJob, { metadata: ONE, spec });
      };
    await record(apply("example"));
    const same = await replay(apply("example"));
    expect([same.differences, same.unanswered]).toEqual([[], []]);
    const mended = await replay(apply("@daily"));
    expect(mended.unanswered).toEqual([
      expect.stringMatching(
        /^PATCH \S+\/cronjobs\/one\S* was sent with another body when the reconcile was recorded, and failed: .*schedule/,
      ),
    ]);
    expect(mended.replayed).toMatchObject({
      is: "error",
      message: expect.stringContaining("The replay has no answer") as string,
    });
    expect(mended.differences.at(-1)).toMatch(
      /^how it would end is unknown, because the recording lacks an answer; recorded: the error: /,
    );
  });

  it("shows what mended code goes on to write, although nobody knows the answer", async () => {
    await record(async ({ client }) => {
      await client.get(ConfigMap, ONE);
      throw new Error("no luck");
    });
    const { writes, differences } = await replay(async ({ client }) => {
      const config = await client.get(ConfigMap, ONE);
      const kind = await client.dynamic("v1", "ConfigMap");
      await client.patch(kind, config.metadata, mergePatch({ data: { mended: "yes" } }));
    });
    expect(writes.map(({ recorded, replayed }) => [recorded, replayed])).toEqual([
      [undefined, '{"data":{"mended":"yes"}}'],
    ]);
    expect(differences[0]).toMatch(/^PATCH \S+\/configmaps\/one\S* was not made/);
  });

  it("says which controllers there are when the recorded one is not among them, and what is no recording", async () => {
    await record(busy);
    await expect(replayReconcile(fileOf(files()[0]), () => undefined)).rejects.toMatchObject({
      code: "replay-no-controller",
    });
    const foreign = join(folder, "other.json");
    writeFileSync(foreign, "{}");
    await expect(replayReconcile(foreign, setUp(busy))).rejects.toMatchObject({
      code: "bad-recording",
    });
  });
});

describe("recordings", () => {
  it("are of failed reconciles alone, one file for each object, for its owner's eyes", async () => {
    await record(async () => {
      await Promise.resolve();
      throw new Error("no luck");
    });
    await clock.advance(60_000);
    expect(files()).toEqual(["configmap-default_one.recording.json"]);
    if (process.platform !== "win32") {
      expect(statSync(fileOf(files()[0])).mode & 0o777).toBe(0o600);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    const { failures } = JSON.parse(readFileSync(fileOf(files()[0]), "utf8")) as {
      failures: number;
    };
    expect(failures).toBeGreaterThan(3);
  });

  it("are none of what succeeds", async () => {
    await record(() => Promise.resolve());
    expect(files()).toEqual([]);
  });

  it("are kept in a bounded number, and nothing else in the folder is touched", async () => {
    await record(() => Promise.reject(new Error("no luck")), { most: 3 });
    const foreign = fileOf("mine.recording.json");
    writeFileSync(foreign, "{}");
    for (let index = 0; index < 6; index++) {
      const metadata = { namespace, name: `one-${index}` };
      await clientFor(cluster).create(ConfigMap, { metadata });
    }
    await manager.idle();
    expect(files().length).toBeLessThanOrEqual(4);
    expect(readFileSync(foreign, "utf8")).toBe("{}");
  });

  it("have nothing of what Secrets hold, and a value that is copied is copied in the replay, too", async () => {
    const work: Work = async ({ client }) => {
      const secret = await client.get(Secret, { namespace, name: "login" });
      const password = Buffer.from(secret.data?.["password"] ?? "", "base64").toString();
      await client.apply(Secret, {
        metadata: { namespace, name: "twin" },
        data: secret.data ?? {},
      });
      await client.apply(Secret, {
        metadata: { namespace, name: "plain" },
        stringData: { password },
      });
      const data = { url: `postgres://app:${password}@db` };
      await client.apply(ConfigMap, { metadata: { namespace, name: "url" }, data });
      throw new Error("no luck");
    };
    const data = { password: Buffer.from(SECRET).toString("base64") };
    await clientFor(cluster).create(Secret, { metadata: { namespace, name: "login" }, data });
    await record(work);
    const text = readFileSync(fileOf(files()[0]), "utf8");
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(Buffer.from(SECRET).toString("base64"));
    expect((await replay(work)).differences).toEqual([]);
  });
});
