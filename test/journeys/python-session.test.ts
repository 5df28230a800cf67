import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startControlPlane } from "../../src/controlplane/control-plane.ts";

const session = new URL("python-session/session.py", import.meta.url).pathname;
const python = process.env["TSOP_PYTHON"] ?? "python3";

function hasClient(): boolean {
  try {
    execFileSync(python, ["-c", "import kubernetes"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

/** Runs the session and returns what each step said, by its name. */
function run(kubeconfig: string): Promise<Record<string, object>> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, [session, kubeconfig]);
    const written = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (part: string) => (written[name] += part));
    }
    child.on("error", reject);
    child.on("close", (code) => {
      if (code !== 0) reject(new Error(`${code}: ${written.stderr}${written.stdout}`));
      const steps = written.stdout.split("\n").filter((line) => line !== "");
      resolve(
        Object.fromEntries(
          steps.map((line) => {
            const { step, ...said } = JSON.parse(line) as { step: string };
            return [step, said];
          }),
        ),
      );
    });
  });
}

// Set TSOP_PYTHON to the Python of an environment that has the package.
describe.skipIf(!hasClient())("The Python client (needs python3 with kubernetes)", () => {
  it("writes, patches, pages, watches, applies and deletes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "python-"));
    await using plane = await startControlPlane();
    writeFileSync(join(folder, "kubeconfig"), plane.kubeconfig);
    try {
      expect(await run(join(folder, "kubeconfig"))).toEqual({
        version: { minor: "36" },
        created: { data: { a: "1" }, has_uid: true },
        patched: { data: { a: "1", b: "2" } },
        conflict: { status: 409, reason: "Conflict" },
        pages: { first: 1, rest: 1 },
        ready: { replicas: 2 },
        scaled: { replicas: 1 },
        applied: { data: { a: "3", b: "2" } },
        custom: { spec: { size: 2 } },
        refused: { status: 422, reason: "Invalid" },
        listed: { kind: "ThingList", count: 1 },
        deleted: { left: 0 },
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 180_000);
});
