import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { renderKustomization } from "../../src/cli/kustomize/render.ts";
import { hasKubectl } from "../support/kubectl.ts";
import { expectSameAsKubectl } from "./kustomize/support/beside-kubectl.ts";
import { filesIn, newProject, projectAfter, runCli, type CliResult } from "./support/run-cli.ts";
import { typeErrors } from "./support/type-errors.ts";

const WIDGET = ["--group", "web", "--kind", "Widget"];
const ALL = ["--defaulting", "--validation", "--conversion", "--spoke", "v1alpha1"];
const NONE_LEFT = /SERVICE_NAME|CERTIFICATE_NAME|"system"|: system$|CA_BUNDLE/m;

/** A project with a kind of two versions that have different fields. */
const widgets = (): Promise<string> =>
  projectAfter(
    [
      ["v1alpha1", "size:int32=1", "color:string?"],
      ["v1", "size:int32=1", "weight:int32"],
    ].map(([version = "", ...fields]) => [
      ...["create", "api", ...WIDGET, "--version", version],
      ...fields.flatMap((field) => ["--field", field]),
    ]),
  );

async function succeed(root: string, ...argv: string[]): Promise<CliResult> {
  const result = await runCli(root, argv);
  expect([result.code, result.code === 0 ? "" : result.err]).toEqual([0, ""]);
  return result;
}

const webhook = (root: string, ...flags: string[]): Promise<CliResult> =>
  runCli(root, ["create", "webhook", ...WIDGET, "--version", "v1", ...flags]);

const text = (root: string, path: string): string => readFileSync(join(root, path), "utf8");

