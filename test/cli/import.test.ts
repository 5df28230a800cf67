import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesIn, newProject, runCli } from "./support/run-cli.ts";

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

  it("takes all files of a folder, and what is no CRD stays out", async () => {
    const folder = await newProject();
    mkdirSync(join(folder, "crds"));
    writeFileSync(join(folder, "crds/zones.yaml"), CRD);
    writeFileSync(
      join(folder, "crds/areas.yml"),
      CRD.replace(/zone/g, "area").replace(/Zone/g, "Area"),
    );
    writeFileSync(join(folder, "crds/README.md"), "{{");
    const imported = await runCli(folder, ["import", "crds"]);
    expect([imported.code, imported.err]).toEqual([0, ""]);
    expect(imported.out).toContain("create src/api/v1/area.ts");
    expect(imported.out).toContain("create src/api/v1/zone.ts");
    const same = await runCli(folder, ["manifests", "--against", "crds"]);
    expect(same.out).toContain("0 breaking, 0 risky, 0 safe");
  });

  it("takes the files of folders in the folder, and refuses those that are compressed", async () => {
    const folder = await newProject();
    mkdirSync(join(folder, "crds/deep"), { recursive: true });
    writeFileSync(join(folder, "crds/deep/zones.yaml"), CRD);
    expect((await runCli(folder, ["import", "crds", "--dry-run"])).out).toContain("v1/zone.ts");
    writeFileSync(join(folder, "crds/deep/areas.yaml.gz"), "");
    for (const from of ["crds", "crds/deep/areas.yaml.gz"]) {
      const refused = await runCli(folder, ["import", from]);
      expect([refused.code, refused.out]).toEqual([2, ""]);
      expect(refused.err).toMatch(/compressed-file: .*crds\/deep\/areas.yaml.gz is compressed/);
    }
  });

  it("renders a folder with a kustomization, so that what it patches is imported", async () => {
    const folder = await newProject();
    mkdirSync(join(folder, "go/crd/bases"), { recursive: true });
    mkdirSync(join(folder, "go/crd/patches"));
    writeFileSync(join(folder, "go/crd/bases/zones.yaml"), CRD);
    writeFileSync(
      join(folder, "go/crd/bases/areas.yaml"),
      CRD.replace(/zone/g, "area").replace(/Zone/g, "Area"),
    );
    writeFileSync(
      join(folder, "go/crd/patches/webhook.yaml"),
      `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: zones.dns.example.com }
spec:
  conversion:
    strategy: Webhook
    webhook:
      clientConfig: { service: { namespace: system, name: webhook-service, path: /convert } }
      conversionReviewVersions: [v1]
`,
    );
    writeFileSync(
      join(folder, "go/crd/kustomization.yaml"),
      "resources: [bases/zones.yaml]\npatches: [{ path: patches/webhook.yaml }]\n",
    );
    const imported = await runCli(folder, ["import", "go/crd"]);
    expect(imported.code).toBe(0);
    expect(imported.err).toContain(
      "note go/crd/bases/areas.yaml has a CRD that the kustomization of go/crd does not include",
    );
    expect(imported.out).not.toContain("area.ts");
    await runCli(folder, ["manifests"]);
    expect(filesIn(folder)["config/crd/bases/dns.example.com_zones.yaml"]).toContain(
      "webhook-service",
    );
    const same = await runCli(folder, ["manifests", "--against", "go/crd"]);
    expect(same.out).toContain("0 breaking, 0 risky, 0 safe");
    const patched =
      "note The kustomization of go/crd changes spec.conversion of zones.dns.example.com, which go/crd/bases/zones.yaml does not have. Pass go/crd instead to include it.";
    expect((await runCli(folder, ["manifests", "--against", "go/crd/bases"])).err).toContain(
      patched,
    );
    const bare = await runCli(folder, [
      "import",
      "go/crd/bases/zones.yaml",
      "--dry-run",
      "--force",
    ]);
    expect(bare.err).toContain(patched);
  });

  it("leaves an edited file alone unless it is told to overwrite it", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "crd.yaml"), CRD);
    await runCli(folder, ["import", "crd.yaml"]);
    writeFileSync(join(folder, "src/api/v1/zone.ts"), "// mine\n");
    const again = await runCli(folder, ["import", "crd.yaml"]);
    expect(again.code).toBe(1);
    expect(again.err).toContain("src/api/v1/zone.ts already exists");
    expect((await runCli(folder, ["import", "crd.yaml", "--force"])).code).toBe(0);
  });

  const wrong: readonly (readonly [name: string, text: string, said: string])[] = [
    ["empty.yaml", "", "There is no CustomResourceDefinition in empty.yaml"],
    ["pod.yaml", "kind: Pod\n", "this is a Pod"],
    ["list.yaml", "- 1\n- 2\n", "this is not an object"],
    ["text.yaml", "hello", "this is not an object"],
    ["binary.yaml", "\u0000\u0001\ufffd", "this is not an object"],
    ["broken.yaml", "a: [\n", "broken.yaml:2:1 is not valid YAML"],
    ["twice.yaml", "a: 1\na: 2\n", "twice.yaml:2:1 is not valid YAML"],
    ["open.json", "{", "open.json:1:2 is not valid YAML"],
    [
      "bomb.yaml",
      [
        "a: &a [x,x,x,x,x,x,x,x,x,x]",
        ..."bcdefg".split("").map((name, index) => {
          const alias = `*${"abcdef"[index] ?? ""}`;
          return `${name}: &${name} [${Array.from({ length: 10 }, () => alias).join()}]`;
        }),
      ].join("\n"),
      "bomb.yaml:1:12 is not valid YAML: its aliases expand to more than 200000 values.",
    ],
    ["deep.yaml", "- ".repeat(10_000), "deep.yaml:1:1002 is not valid YAML: it is nested deeper"],
    ["circle.yaml", "a: &a [*a]\n", "circle.yaml:1:8 is not valid YAML: the anchor `a` contains"],
    [
      "null-item.yaml",
      "kind: CustomResourceDefinitionList\nitems: [null]\n",
      "null-item.yaml:2:9: items[0] of the list is null; expected an object.",
    ],
    ["no-spec.yaml", CRD.slice(0, CRD.indexOf("spec:")), "it has no spec with a group and names"],
    ["no-version.yaml", CRD.replace(/versions:[^]*/, "versions: []\n"), "it has no versions"],
    [
      "versions.yaml",
      CRD.replace(/versions:[^]*/, "versions: 5\n"),
      "spec.versions must be a list",
    ],
    ["name.yaml", CRD.replace("name: v1", "name: 1"), "spec.versions[0].name must be a string"],
    [
      "type.yaml",
      CRD.replace("type: integer", "type: [integer]"),
      "v1.spec.ttl.type must be a string",
    ],
    ["main.ts", "export const answer = 42;\nclass {", "this is not an object"],
  ];
  it.each(wrong)("says what is wrong with %s, and writes nothing", async (name, text, said) => {
    const folder = await newProject();
    const before = filesIn(folder);
    writeFileSync(join(folder, name), text);
    const result = await runCli(folder, ["import", name]);
    expect(result).toMatchObject({ code: 1, out: "" });
    expect(result.err).toContain(said);
    expect(result.err).not.toContain("internal-error");
    expect(filesIn(folder)).toEqual({ ...before, [name]: text });
  });

  it("says that a source is not there, is a folder, or cannot be reached", async () => {
    const folder = await newProject();
    expect(await runCli(folder, ["import", "absent.yaml"])).toMatchObject({ code: 2 });
    expect((await runCli(folder, ["import", "src"])).err).toContain(
      "There is no CustomResourceDefinition in src",
    );
    const away = await runCli(folder, ["import", "https://127.0.0.1:1/crd.yaml"]);
    expect(away.err).toContain("download-failed: https://127.0.0.1:1/crd.yaml could not be read");
  });
});
