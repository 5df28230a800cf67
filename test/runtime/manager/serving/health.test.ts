import { afterEach, describe, expect, it } from "vitest";
import { Registry } from "prom-client";
import { answerProbe, HealthChecks, serveMetrics } from "../../../../src/runtime/serving/health.ts";
import type { RunningServer } from "../../../../src/runtime/serving/http-serving.ts";

describe("health checks", () => {
  const secret = "postgres://jo:hunter2@db";

  it("tell whoever asks which of them fails, and the operator alone why, once for each reason", async () => {
    const told: string[] = [];
    const checks = new HealthChecks((name, reason) => void told.push(`${name}: ${reason}`));
    let reason: string | undefined = secret;
    checks.add("ping", () => undefined);
    checks.add("db", () => {
      if (reason !== undefined) throw new Error(reason);
    });
    const ask = (): Promise<unknown> => answerProbe("/healthz", { "/healthz": checks });
    const body = "[+]ping ok\n[-]db failed: reason withheld\nhealthz check failed\n";
    for (let count = 0; count < 3; count++) expect(await ask()).toEqual({ status: 500, body });
    expect(told).toEqual([`db: ${secret}`]);
    reason = undefined;
    expect(await ask()).toEqual({ status: 200, body: "ok" });
    reason = secret;
    await ask();
    reason = "other";
    await ask();
    expect(told).toEqual([`db: ${secret}`, `db: ${secret}`, "db: other"]);
  });

  it.each(["/__proto__", "/constructor", "/toString", "/healthzz", "http://", "//", "\0"])(
    "are not behind %j",
    async (path) => {
      const checks = { "/healthz": new HealthChecks() };
      expect(await answerProbe(path, checks)).toMatchObject({ status: 404 });
    },
  );
});

describe("the server of the metrics", () => {
  let server: RunningServer | undefined;

  afterEach(async () => {
    await server?.stop();
  });

  it("tells the operator why it has no answer, and whoever asks that it has none", async () => {
    const failures: unknown[] = [];
    const broken = new Registry();
    broken.metrics = () => Promise.reject(new Error("a secret"));
    const endpoint = { port: 0, host: "127.0.0.1" };
    server = await serveMetrics(endpoint, broken, { failed: (error) => failures.push(error) });
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    expect([answer.status, await answer.text()]).toEqual([500, "Internal Server Error\n"]);
    expect(failures).toEqual([new Error("a secret")]);
  });
});