describe("tsop create webhook", { timeout: 120_000 }, () => {
  it("writes a class and a test for each type, adds them to the index, and all of it compiles", async () => {
    const root = await widgets();
    const { code, err } = await webhook(root, ...ALL);
    expect(code).toBe(0);
    expect(err).toContain("Widget is stored as v1 from now on, instead of v1alpha1");
    const files = filesIn(root);
    for (const name of ["defaulter", "validator", "v1alpha1-conversion"]) {
      expect(files).toHaveProperty([`src/webhooks/widget-${name}.ts`]);
      expect(files).toHaveProperty([`test/widget-${name}.test.ts`]);
    }
    expect(files["src/webhooks/index.ts"]).toContain(
      "  manager.webhooks.add(new WidgetDefaulter());\n  manager.webhooks.add(new WidgetValidator());\n  manager.webhooks.add(new WidgetV1alpha1Conversion());\n}",
    );
    expect(files["src/webhooks/widget-v1alpha1-conversion.ts"]).toContain("size: spec.size ?? 1,");
    // A converter is asked about what was sent, which may lack what the server fills in.
    const converter = files["src/webhooks/widget-v1alpha1-conversion.ts"];
    expect(converter).toContain("toHub({ spec, status }: Sent<WidgetV1alpha1>): Content<Widget>");
    expect(converter).toContain("fromHub({ spec, status }: Sent<Widget>): Content<WidgetV1alpha1>");
    expect(files["PROJECT"]).toContain("spokes:\n        - v1alpha1");
    expect(files["src/api/v1/widget.ts"]).toContain("storage: true");
    expect(files["src/api/v1alpha1/widget.ts"]).toContain("storage: false");
    // The test of the controller writes v1alpha1, which is converted from now on.
    const tested = files["test/widget-controller.test.ts"];
    expect(tested).toContain("await installWebhooks(cluster, [conversion]);");
    expect(tested).toContain("createManager({ config, webhooks, ");
    expect(typeErrors(root)).toEqual([]);
    await succeed(root, "manifests");
    expect(text(root, "config/webhook/manifests.yaml")).toContain("- shop-system");
  });

  it("says what a changed test of the other version has to serve, and leaves it as it is", async () => {
    const root = await widgets();
    const path = "test/widget-controller.test.ts";
    const mine = text(root, path).replace("createManager({ config, ", "make({ config, ");
    writeFileSync(join(root, path), mine);
    const { err } = await webhook(root, ...ALL);
    expect(err).toContain(`${path} uses v1alpha1 of Widget: serve its conversion there`);
    expect(err).toContain("installWebhooks(cluster, [new WidgetV1alpha1Conversion()])");
    expect(text(root, path)).toBe(mine);
  });

  it("adds types one after the other, and changes nothing the second time", async () => {
    const root = await widgets();
    await succeed(root, "create", "webhook", ...WIDGET, "--version", "v1", "--validation");
    const once = filesIn(root);
    expect(once).not.toHaveProperty(["src/webhooks/widget-defaulter.ts"]);
    writeFileSync(join(root, "src/webhooks/widget-validator.ts"), "// mine\n");
    const again = await webhook(root, "--programmatic-validation");
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("nothing to change")]);
    expect(again.err).toContain("kubebuilder's name of --validation");
    await succeed(root, "create", "webhook", ...WIDGET, "--version", "v1", "--defaulting");
    expect(text(root, "src/webhooks/widget-validator.ts")).toBe("// mine\n");
    expect(text(root, "PROJECT")).toContain("defaulting: true");
    expect(text(root, "PROJECT")).toContain("validation: true");
  });

  it("writes nothing on a dry run", async () => {
    const root = await widgets();
    const before = filesIn(root);
    const { code, out } = await webhook(root, ...ALL, "--dry-run", "--diff");
    expect([code, out]).toEqual([0, expect.stringContaining("+manager.webhooks.add(")]);
    expect(filesIn(root)).toEqual(before);
  });

  it("lets requests about kinds of Kubernetes pass while no operator answers", async () => {
    const root = await newProject();
    const kind = ["--group", "apps", "--version", "v1", "--kind", "Deployment"];
    await succeed(root, "create", "webhook", ...kind, "--defaulting", "--validation");
    const validator = text(root, "src/webhooks/deployment-validator.ts");
    expect(validator).toContain('failurePolicy: "Ignore"');
    expect(validator).toContain('values: ["kube-system", "shop-system"]');
    expect(typeErrors(root)).toEqual([]);
    const conversion = ["--conversion", "--spoke", "v1beta1"];
    const refused = await runCli(root, ["create", "webhook", ...kind, ...conversion]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("conversion-of-others"),
    ]);
  });

  it.each<[string, string[], string]>([
    ["no type", [], "no-webhook-type"],
    ["a conversion without versions", ["--conversion"], "conversion-without-spoke"],
    [
      "versions without a conversion",
      ["--spoke", "v2", "--validation"],
      "conversion-without-spoke",
    ],
    ["a version that is not there", ["--conversion", "--spoke", "v7"], "bad-spoke"],
    ["the hub as a spoke", ["--conversion", "--spoke", "v1"], "bad-spoke"],
    ["another kind", ["--validation", "--kind", "Gadget"], "no-class"],
  ])("refuses %s, and writes nothing", async (_what, flags, code) => {
    const root = await widgets();
    const before = filesIn(root);
    const result = await webhook(root, ...flags);
    expect([result.code, result.err]).toEqual([2, expect.stringContaining(code)]);
    expect(filesIn(root)).toEqual(before);
  });

  it("refuses a second validator in another version", async () => {
    const root = await widgets();
    await succeed(root, "create", "webhook", ...WIDGET, "--version", "v1", "--validation");
    const other = ["create", "webhook", ...WIDGET, "--version", "v1alpha1", "--validation"];
    expect((await runCli(root, other)).err).toContain("webhook-exists");
  });

  it("says which lines to add to a main.ts that it does not understand, and writes nothing", async () => {
    const root = await widgets();
    writeFileSync(join(root, "src/main.ts"), "const manager = make();\nawait manager.start();\n");
    const before = filesIn(root);
    const { code, err } = await webhook(root, "--validation");
    expect([code, err]).toEqual([1, expect.stringContaining("main-not-understood")]);
    expect(err).toContain("addWebhooks(manager);");
    expect(filesIn(root)).toEqual(before);
  });
});

