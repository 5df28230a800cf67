/**
 * Webhooks by the commands alone, on the embedded control plane: `tsop dev` runs on while a kind gets a second version,
 * defaults, checks and a conversion.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient, loadClusterConfig, type Client } from "../../src/index.ts";
import { eventually } from "../../src/testing.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";
import { Newcomer, type Running } from "./support/newcomer.ts";
import { WebhookJourney } from "./support/webhook-journey.ts";

const OBJECTS = 50;

describe.skipIf(!hasKubectl)("a kind that gets webhooks", { timeout: 240_000 }, () => {
  let newcomer: Newcomer;
  let journey: WebhookJourney;
  let dev: Running;
  let kubeconfig: string;
  let kubectl: Kubectl;
  let client: Client;

  beforeAll(async () => {
    newcomer = await Newcomer.arrive();
    journey = new WebhookJourney(newcomer);
    await journey.begin();
    kubeconfig = join(journey.folder, ".tsop/kubeconfig");
    dev = newcomer.start("npx tsop dev --no-types", journey.folder);
    await dev.waitFor(/^operator .* ready in/m);
    expect(existsSync(kubeconfig)).toBe(true);
    kubectl = new Kubectl(readFileSync(kubeconfig, "utf8"));
    client = createClient(loadClusterConfig({ kubeconfig }), { name: "test" });
  }, 300_000);
  afterAll(() => {
    kubectl.close();
    newcomer.leave();
  });

  it("is asked for defaults, checks and conversion as soon as `tsop dev` has taken them over", async () => {
    await journey.fill(client, OBJECTS);
    await journey.addWebhooks();
    await dev.waitFor(/webhooks are served/);
    await eventually(() => journey.look(kubectl), { timeoutMs: 60_000, intervalMs: 500 });
    await journey.expectNothingLost(client);
  });

  it("is migrated to its new version, and no request of others fails", async () => {
    const report = await journey.migrate(client, kubeconfig);
    expect(report).toMatchObject({ objects: OBJECTS, failures: [], storedVersions: ["v1"] });
    expect(report.requests).toBeGreaterThanOrEqual(32);
  });

  it("passes the tests that were scaffolded, and its checks", async () => {
    await dev.stop();
    await newcomer.succeed("npm run check", journey.folder);
    await newcomer.succeed("npm test -- --no-isolate --maxWorkers=1", journey.folder);
  });
});
