import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startControlPlane } from "../../src/controlplane/control-plane.ts";

const session = new URL("client-node-session/session.mjs", import.meta.url).pathname;
/** What the session says when it talks to kube-apiserver 1.36.3 without controllers. */
const recording = new URL("recordings/client-node.json", import.meta.url);

/** The packages, how they name themselves to the server, and the first Node that can load them. */
const PACKAGES = [
  ["@kubernetes/client-node", "node-fetch", 20],
  ["client-node-2", "kubernetes-client-javascript", 22.19],
] as const;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const node = major + minor / 100;

const linesOf = (text: string): unknown[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);

describe.each(PACKAGES)("%s", (name, agent, since) => {
  it.skipIf(node < since)(
    `gets the answers of a real server in a whole session (needs Node ${since})`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "client-node-"));
      await using plane = await startControlPlane({ controllers: "off" });
      const kubeconfig = join(folder, "kubeconfig");
      writeFileSync(kubeconfig, plane.kubeconfig);
      try {
        const program = [session, name, kubeconfig, "session"];
        const { stdout } = await promisify(execFile)(process.execPath, program);
        const recorded = readFileSync(recording, "utf8").replaceAll("USER-AGENT", agent);
        expect(linesOf(stdout)).toEqual(JSON.parse(recorded));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    120_000,
  );
});
