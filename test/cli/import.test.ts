import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newProject, runCli } from "./support/run-cli.ts";

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: zones.dns.example.com }
spec:
  group: dns.example.com
  scope: Cluster
  names: { kind: Zone, plural: zones }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: { type: object, properties: { ttl: { type: integer, default: 300 } } }
`;

describe("tsop import", () => {
  it("writes classes from which the same CRD is generated", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "crd.yaml"), `${CRD}---\nkind: ConfigMap\n`);
    const imported = await runCli(folder, ["import", "crd.yaml"]);
    expect([imported.code, imported.err]).toEqual([0, ""]);
    expect(imported.out).toContain("create src/api/v1/zone.ts");
    const made = await runCli(folder, ["manifests"]);
    expect([made.code, made.err]).toEqual([0, ""]);
    expect(made.out).toContain("create config/crd/bases/dns.example.com_zones.yaml");
    expect((await runCli(folder, ["import", "crd.yaml"])).out).toContain("nothing to change");
  });

  it("leaves an edited file alone unless it is told to overwrite it", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "crd.yaml"), CRD);
    await runCli(folder, ["import", "crd.yaml"]);
    writeFileSync(join(folder, "src/api/v1/zone.ts"), "// mine\n");
    const again = await runCli(folder, ["import", "crd.yaml"]);
    expect(again.code).toBe(1);
    expect(again.err).toContain("src/api/v1/zone.ts is there already");
    expect((await runCli(folder, ["import", "crd.yaml", "--force"])).code).toBe(0);
  });

  it("says what is wrong with a source that holds no CRD", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "pod.yaml"), "kind: Pod\n");
    writeFileSync(join(folder, "broken.yaml"), "a: [\n");
    expect((await runCli(folder, ["import", "pod.yaml"])).err).toContain("this is a Pod");
    expect((await runCli(folder, ["import", "broken.yaml"])).err).toContain("is not valid YAML");
    expect(await runCli(folder, ["import", "absent.yaml"])).toMatchObject({ code: 2 });
  });
});
