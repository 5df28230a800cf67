import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import chains from "../../runtime/kubeconfig/client-go/trust.json" with { type: "json" };
import { newProject, runCli } from "../support/run-cli.ts";

const { pool = "", chain = "", key = "" } = chains[0] ?? {};

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

/** A project with a kubeconfig `kc` for a server that takes requests, says so, and never answers. */
async function besideSilence(user: object, onRequest?: () => void): Promise<string> {
  const silent = createServer({ cert: chain, key }, () => onRequest?.());
  server = silent;
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const folder = await newProject();
  const cluster = {
    server: `https://127.0.0.1:${port}`,
    "certificate-authority-data": Buffer.from(pool).toString("base64"),
  };
  writeFileSync(
    join(folder, "kc"),
    JSON.stringify({
      "current-context": "main",
      contexts: [{ name: "main", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user }],
    }),
  );
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("--timeout", () => {
  it("ends a command whose server never answers", async () => {
    const clock = new VirtualClock({ startMs: systemClock.now() });
    const folder = await besideSilence({ token: "t" }, () => void clock.advance(1000));
    const argv = ["import", "cluster", "--kubeconfig", "kc", "--timeout", "1"];
    const { code, err } = await runCli(folder, argv, { clock });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/timeout: After 1 s the API server at \S+ had not answered GET \//),
    ]);
  });

  it.skipIf(process.platform === "win32")(
    "ends the credential program, too, with a limit as kubectl writes it",
    async () => {
      const folder = await besideSilence({
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "./login",
          interactiveMode: "Never",
        },
      });
      // It stands at the first pipe until the test has read it, and then sleeps.
      const ran = join(folder, "ran");
      execFileSync("mkfifo", [ran]);
      writeFileSync(join(folder, "login"), `#!/bin/sh\necho "$$" > "${ran}"; exec sleep 600\n`);
      chmodSync(join(folder, "login"), 0o755);
      const clock = new VirtualClock({ startMs: systemClock.now() });
      const argv = ["import", "cluster", "--kubeconfig", "kc", "--timeout", "1000ms"];
      const running = runCli(folder, argv, { clock });
      const pid = Number(await readFile(ran, "utf8"));
      await clock.advance(1000);
      const { code, err } = await running;
      expect([code, err]).toEqual([1, expect.stringContaining("timeout: After 1 s")]);
      await eventually(() => expect(isAlive(pid)).toBe(false));
    },
  );
});
