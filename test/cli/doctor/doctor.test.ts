import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { RULES } from "../../../src/cli/doctor/rules/index.ts";
import { hasShared, sharedPath } from "../../support/shared.ts";
import { emptyFolder, newProject, runCli } from "../support/run-cli.ts";
import { CASES } from "./cases.ts";

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
  readonly fix: string;
}

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = emptyFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function findings(folder: string, ...path: string[]): Promise<readonly Finding[]> {
  const { code, out } = await runCli(folder, ["doctor", ...path, "-o", "json"]);
  const { found } = JSON.parse(out) as { found: Finding[] };
  expect(code).toBe(found.length === 0 ? 0 : 1);
  return found;
}

/** What a rule says of itself, as the page shows it. */
const page = (): string => `# What tsop doctor finds

\`tsop doctor [path]\` checks a project, a folder of manifests, or a single file. It reports each mistake with its line and a fix,
and exits with 1 if it finds any. Programs read \`-o json\`. It reads manifests and sources, does not change anything, and does
not need a cluster. It skips Helm charts; render them with \`helm template\` first.

Kustomizations are rendered as in \`tsop deploy\`, and the rendered objects are checked with all patches, prefixes, and generated
objects applied. A finding points at the line in the base that has the value, or at the kustomization that sets it. If a
kustomization has a remote base or a field that tsop does not render, \`tsop doctor\` reports it and checks its files separately.

Generated from the rules by \`npx vitest run test/cli/doctor -u\`. Do not edit.

${RULES.map(({ name, about, example }) => `## ${name}\n\n${about}\n\n\`\`\`text\n${example}\n\`\`\`\n`).join("\n")}`;

