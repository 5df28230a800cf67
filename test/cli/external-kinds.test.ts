import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientFor, installOperator, startControlPlane } from "../../src/testing.ts";
import { filesIn, newProject, runCli } from "./support/run-cli.ts";

const crd = (group: string, kind: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${kind.toLowerCase()}s.${group}
  resourceVersion: "12"
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: ${kind}, plural: ${kind.toLowerCase()}s, singular: ${kind.toLowerCase()}, shortNames: [crt] }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    additionalPrinterColumns:
    - { name: Secret, type: string, jsonPath: .spec.secretName }
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: { type: object, required: [secretName], properties: { secretName: { type: string } } }
          status: { type: object, properties: { ready: { type: boolean } } }
`;
const CERTIFICATE = crd("cert-manager.io", "Certificate");

/** The CRD with a second version, and a webhook that converts. */
function converted(): string {
  const [head = "", version = ""] = CERTIFICATE.split("  versions:\n");
  const conversion = `  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: { service: { name: cm-webhook, namespace: cert-manager, path: /convert } }
`;
  const old = version
    .replace("name: v1\n", "name: v1alpha1\n")
    .replace("storage: true", "storage: false");
  return `${head}${conversion}  versions:\n${version}${old}`;
}

const RBAC = `import { Rbac } from "tsop";
import { Certificate } from "./api/v1/certificate.ts";
@Rbac(Certificate, ["get"])
export class Reader {}
`;

describe("kinds whose CRD is somebody else's", () => {
  it("are imported as classes without a CRD, with a copy of the CRD for tests alone", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "crd.yaml"), CERTIFICATE);
    writeFileSync(join(folder, "src/reader.ts"), RBAC);
    const imported = await runCli(folder, ["import", "crd.yaml"]);
    expect([imported.code, imported.err]).toEqual([0, ""]);
    expect(imported.out).toContain("Certificate cert-manager.io v1 external\n");
    expect(imported.out).toContain("With --own they belong to this project");
    const source = readFileSync(join(folder, "src/api/v1/certificate.ts"), "utf8");
    expect(source).toContain(
      '@Resource({ group: "cert-manager.io", version: "v1", external: true })',
    );
    expect(source).not.toMatch(/PrintColumn|shortNames/);
    const copy = readFileSync(
      join(folder, "config/external/cert-manager.io_certificates.yaml"),
      "utf8",
    );
    expect(copy).toContain("additionalPrinterColumns");
    expect(copy).not.toContain("resourceVersion");
    const made = await runCli(folder, ["manifests"]);
    expect([made.code, made.err]).toEqual([0, ""]);
    const files = filesIn(folder);
    expect(Object.keys(files).filter((path) => path.startsWith("config/crd"))).toEqual([]);
    expect(files["config/rbac/role.yaml"]).toMatch(
      /cert-manager.io\n +resources:\n +- certificates\n/,
    );
    const rendered = await runCli(folder, ["deploy", "--render", "--image", "a:1"]);
    expect([rendered.code, rendered.out]).toEqual([
      0,
      expect.not.stringContaining("CustomResourceDefinition"),
    ]);
    // Whether it is imported once more or seen already, it stays what it is.
    expect((await runCli(folder, ["import", "crd.yaml"])).out).toContain("nothing to change");
  });

  it("become the project's own with --own, which deploys them", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "crd.yaml"), CERTIFICATE);
    writeFileSync(join(folder, "src/reader.ts"), RBAC);
    expect(await runCli(folder, ["import", "crd.yaml", "--own"])).toMatchObject({
      code: 0,
      err: "",
    });
    const made = await runCli(folder, ["manifests"]);
    expect([made.code, made.err]).toEqual([0, ""]);
    const { out } = await runCli(folder, ["deploy", "--render", "--image", "a:1"]);
    expect(out).toContain("name: certificates.cert-manager.io");
    expect(await runCli(folder, ["import", "crd.yaml", "--own", "--external"])).toMatchObject({
      code: 2,
    });
  });

  it("are asked for in projects that import them as their own, and go out of the manifests then", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "crd.yaml"), CERTIFICATE);
    await runCli(folder, ["import", "crd.yaml", "--own"]);
    const path = join(folder, "src/api/v1/certificate.ts");
    const text = readFileSync(path, "utf8");
    expect(text).toContain("external: false");
    writeFileSync(path, text.replace(/,?\s*external: false/, ""));
    const told = await runCli(folder, ["manifests"]);
    expect([told.code, told.err]).toEqual([0, expect.stringContaining("foreign-group")]);
    expect(told.err).toContain("Add external: true to @Resource if they belong to another project");
    writeFileSync(join(folder, "src/reader.ts"), RBAC);
    await runCli(folder, ["import", "crd.yaml", "--force"]);
    const made = await runCli(folder, ["manifests"]);
    expect([made.code, made.err]).toEqual([0, ""]);
    expect(made.out).toContain("delete config/crd/bases/cert-manager.io_certificates.yaml");
    expect(existsSync(join(folder, "config/crd/kustomization.yaml"))).toBe(false);
    expect(await runCli(folder, ["deploy", "--render", "--image", "a:1"])).toMatchObject({
      code: 0,
    });
  });

  it("whose versions others convert are told so, and get admission webhooks that do not stop others", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "crd.yaml"), converted());
    const imported = await runCli(folder, ["import", "crd.yaml"]);
    expect([imported.code, imported.err]).toEqual([
      0,
      expect.stringContaining("the owner of the CRD converts its versions"),
    ]);
    const flags = ["--group", "cert-manager.io", "--version", "v1", "--kind", "Certificate"];
    const webhook = await runCli(folder, ["create", "webhook", ...flags, "--validation"]);
    expect([webhook.code, webhook.err]).toEqual([0, ""]);
    const validator = readFileSync(join(folder, "src/webhooks/certificate-validator.ts"), "utf8");
    expect(validator).toContain('failurePolicy: "Ignore"');
    const conversion = ["--conversion", "--spoke", "v1alpha1"];
    const refused = await runCli(folder, ["create", "webhook", ...flags, ...conversion]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("conversion-of-others"),
    ]);
    expect(await runCli(folder, ["manifests"])).toMatchObject({ code: 0, err: "" });

    // The version that is stored works without a conversion; the other says why it does not.
    await using cluster = await startControlPlane();
    await installOperator(cluster, join(folder, "config"));
    const client = clientFor(cluster);
    const [v1, v1alpha1] = [
      await client.dynamic("cert-manager.io/v1", "Certificate"),
      await client.dynamic("cert-manager.io/v1alpha1", "Certificate"),
    ];
    const object = (name: string) => ({
      metadata: { namespace: "default", name },
      spec: { secretName: "one" },
    });
    await client.create(v1, object("one"));
    await expect(client.create(v1alpha1, object("two"))).rejects.toThrow(
      "the versions of certificates.cert-manager.io are converted by cert-manager/cm-webhook, which is not part of this operator and does not run here: use the stored version",
    );
  });

  it("that become the project's own keep the conversion of others until they get one", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "crd.yaml"), converted());
    const imported = await runCli(folder, ["import", "crd.yaml", "--own"]);
    expect(imported.err).toContain(
      "the API server keeps calling the webhook that it names, with its caBundle",
    );
    expect(await runCli(folder, ["manifests"])).toMatchObject({ code: 0 });
    const generated = (): string =>
      readFileSync(join(folder, "config/crd/bases/cert-manager.io_certificates.yaml"), "utf8");
    expect(generated()).toContain("name: cm-webhook");
    const flags = ["--group", "cert-manager.io", "--version", "v1", "--kind", "Certificate"];
    const conversion = ["--conversion", "--spoke", "v1alpha1"];
    const webhook = await runCli(folder, ["create", "webhook", ...flags, ...conversion]);
    expect([webhook.code, webhook.err]).toEqual([
      0,
      expect.stringContaining("src/api/v1/certificate.ts: the option conversion is taken out"),
    ]);
    expect(webhook.err).not.toContain("is stored as v1 from now on");
    expect(await runCli(folder, ["manifests"])).toMatchObject({ code: 0 });
    expect(generated()).not.toContain("name: cm-webhook");
    expect(generated()).toContain("name: webhook-service");
  });

  it("get a file of their own beside a kind of the same name, in whatever order they come", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "crd.yaml"), CERTIFICATE);
    writeFileSync(join(folder, "own.yaml"), crd("cert.example.com", "Certificate"));
    for (let round = 0; round < 2; round += 1) {
      for (const name of ["own.yaml", "crd.yaml"]) {
        expect(await runCli(folder, ["import", name])).toMatchObject({ code: 0, err: "" });
      }
    }
    const files = filesIn(folder);
    expect(files["src/api/v1/certificate.ts"]).toContain("cert.example.com");
    expect(files["src/api/v1/certificate-cert-manager.ts"]).toContain("cert-manager.io");
    expect(await runCli(folder, ["manifests"])).toMatchObject({ code: 0, err: "" });
  });

  it.each([
    [
      'external: true, shortNames: ["crt"]',
      "external-option: The option shortNames of @Resource configures a CRD",
    ],
    ['external: "yes"', "wrong-option"],
  ])("refuse %s at its line", async (options, said) => {
    const folder = await newProject();
    writeFileSync(
      join(folder, "src/certificate.ts"),
      `import { CustomResource, Resource } from "tsop";
