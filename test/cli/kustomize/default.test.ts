import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startControlPlane } from "../../../src/controlplane/control-plane.ts";
import { hasKubectl, Kubectl } from "../../support/kubectl.ts";
import { newProject, runCli } from "../support/run-cli.ts";
import { expectSameAsKubectl } from "./support/beside-kubectl.ts";

const EXAMPLE = fileURLToPath(new URL("../../../examples/myweb", import.meta.url));

async function scaffold(...flags: string[]): Promise<string> {
  const root = await newProject(...flags);
  const kind = ["--group", "web", "--version", "v1", "--kind", "Page", "--field", "title:string"];
  for (const argv of [["create", "api", ...kind], ["manifests"]]) {
    const { code, err } = await runCli(root, argv);
    expect([code, err]).toEqual([0, ""]);
  }
  return root;
}

describe.skipIf(!hasKubectl)("what config/default renders", () => {
  it.each<[string, () => Promise<string>]>([
    ["a fresh project", () => scaffold()],
    ["a fresh project that watches its own namespace", () => scaffold("--namespaced")],
    ["the example", () => Promise.resolve(EXAMPLE)],
  ])(
    "is what kubectl renders, and the control plane accepts all of it: %s",
    async (_what, make) => {
      const folder = join(await make(), "config/default");
      const count = await expectSameAsKubectl(folder);
      expect(count).toBeGreaterThan(9);
      const cluster = await startControlPlane({ controllers: "off" });
      const kubectl = new Kubectl(cluster.kubeconfig);
      onTestFinished(async () => {
        kubectl.close();
        await cluster.stop();
      });
      const manifests = await kubectl.output(["kustomize", folder]);
      for (const dryRun of ["--dry-run=none", "--dry-run=server"]) {
        const applied = await kubectl.output(
          ["apply", "--server-side", "--validate=strict", dryRun, "-f", "-"],
          manifests,
        );
        expect(applied.match(/ serverside-applied/g)).toHaveLength(count);
      }
    },
  );
});
