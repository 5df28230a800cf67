/** `tsop run` beside a deployed operator: it says that two controllers work on the same objects. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { Deployment } from "../../../src/generated/k8s/apps-v1.ts";
import { mergePatch } from "../../../src/runtime/client/patches.ts";
import { createClient } from "../../../src/runtime/client/create-client.ts";
import { loadClusterConfig } from "../../../src/runtime/kubeconfig/load-config.ts";
import { newProject, runCli } from "../support/run-cli.ts";

const KEY = { namespace: "shop-system", name: "shop-controller-manager" };
const OPERATOR = `
const timer = setInterval(() => undefined, 1000);
process.once("SIGTERM", () => clearInterval(timer));
console.log("started");
`;

describe("tsop run beside a deployed operator", () => {
  let cluster: ControlPlane;
  let folder: string;

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: "off" });
  });
  afterAll(() => cluster.stop());

  beforeEach(async () => {
    folder = await newProject();
    writeFileSync(join(folder, "src/main.ts"), OPERATOR);
    writeFileSync(join(folder, "kc"), cluster.kubeconfig);
    const elsewhere = cluster.kubeconfig.replace(/( +)user: .*/, "$&\n$1namespace: shop-system");
    writeFileSync(join(folder, "kc-system"), elsewhere);
    const deploy = ["deploy", "--image", "shop:1", "--no-wait", "--kubeconfig", "kc"];
    expect((await runCli(folder, deploy)).code).toBe(0);
  });

  /** The notes of a run, which is interrupted after `lines` of them, or once the operator has started. */
  async function notes(lines: number, ...argv: string[]): Promise<string[]> {
    const stop = new AbortController();
    const told: string[] = [];
    let isStarted = false;
    const end = (): void => {
      if (isStarted && told.length >= lines) stop.abort();
    };
    const { code } = await runCli(folder, ["run", ...argv], {
      signal: stop.signal,
      onLine: (line) => {
        if (line === "started") isStarted = true;
        else if (/deployed|cluster|kubectl/.test(line)) told.push(line);
        end();
      },
    });
    expect(code).toBe(0);
    return told;
  }

  it("says that both reconcile the same objects, and how to stop the other", async () => {
    expect(await notes(2, "--kubeconfig", "kc")).toEqual([
      "note the operator also runs in the cluster, as deployments.apps shop-system/shop-controller-manager (1 replica): both reconcile the same objects.",
      "  Stop it during this run: kubectl scale -n shop-system deployment/shop-controller-manager --replicas=0",
    ]);
  });

  it("says it also with --leader-elect, where the Leases are in two namespaces", async () => {
    const [note] = await notes(2, "--kubeconfig", "kc", "--", "--leader-elect");
    expect(note).toContain(
      "Its Lease is in the namespace shop-system, and the Lease of this run in default, so both lead.",
    );
  });

  it("says nothing where both compete for one Lease, or no replica is wanted", async () => {
    expect(await notes(0, "--kubeconfig", "kc-system", "--", "--leader-elect")).toEqual([]);
    const client = createClient(loadClusterConfig({ kubeconfigText: cluster.kubeconfig }));
    await client.patch(Deployment, KEY, mergePatch({ spec: { replicas: 0 } }));
    expect(await notes(0, "--kubeconfig", "kc")).toEqual([]);
  });
});