describe("the certificate of the webhooks", { timeout: 120_000 }, () => {
  const rendered = async (root: string): Promise<string> =>
    JSON.stringify(await renderKustomization(join(root, "config/default")), undefined, 1);

  it.each(["self-managed", "cert-manager", "secret"])(
    "%s: config/default renders as kubectl renders it, opens the port and has no placeholder",
    async (mode) => {
      const root = await widgets();
      expect((await webhook(root, ...ALL, "--certificates", mode)).code).toBe(0);
      await succeed(root, "manifests");
      if (hasKubectl) await expectSameAsKubectl(join(root, "config/default"));
      const all = await rendered(root);
      expect(all).not.toMatch(NONE_LEFT);
      expect(all).toContain('"--webhook-port=9443"');
      expect(all.match(/"allow-webhook-traffic"|"shop-allow-webhook-traffic"/)).not.toBeNull();
      expect(all.includes("--webhook-cert-path=")).toBe(mode !== "self-managed");
      expect(all.includes("shop-webhook-service.shop-system.svc.cluster.local")).toBe(
        mode === "cert-manager",
      );
      const injected = all.match(
        /"cert-manager.io\/inject-ca-from": "shop-system\/shop-serving-cert"/g,
      );
      expect(injected?.length ?? 0).toBe(mode === "cert-manager" ? 3 : 0);
    },
  );

  it("is in config/default for a conversion alone, too", async () => {
    const root = await widgets();
    const { code } = await webhook(root, "--conversion", "--spoke", "v1alpha1");
    expect(code).toBe(0);
    await succeed(root, "manifests");
    expect(await rendered(root)).toContain('"shop-allow-webhook-traffic"');
  });

  it("is changed by tsop edit to exactly what create webhook would have written", async () => {
    const root = await widgets();
    await webhook(root, ...ALL);
    const selfManaged = filesIn(root);
    for (const mode of ["cert-manager", "secret", "cert-manager", "self-managed"]) {
      await succeed(root, "edit", "--certificates", mode);
      const fresh = await widgets();
      await webhook(fresh, ...ALL, "--certificates", mode);
      const [edited, created] = [filesIn(root), filesIn(fresh)];
      const list = "config/default/kustomization.yaml";
      expect(listOf(edited[list])).toEqual(listOf(created[list]));
      expect({ ...edited, [list]: "" }).toEqual({ ...created, [list]: "" });
    }
    expect(Object.keys(filesIn(root))).toEqual(Object.keys(selfManaged));
    expect(existsSync(join(root, "config/certmanager"))).toBe(false);
  });

  it("leaves files that the user changed alone, unless forced", async () => {
    const root = await widgets();
    await webhook(root, "--validation");
    const patch = "config/default/manager_webhook_patch.yaml";
    writeFileSync(join(root, patch), `# mine\n${text(root, patch)}`);
    const before = filesIn(root);
    const refused = await runCli(root, ["edit", "--certificates", "secret"]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(patch)]);
    expect(filesIn(root)).toEqual(before);
    await succeed(root, "edit", "--certificates", "secret", "--force");
    expect(text(root, patch)).toContain("--webhook-cert-path=");
  });

  it("is one for all webhooks", async () => {
    const root = await widgets();
    await webhook(root, "--validation");
    const { code, err } = await webhook(root, "--defaulting", "--certificates", "secret");
    expect([code, err]).toEqual([2, expect.stringContaining("tsop edit --certificates secret")]);
    const none = await newProject();
    const nothing = await runCli(none, ["edit", "--certificates", "secret"]);
    expect(nothing.err).toContain("no-webhooks");
    expect((await runCli(none, ["edit"])).err).toContain("nothing-to-edit");
  });
});

/** The lists of a kustomization, whatever the order of their items. */
function listOf(yaml = ""): Record<string, string[]> {
  const value = parseAllDocuments(yaml)[0]?.toJS() as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(value).map(([key, list]) => [
      key,
      Array.isArray(list) ? list.map((item) => JSON.stringify(item)).sort() : [String(list)],
    ]),
  );
}
