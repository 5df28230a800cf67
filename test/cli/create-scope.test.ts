import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderKustomization } from "../../src/cli/kustomize/render.ts";
import type { ManifestObject } from "../../src/kube/object.ts";
import { filesIn, newProject, runCli } from "./support/run-cli.ts";

const zone = (version: string, ...flags: string[]): string[] => [
  ...["create", "api", "--group", "web", "--version", version, "--kind", "Zone"],
  ...flags,
];

describe("the scope of a kind", { timeout: 60_000 }, () => {
  it.each([["--scope", "Cluster"], ["--namespaced=false"]])(
    "is the cluster with %s: class, CRD, role and test say so",
    async (...flags) => {
      const root = await newProject();
      expect(await runCli(root, zone("v1", ...flags))).toMatchObject({ code: 0, err: "" });
      expect(await runCli(root, ["manifests"])).toMatchObject({ code: 0, err: "" });
      const files = filesIn(root);
      expect(files["src/api/v1/zone.ts"]).toContain('scope: "Cluster"');
      expect(files["config/crd/bases/web.example.com_zones.yaml"]).toContain("scope: Cluster\n");
      expect(files["test/zone-controller.test.ts"]).toContain('const key = { name: "one" };');
      const list = await runCli(root, ["list"]);
      expect(list.out).toMatch(/^Zone +web\.example\.com\/v1 +Cluster/m);
    },
  );

  it("is read by a ClusterRole that is bound, also in a project of one namespace", async () => {
    const root = await newProject("--namespaced");
    await runCli(root, zone("v1", "--scope", "Cluster"));
    expect(await runCli(root, ["manifests"])).toMatchObject({ code: 0, err: "" });
    const rendered = await renderKustomization(join(root, "config/default"));
    const named = (kind: string): ManifestObject[] =>
      rendered.filter((one) => one.kind === kind && one.metadata.name.startsWith("shop-manager"));
    expect(named("ClusterRole")).toMatchObject([
      { rules: [{ resources: ["zones"] }, { resources: ["zones/status"] }] },
    ]);
    expect(named("ClusterRoleBinding")).toMatchObject([
      {
        roleRef: { kind: "ClusterRole", name: "shop-manager-role" },
        subjects: [{ name: "shop-controller-manager", namespace: "shop-system" }],
      },
    ]);
    expect(named("Role")).toMatchObject([{ rules: [{ resources: ["events"] }] }]);
    expect(named("RoleBinding")).toMatchObject([{ roleRef: { name: "shop-manager-role" } }]);
  });

  it("is that of the kind's other versions, and cannot differ from it", async () => {
    const root = await newProject();
    await runCli(root, zone("v1", "--scope", "Cluster"));
    const differing = await runCli(root, zone("v2", "--scope", "Namespaced"));
    expect(differing).toMatchObject({ code: 2, err: expect.stringContaining("bad-scope") });
    expect(differing.err).toContain("src/api/v1/zone.ts");
    expect(await runCli(root, zone("v2"))).toMatchObject({ code: 0, err: "" });
    expect(filesIn(root)["src/api/v2/zone.ts"]).toContain('scope: "Cluster"');
    const again = await runCli(root, zone("v1", "--namespaced"));
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining("bad-scope") });
  });

  it.each([
    ["image-of-cluster-kind", zone("v1", "--scope", "Cluster", "--image", "nginx:1.29")],
    ["scope-of-others", zone("v1", "--scope", "Cluster", "--no-resource")],
  ])("is refused where it says nothing: %s", async (code, argv) => {
    const root = await newProject();
    const before = filesIn(root);
    expect(await runCli(root, argv)).toMatchObject({ code: 2, err: expect.stringContaining(code) });
    expect(filesIn(root)).toEqual(before);
  });
});
