import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PARTS } from "../../src/cli/project/part-names.ts";
import { renderKustomization } from "../../src/cli/kustomize/render.ts";
import type { ManifestObject } from "../../src/kube/object.ts";
import { startControlPlane } from "../../src/controlplane/control-plane.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";
import { expectSameAsKubectl } from "./kustomize/support/beside-kubectl.ts";
import { filesIn, newProject, projectAfter, runCli } from "./support/run-cli.ts";

const KIND = ["--group", "web", "--version", "v1", "--kind", "Page"];
const DEFAULT = "config/default/kustomization.yaml";

async function succeed(root: string, ...argv: string[]): Promise<string> {
  const { code, out, err } = await runCli(root, argv);
  expect([argv.join(" "), code, code === 0 ? "" : err]).toEqual([argv.join(" "), 0, ""]);
  return out;
}

/** A project with a kind and a webhook, and its generated files. */
const fullProject = (...flags: string[]): Promise<string> =>
  projectAfter(
    [
      ["create", "api", ...KIND, "--field", "title:string=hello"],
      ["create", "webhook", ...KIND, "--validation"],
      ["manifests"],
    ],
    ...flags,
  );

interface Rendered extends ManifestObject {
  readonly spec?: { readonly template?: { readonly metadata: object; readonly spec: object } };
  readonly roleRef?: { readonly name: string };
  readonly rules?: readonly Rule[];
}

const text = (root: string, path: string): string => readFileSync(join(root, path), "utf8");
const rendered = (root: string): Promise<Rendered[]> =>
  renderKustomization(join(root, "config/default"));
const named = (objects: readonly Rendered[], kind: string, name: string): Rendered => {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found;
};

describe("tsop edit --enable and --disable", { timeout: 120_000 }, () => {
  it.each(PARTS)("adds the part %s and takes it out again, to the byte", async (part) => {
    const root = await fullProject();
    const start = filesIn(root);
    const isUsual = part === "metrics" || part === "network-policy";
    const [first, second] = isUsual ? ["--disable", "--enable"] : ["--enable", "--disable"];
    if (part === "metrics-certs") await succeed(root, "edit", "--enable", "prometheus");
    const before = filesIn(root);
    await succeed(root, "edit", first, part);
    const changed = filesIn(root);
    expect(changed).not.toEqual(before);
    if (hasKubectl) await expectSameAsKubectl(join(root, "config/default"));
    expect(await succeed(root, "edit", first, part)).toContain("nothing to change");
    expect(filesIn(root)).toEqual(changed);
    // What was generated stays as it is: the list of the CRDs is the only generated file that a part changes.
    expect((await runCli(root, ["manifests", "--check"])).code).toBe(0);
    await succeed(root, "edit", second, part);
    expect(filesIn(root)).toEqual(before);
    if (part === "metrics-certs") await succeed(root, "edit", "--disable", "prometheus");
    expect(filesIn(root)).toEqual(start);
  });

  it("renders what kubectl renders with all parts, and the doctor finds nothing", async () => {
    const root = await fullProject();
    await succeed(root, "edit", "--enable", PARTS.join(","));
    if (hasKubectl) {
      for (const folder of ["config/default", "config/crd", "config/samples"]) {
        await expectSameAsKubectl(join(root, folder));
      }
    }
    await succeed(root, "doctor");
    const host = "shop-controller-manager-metrics-service.shop-system.svc";
    const objects = await rendered(root);
    expect(named(objects, "Certificate", "shop-metrics-certs").spec).toMatchObject({
      dnsNames: [host, `${host}.cluster.local`],
      issuerRef: { name: "shop-metrics-issuer" },
      secretName: "shop-metrics-server-cert",
    });
    const monitor = named(objects, "ServiceMonitor", "shop-controller-manager-metrics-monitor");
    expect(JSON.stringify(monitor)).toContain(`"serverName":"${host}"`);
    expect(JSON.stringify(monitor)).not.toContain("insecureSkipVerify");
    expect(JSON.stringify(objects)).not.toContain("SERVICE_NAME");
    const [crd] = await renderKustomization(join(root, "config/crd"));
    expect(crd?.metadata.labels).toEqual({ "app.kubernetes.io/name": "shop" });
  });

  it("takes all parts out: no metrics, no policies, no rights to review tokens", async () => {
    const root = await fullProject();
    await succeed(root, "edit", "--disable", "metrics", "--disable", "network-policy");
    expect(existsSync(join(root, "config/metrics"))).toBe(false);
    const all = JSON.stringify(await rendered(root));
    expect(all).not.toMatch(/metrics|NetworkPolicy|tokenreviews/);
    if (hasKubectl) await expectSameAsKubectl(join(root, "config/default"));
    // A webhook that comes later brings no policy that would close the other ports.
    await succeed(root, "create", "webhook", ...KIND, "--defaulting");
    expect(filesIn(root)).not.toHaveProperty(["config/network-policy/kustomization.yaml"]);
    await succeed(root, "edit", "--enable", "network-policy");
    expect(text(root, "config/network-policy/kustomization.yaml")).toContain("allow-webhook");
  });

  it("keeps comments, layout and components of the user", async () => {
    const root = await fullProject();
    const mine = text(root, DEFAULT).replace(
      "  - ../network-policy\n",
      "    - ../network-policy # ours\n    - ../../overlays/own\n",
    );
    const layout = mine.replace("  - ../metrics\n", "    - ../metrics\n");
    writeFileSync(join(root, DEFAULT), layout);
    await succeed(root, "edit", "--enable", "ha");
    expect(text(root, DEFAULT)).toBe(
      layout.replace("overlays/own\n", "overlays/own\n    - ../ha\n"),
    );
    await succeed(root, "edit", "--disable", "ha");
    expect(text(root, DEFAULT)).toBe(layout);
  });

  it("says what a dry run would do, and writes nothing", async () => {
    const root = await fullProject();
    const before = filesIn(root);
    const out = await succeed(root, "edit", "--enable", "ha", "--dry-run", "--diff");
    expect(out).toContain("create config/ha/kustomization.yaml");
    expect(out).toContain("+  - ../ha");
    expect(filesIn(root)).toEqual(before);
  });

  it.each([
    [["--enable", "grafana"], 2, /unknown-part: grafana .*\n.*metrics, network-policy, prometheus/],
    [["--enable", "ha", "--disable", "ha"], 2, /part-twice: The part ha/],
    [["--disable", "metrics", "--enable", "prometheus"], 2, /part-needed: .*prometheus.*metrics/],
    [[], 2, /nothing-to-edit: .*\n.*network-policy/],
  ])("refuses %j", async (flags, expected, message) => {
    const root = await newProject();
    const before = filesIn(root);
    const { code, err } = await runCli(root, ["edit", ...flags]);
    expect([code, err]).toEqual([expected, expect.stringMatching(message)]);
    expect(filesIn(root)).toEqual(before);
  });

  it("refuses to delete a file of a part that the user changed, unless forced", async () => {
    const root = await newProject();
    const path = "config/network-policy/allow-metrics-traffic.yaml";
    appendFileSync(join(root, path), "# mine\n");
    const before = filesIn(root);
    const { code, err } = await runCli(root, ["edit", "--disable", "network-policy"]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`file-changed: ${path} would be deleted`),
    ]);
    expect(filesIn(root)).toEqual(before);
    await succeed(root, "edit", "--disable", "network-policy", "--force");
    expect(filesIn(root)).not.toHaveProperty([path]);
  });

  it("leaves files of the user in the folder of a part", async () => {
    const root = await newProject();
    writeFileSync(join(root, "config/network-policy/own.txt"), "mine\n");
    await succeed(root, "edit", "--disable", "network-policy");
    expect(text(root, "config/network-policy/own.txt")).toBe("mine\n");
  });
});