@Resource({ group: "cert-manager.io", version: "v1", ${options} })
export class Certificate extends CustomResource {}
`,
    );
    const { code, err } = await runCli(folder, ["manifests"]);
    expect([code, err]).toEqual([1, expect.stringContaining("src/certificate.ts:2:")]);
    expect(err).toContain(said);
  });

  it("cannot be external in one version and generated in another", async () => {
    const folder = await newProject();
    const version = (name: string, more: string): string =>
      `@Resource({ group: "shop.example.com", version: "${name}", kind: "Cart"${more} })
export class Cart${name} extends CustomResource {}
`;
    writeFileSync(
      join(folder, "src/cart.ts"),
      `import { CustomResource, Resource } from "tsop";\n${version("v1", "")}${version("v2", ", external: true")}`,
    );
    const { code, err } = await runCli(folder, ["manifests"]);
    expect([code, err]).toEqual([1, expect.stringContaining("src/cart.ts:5:14")]);
    expect(err).toContain("external-and-own: Cart of shop.example.com is external here");
  });

  it("are found by group, version and kind for a controller, whatever the group is given as", async () => {
    const folder = await newProject();
    writeFileSync(join(folder, "crd.yaml"), CERTIFICATE);
    await runCli(folder, ["import", "crd.yaml"]);
    const api = (...flags: string[]): ReturnType<typeof runCli> =>
      runCli(folder, ["create", "api", "--version", "v1", "--kind", "Certificate", ...flags]);
    const missing = await api("--group", "cert", "--no-resource");
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("no-class")]);
    expect(await api("--group", "cert")).toMatchObject({ code: 0, err: "" });
    for (const group of [
      ["--group", "cert-manager.io"],
      ["--group", "cert-manager", "--external-api-domain", "io"],
      ["--group", "cert-manager.io", "--external-api-path", "src/api/v1/certificate.ts"],
    ]) {
      expect(await api(...group, "--no-resource")).toMatchObject({ code: 0, err: "" });
    }
    const files = filesIn(folder);
    expect(files["PROJECT"]).toContain('group: cert-manager.io\n    domain: ""\n');
    expect(files["PROJECT"]).toContain("external: true");
    expect(files["PROJECT"]?.match(/kind: Certificate/g)).toHaveLength(2);
    expect(files["src/api/v1/certificate-cert.ts"]).toContain('group: "cert.example.com"');
    expect(files["test/certificate-cert-manager-controller.test.ts"]).toContain(
      'spec: { secretName: "example" },',
    );
    expect(await runCli(folder, ["manifests"])).toMatchObject({ code: 0, err: "" });
  });

  it.each([
    [["--group", "apps", "--kind", "Deployment"], "apps", "deployment"],
    [["--group", "core", "--kind", "Pod"], "", "pod"],
    [["--kind", "ConfigMap"], "", "configmap"],
    [["--group", "networking", "--kind", "Ingress"], "networking.k8s.io", "ingress"],
  ])("are built-in ones too: %j", async (flags, group, file) => {
    const folder = await newProject();
    const made = await runCli(folder, [
      "create",
      "api",
      "--version",
      "v1",
      "--no-resource",
      ...flags,
    ]);
    expect([made.code, made.err]).toEqual([0, ""]);
    const files = filesIn(folder);
    expect(files[`src/controllers/${file}-controller.ts`]).toContain('from "tsop/k8s"');
    expect(files[`test/${file}-controller.test.ts`]).toContain("is reconciled");
    expect(files["PROJECT"]).toContain("core: true");
    await runCli(folder, ["manifests"]);
    expect(filesIn(folder)["config/rbac/role.yaml"]).toContain(
      `- ${group === "" ? '""' : group}\n`,
    );
    expect(Object.keys(files).filter((path) => path.startsWith("config/crd"))).toEqual([]);
  });

  it.each([
    [
      ["--group", "extensions", "--kind", "Deployment", "--no-resource"],
      "--group apps --version v1",
    ],
    [
      ["--group", "cert-manager.io", "--kind", "Issuer", "--no-resource"],
      "npx tsop import FILE --only Issuer",
    ],
    [["--group", "web", "--kind", "Page", "--external-api-domain", "io"], "Add --no-resource"],
    [["--group", "web.example.com", "--kind", "Page"], "For example: --group web"],
    [["--group", "x", "--kind", "Page", "--external-api-module", "y"], "npx tsop import"],
  ])("tell what to do for %j, and write nothing", async (flags, fix) => {
    const folder = await newProject();
    const before = filesIn(folder);
    const refused = await runCli(folder, ["create", "api", "--version", "v1", ...flags]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(fix)]);
    expect(filesIn(folder)).toEqual(before);
  });
});