describe("tsop doctor", { timeout: 60_000 }, () => {
  it("documents its rules", async () => {
    await expect(page()).toMatchFileSnapshot("../../../docs/doctor.md");
  });

  it.each(["'((a+)+)+$'", "'['", "'(?<x'", "1.e+30"])(
    "takes the port %s literally",
    async (port) => {
      const patches = `a: 1\nname: ${"a".repeat(200)}!\n`;
      const folder = folderOf({
        "a.yaml": CASES["service-without-listener"]?.bad["a.yaml"] ?? "",
        "b.yaml": (CASES["service-without-listener"]?.bad["b.yaml"] ?? "").replace(
          "https",
          () => port,
        ),
        "patch.yaml": patches,
        "kustomization.yaml": "patches: [{ path: patch.yaml }]\n",
      });
      const rules = (await findings(folder)).map(({ rule }) => rule);
      expect(rules).toContain("service-without-listener");
    },
  );

  it("has a case for every rule of manifests and sources", () => {
    const names = RULES.map(({ name }) => name);
    const ofProjects = ["code", "generated-out-of-date"];
    expect(Object.keys(CASES).sort()).toEqual(
      ["unreadable", ...names.filter((name) => !ofProjects.includes(name))].sort(),
    );
  });

  it.each(Object.entries(CASES))(
    "finds %s at its line, says what to do, and nothing else",
    async (rule, one) => {
      const found = await findings(folderOf(one.bad));
      expect([...new Set(found.map((finding) => finding.rule))]).toEqual([rule]);
      const texts = found.map(
        ({ file, line, message, fix }) => `${file}:${line} ${message} ${fix}`,
      );
      expect(texts.join("\n")).toContain(one.place);
      expect(texts.join("\n")).toContain(one.says);
    },
  );

  it.each(Object.entries(CASES))("finds nothing where there is no %s", async (_rule, { good }) => {
    expect(await findings(folderOf(good))).toEqual([]);
  });

  it("looks at a single file, and says where nothing is", async () => {
    const folder = folderOf(CASES["no-verbs"]?.bad ?? {});
    expect((await findings(folder, "a.yaml")).map(({ rule }) => rule)).toEqual(["no-verbs"]);
    const missing = await runCli(folder, ["doctor", "b.yaml"]);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("nothing-to-examine")]);
  });

  describe("with kustomizations", () => {
    const CONTAINERS = "containers: [{ name: web, image: nginx }]";
    const BASE = {
      "base/kustomization.yaml": "resources: [web.yaml, service.yaml]\n",
      "base/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      initContainers: [{ name: wait, image: "busybox:latest" }]
      ${CONTAINERS}
`,
      "base/service.yaml": `apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
`,
    };
    const told = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> =>
      (await findings(folderOf(files))).map(({ file, line, rule }) => `${file}:${line} ${rule}`);

    it("tells what they render at the line of the base where it stands", async () => {
      expect(await told(BASE)).toEqual([
        "base/web.yaml:9 image-without-version",
        "base/web.yaml:10 image-without-version",
      ]);
    });

    it("finds nothing that an overlay mends, and what it breaks at the overlay", async () => {
      const images = [
        "images:",
        "- { name: nginx, newTag: '1.29' }",
        "- { name: busybox, newName: registry.example/busybox, newTag: '1.37' }",
      ];
      const overlay = ["resources: [../base]", "namePrefix: my-", ...images];
      const files = { ...BASE, "prod/kustomization.yaml": overlay.join("\n") };
      expect(await told(files)).toEqual([]);
      const patch = [
        "patches:",
        "- target: { kind: Service }",
        '  patch: \'[{ "op": "replace", "path": "/spec/selector/app", "value": "wbe" }]\'',
      ];
      expect(
        await told({ ...files, "prod/kustomization.yaml": [...overlay, ...patch].join("\n") }),
      ).toEqual(["prod/kustomization.yaml:1 service-without-listener"]);
    });

    it("knows the names of generated ConfigMaps, and tells one whose name stays", async () => {
      const reading = BASE["base/web.yaml"].replace(
        CONTAINERS,
        'containers: [{ name: web, image: "nginx:1.29", envFrom: [{ configMapRef: { name: page } }] }]',
      );
      const generated = (settings: string) => ({
        "web.yaml": reading.replace("busybox:latest", "busybox:1.37"),
        "kustomization.yaml": `resources: [web.yaml]\nconfigMapGenerator: [{ name: page, literals: [a=b] }]\n${settings}`,
      });
      expect(await told(generated(""))).toEqual([]);
      expect(await told(generated("generatorOptions: { disableNameSuffixHash: true }\n"))).toEqual([
        "web.yaml:9 config-without-rollout",
      ]);
    });

    it("says which it does not render, and examines its files as they stand", async () => {
      const folder = folderOf({
        "kustomization.yaml":
          "resources: [role.yaml, https://example.com/base?ref=v1]\nimages: [{ name: nginx, newTag: '1.29' }]\n",
        "role.yaml": CASES["no-verbs"]?.bad["a.yaml"] ?? "",
        "web.yaml": BASE["base/web.yaml"],
      });
      const { out, err } = await runCli(folder, ["doctor"]);
      expect(err).toMatch(/^note kustomization\.yaml cannot be rendered, .*remote base/);
      expect(out).toContain("role.yaml:7");
      const json = await runCli(folder, ["doctor", "-o", "json"]);
      expect(json.err).toBe("");
      expect(JSON.parse(json.out)).toMatchObject({
        notRendered: [{ file: "kustomization.yaml", why: expect.stringContaining("remote base") }],
      });
    });

    it.runIf(hasShared("goldens"))(
      "looks at a project of kubebuilder as at any folder",
      async () => {
        const folder = sharedPath("goldens", "kubebuilder/testdata/project-v4");
        const found = await findings(emptyFolder(), folder);
        // Its samples have `spec:` and comments below.
        expect([...new Set(found.map(({ rule }) => rule))]).toEqual(["invalid-object"]);
      },
    );
  });

  it("reads Lists, and JSON", async () => {
    const folder = folderOf({
      "a.json": JSON.stringify({
        apiVersion: "v1",
        kind: "List",
        items: [{ apiVersion: "extensions/v1beta1", kind: "Ingress", metadata: { name: "a" } }],
      }),
    });
    expect((await findings(folder)).map(({ rule }) => rule)).toEqual(["removed-api-version"]);
  });

  it("prints one line for a finding and one for what to do", async () => {
    const { out } = await runCli(folderOf(CASES["no-verbs"]?.bad ?? {}), ["doctor"]);
    expect(out).toMatch(/^a\.yaml:7:\d+ no-verbs: .*\n {2}fix .*\n1 found in 1 object$/);
  });

  it("names a file as the shell that it runs in knows it", async () => {
    const folder = folderOf({ "deploy/a.yaml": CASES["no-verbs"]?.bad["a.yaml"] ?? "" });
    for (const path of ["deploy", "deploy/a.yaml", "./deploy/"]) {
      expect((await runCli(folder, ["doctor", path])).out).toMatch(/^deploy\/a\.yaml:7:/);
    }
    const below = await runCli(join(folder, "deploy"), ["doctor", ".."]);
    expect(below.out).toMatch(/^a\.yaml:7:/);
  });

  it.each([[[]], [["--namespaced"]]])("finds nothing in a fresh project %j", async (flags) => {
    const root = await newProject(...flags);
    expect(await findings(root)).toEqual([]);
    const named = ["--group", "web", "--version", "v1", "--kind", "Page"];
    for (const argv of [
      ["api", ...named],
      ["webhook", ...named, "--validation", "--certificates", "cert-manager"],
    ]) {
      expect((await runCli(root, ["create", ...argv])).code).toBe(0);
    }
    expect((await runCli(root, ["manifests"])).code).toBe(0);
    expect(await findings(root)).toEqual([]);
  });

  it("finds a right that the code needs, a CRD out of date and a sample that does not fit in a project", async () => {
    const root = await newProject();
    const named = ["--group", "web", "--version", "v1", "--kind", "Page"];
    await runCli(root, ["create", "api", ...named, "--field", "size:int=1"]);
    await runCli(root, ["manifests"]);
    const edit = (path: string, from: string, to: string): void => {
      const text = readFileSync(join(root, path), "utf8");
      expect(text).toContain(from);
      writeFileSync(join(root, path), text.replace(from, to));
    };
    edit("PROJECT", "domain:", "rbac: markers\ndomain:");
    edit("src/api/v1/page.ts", "size: Int32 = 1;", "size: Int32 = 2;");
    edit("config/samples/web_v1_page.yaml", "size: 1", "size: one");
    edit(
      "src/controllers/page-controller.ts",
      "// Pass a function to keep",
      'await this.#client.get(ConfigMap, { namespace: "default", name: "a" });\n    // Pass a function to keep',
    );
    edit(
      "src/controllers/page-controller.ts",
      'from "tsop";',
      'from "tsop";\nimport { ConfigMap } from "tsop/k8s";',
    );
    const rules = (await findings(join(root, "src"), root)).map(
      ({ rule, file }) => `${file} ${rule}`,
    );
    expect(rules).toContain("../config/samples/web_v1_page.yaml invalid-object");
    expect(rules).toContain("controllers/page-controller.ts code");
    edit(
      "src/controllers/page-controller.ts",
      'await this.#client.get(ConfigMap, { namespace: "default", name: "a" });',
      "",
    );
    edit("PROJECT", "rbac: markers\n", "");
    const again = (await findings(root)).map(({ rule, file }) => `${file} ${rule}`);
    expect(again).toContain("config/crd/bases/web.example.com_pages.yaml generated-out-of-date");
  });

  it.runIf(hasShared("seeds"))(
    "finds the nine mistakes of the documents that tsop began with",
    async () => {
      const folder = emptyFolder();
      for (const name of readdirSync(sharedPath("seeds"))) {
        const text = readFileSync(sharedPath("seeds", name), "utf8");
        for (const [index, [, block = ""]] of [
          ...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm),
        ].entries()) {
          const isManifest = /^(?:---\n)?(?:apiVersion|versions):/.test(block.trimStart());
          const ending = isManifest
            ? "yaml"
            : /^\s*(?:import|def) /m.test(block)
              ? "py"
              : undefined;
          if (ending !== undefined)
            writeFileSync(join(folder, `${name}-${index}.${ending}`), block);
        }
      }
      const found = await findings(folder);
      const text = found.map(({ rule, message }) => `${rule}: ${message}`).join("\n");
      expect(text).toMatch(
        /removed-api-version: CustomResourceDefinition in apiextensions.k8s.io\/v1beta1/,
      );
      expect(text).toMatch(/unknown-field: ConfigMonitor has no field spec.configmap/);
      expect(text).toMatch(/resource-not-plural: .*grants permissions to configmonitor,/);
      expect(text).toMatch(/no-verbs: ClusterRole operator-role/);
      expect(text).toMatch(/misplaced-columns: additionalPrinterColumns/);
      expect(text).toMatch(/issuer-beside-reference: Certificate acme-crt/);
      expect(text).toMatch(/plain-secret: spec.password of Project abc-department/);
      expect(text).toMatch(/definition-of-v1beta1: projects.xyz.com has spec.version/);
      expect(text).toMatch(/edge-triggered: /);
      expect(text).toMatch(/config-without-rollout: Deployment frontend/);
    },
  );
});

describe("tsop list", () => {
  it("prints kinds with versions, scopes, controllers and webhooks, also as JSON", async () => {
    const root = await newProject();
    expect((await runCli(root, ["list"])).out).toContain("none yet: tsop create api");
    const named = ["--group", "web", "--version", "v1", "--kind", "Page"];
    await runCli(root, ["create", "api", ...named]);
    await runCli(root, ["create", "webhook", ...named, "--validation"]);
    await runCli(root, [
      "create",
      "api",
      "--group",
      "core",
      "--version",
      "v1",
      "--kind",
      "Node",
      "--no-resource",
    ]);
    const { out, code } = await runCli(root, ["list"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^shop example.com$/m);
    expect(out).toMatch(/^Page +web.example.com\/v1 +Namespaced +own +yes +validation$/m);
    expect(out).toMatch(/^Node +v1 +Cluster +kubernetes +yes +-$/m);
    const json = JSON.parse((await runCli(root, ["list", "-o", "json"])).out) as object;
    expect(json).toMatchObject({
      projectName: "shop",
      certificates: "self-managed",
      images: ["controller:latest"],
      kinds: [
        { kind: "Page", webhooks: ["validation"], file: "src/api/v1/page.ts" },
        { kind: "Node" },
      ],
    });
    expect((json as { parts: string[] }).parts).toContain("webhook");
  });
});