describe("what config/default renders", { timeout: 120_000 }, () => {
  it.each([
    ["all namespaces", []],
    ["its own namespace", ["--namespaced"]],
  ])("passes the restricted Pod Security rules and asks for few rights: %s", async (_w, flags) => {
    const root = await fullProject(...flags);
    await succeed(root, "edit", "--enable", "metrics-certs,ha");
    const objects = await rendered(root);
    const namespace = named(objects, "Namespace", "shop-system");
    expect(namespace.metadata.labels).toHaveProperty(
      ["pod-security.kubernetes.io/enforce"],
      "restricted",
    );
    await expectAdmitted(objects);
    expectFewRights(objects, flags.length > 0);
  });
});

/** Applies namespace and Deployment to a control plane, whose admission judges the pods. */
async function expectAdmitted(objects: readonly Rendered[]): Promise<void> {
  if (!hasKubectl) return;
  const cluster = await startControlPlane({ controllers: "off" });
  const kubectl = new Kubectl(cluster.kubeconfig);
  onTestFinished(async () => {
    kubectl.close();
    await cluster.stop();
  });
  const account = named(objects, "ServiceAccount", "shop-controller-manager");
  const deployment = named(objects, "Deployment", "shop-controller-manager");
  const { template } = deployment.spec ?? {};
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...template?.metadata, name: "one", namespace: "shop-system" },
    spec: template?.spec,
  };
  const privileged = {
    ...pod,
    metadata: { name: "two", namespace: "shop-system" },
    spec: { ...pod.spec, hostNetwork: true },
  };
  const apply = (...manifests: object[]): ReturnType<Kubectl["run"]> =>
    kubectl.run(
      ["apply", "--server-side", "--validate=strict", "-f", "-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests }),
    );
  const admitted = await apply(named(objects, "Namespace", "shop-system"), account, pod);
  expect([admitted.code, admitted.stderr]).toEqual([0, ""]);
  const refused = await apply(privileged);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("restricted")]);
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** No wildcard, nothing that leads to other rights, and no Secret but the one of the certificate. */
function expectFewRights(objects: readonly Rendered[], isNamespaced: boolean): void {
  const bindings = objects.filter(({ kind }) => kind.endsWith("RoleBinding"));
  const bound = bindings.map(({ roleRef }) => roleRef?.name);
  const roles = objects.filter(
    ({ kind, metadata }) => /^(Cluster)?Role$/.test(kind) && bound.includes(metadata.name),
  );
  expect(roles.length).toBeGreaterThan(2);
  const inCluster: string[] = [];
  for (const { kind, metadata, rules } of roles) {
    for (const rule of rules ?? []) {
      const { apiGroups = [], resources = [], resourceNames, verbs } = rule;
      const said = [...apiGroups, ...resources, ...verbs];
      expect([metadata.name, said.filter((word) => word.includes("*"))]).toEqual([
        metadata.name,
        [],
      ]);
      expect(verbs).not.toContain("escalate");
      expect(verbs).not.toContain("bind");
      expect(verbs).not.toContain("impersonate");
      expect(resources.filter((one) => /^pods\/|^nodes|serviceaccounts\/token/.test(one))).toEqual(
        [],
      );
      if (resources.includes("secrets") && !verbs.includes("create")) {
        expect(resourceNames).toEqual(["shop-webhook-server-cert"]);
      }
      if (resources.includes("secrets")) expect(kind).toBe("Role");
      if (kind === "ClusterRole") inCluster.push(...resources);
    }
  }
  const ofOwnKind = inCluster.filter((one) => one.startsWith("pages"));
  expect(ofOwnKind.length > 0).toBe(!isNamespaced);
}
