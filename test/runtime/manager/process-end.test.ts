/** The last lines of an operator's process: which mistake ended it, where, and what becomes of its Lease. */
import { execFile } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigMap, Event, Lease } from "../../../src/k8s.ts";
import { clientFor, startControlPlane, type ControlPlane } from "../../../src/testing.ts";
import { bundled } from "../../support/bundled.ts";

type Entry = Readonly<Record<string, unknown>>;

describe.concurrent("an operator's process", { timeout: 120_000 }, () => {
  let cluster: ControlPlane;
  let program: Awaited<ReturnType<typeof bundled>>;

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: "off" });
    program = await bundled("test/runtime/manager/ending-operator.ts");
    await clientFor(cluster).create(ConfigMap, {
      metadata: { namespace: "default", name: "one" },
    });
  });

  afterAll(async () => {
    await cluster.stop();
    program.remove();
  });

  /** Runs the operator until it ends. */
  async function run(mistake: string, ...args: string[]) {
    const all = [program.path, `--mistake=${mistake}`, "--leader-elect", ...args];
    const env = { ...process.env, TEST_KUBECONFIG: cluster.kubeconfig };
    const ended = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      execFile(process.execPath, all, { env }, (error, out, err) => {
        resolve({ code: error ? error.code : 0, out, err });
      });
    });
    const entries = ended.out
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Entry);
    const fatal = entries.filter(({ level }) => level === "fatal");
    return { ...ended, entries, fatal };
  }

  const holder = async (mistake: string): Promise<string | undefined> =>
    (await clientFor(cluster).find(Lease, { namespace: "default", name: `shop-${mistake}` }))?.spec
      ?.holderIdentity;

  it.for([
    ["forgotten-await", "unhandled-rejection", "nobody awaits me", "Error"],
    ["timer", "uncaught-exception", "thrown in a timer", "TypeError"],
  ] as const)(
    "that %s ends tells it on one line with its reconcile, and releases the Lease",
    async ([mistake, reason, message, type]) => {
      const { code, err, out, fatal, entries } = await run(mistake);
      expect({ code, err }).toEqual({ code: 1, err: "" });
      expect(fatal).toHaveLength(1);
      expect(fatal[0]).toMatchObject({
        reason,
        controller: "web",
        namespace: "default",
        name: "one",
        reconcileID: expect.any(String),
        err: { type, message },
      });
      expect(out).not.toContain("hunter2");
      expect(entries.at(-1)).toMatchObject({
        msg: expect.stringMatching(/^stopped after .*released$/),
      });
      expect(await holder(mistake)).toBe("");
    },
  );

  it("that cannot start tells why on one line", async () => {
    const { code, err, fatal } = await run("start");
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(fatal).toEqual([
      expect.objectContaining({
        reason: "start-failed",
        msg: "The operator cannot start: no settings",
        err: expect.objectContaining({ message: "no settings" }),
      }),
    ]);
  });

  it("with a flag that is wrong tells it on one line, and exits with 2", async () => {
    const { code, out, err } = await run("flag", "--log-level=loud");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(JSON.parse(err)).toMatchObject({
      level: "fatal",
      reason: "bad-flag",
      msg: expect.stringContaining('--log-level: The log level "loud" cannot be used'),
    });
  });

  it("that is terminated tells each step, changes its level by SIGUSR2, and releases the Lease", async () => {
    const { code, err, entries } = await run("term", "--log-level=warn,controller/web=info");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const messages = entries.map(({ msg }) => String(msg));
    expect(messages[0]).toBe("controller started");
    expect(messages).toEqual(
      expect.arrayContaining([
        "The log level is now debug; it was warn,controller/web=info.",
        expect.stringMatching(/^stopping: received SIGTERM; 1 reconcile is running$/),
        "the Lease is released",
        expect.stringMatching(/^stopped after [\d.]+ s; the Lease is released$/),
      ]),
    );
    expect(await holder("term")).toBe("");
    const events = await clientFor(cluster).list(Event, { namespace: "default" });
    const told = events.filter(({ involvedObject }) => involvedObject.name === "shop-term");
    expect(told.map(({ message }) => message?.replace(/^\S+ /, "")).sort()).toEqual([
      "became leader",
      "stopped leading",
    ]);
  });

  it("whose event loop is blocked tells by which reconcile", async () => {
    const { entries } = await run("block");
    const [start] = entries;
    expect(start).toMatchObject({
      msg: "starting",
      operator: "shop",
      leaderElection: "shop-block",
    });
    expect(entries.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining([
        "waiting to lead",
        "leading",
        "controller started",
        "the caches are synced",
      ]),
    );
    const blocked = entries.filter(({ msg }) =>
      String(msg).startsWith("The event loop stood still"),
    );
    expect(blocked).toEqual([
      expect.objectContaining({ level: "warn", controller: "web", object: "default/one" }),
    ]);
  });
});
