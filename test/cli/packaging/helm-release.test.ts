import { execa } from "execa";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { chartFiles } from "../../../src/cli/packaging/helm/chart.ts";
import type { ManifestObject } from "../../../src/kube/object.ts";
import { type ControlPlane, startControlPlane } from "../../../src/testing.ts";
import { clientFolder, hasKubectl, Kubectl } from "../../support/kubectl.ts";

const example = fileURLToPath(new URL("../../../examples/myweb", import.meta.url));
const CRD = "customresourcedefinition/mywebs.operator.k8s-summit.org";

describe.skipIf(!hasKubectl)("helm with a control plane", () => {
  let cluster: ControlPlane;
  let kubectl: Kubectl;
  const folder = mkdtempSync(join(tmpdir(), "tsop-chart-"));
  const helm = async (...args: string[]): Promise<string> => {
    const { stdout } = await execa(join(clientFolder(), "helm"), args, {
      env: { KUBECONFIG: join(folder, "kubeconfig"), HELM_CACHE_HOME: join(folder, "cache") },
    });
    return stdout;
  };

  beforeAll(async () => {
    cluster = await startControlPlane();
    kubectl = new Kubectl(cluster.kubeconfig);
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
    const files = chartFiles({
      projectName: "myweb",
      version: "0.1.0",
      description: "",
      image: "registry.example.com/myweb:v1",
      objects: await renderKustomization(join(example, "config/default")),
    });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, "chart", path)), { recursive: true });
      writeFileSync(join(folder, "chart", path), text);
    }
  });
  afterAll(async () => {
    kubectl.close();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("installs, upgrades and uninstalls the chart, and the CRDs stay", async () => {
    const chart = join(folder, "chart");
    const namespace = ["--namespace", "shop"];
    await helm("install", "web", chart, ...namespace, "--create-namespace");
    const image = ["get", "deployment/web-myweb-controller-manager", "-n", "shop", "-o"];
    const path = "jsonpath={.spec.template.spec.containers[0].image}";
    expect(await kubectl.output([...image, path])).toBe("registry.example.com/myweb:v1");
    await kubectl.output(["get", CRD]);

    await helm("upgrade", "web", chart, ...namespace, "--set", "image.tag=v2,rbac.userRoles=false");
    expect(await kubectl.output([...image, path])).toBe("registry.example.com/myweb:v2");
    expect(await kubectl.output(["get", "clusterroles", "-o", "name"])).not.toContain(
      "viewer-role",
    );

    await helm("uninstall", "web", ...namespace);
    await kubectl.output(["get", CRD]);
    await kubectl.output(["delete", CRD]);
    const left = await kubectl.output([
      ...["get", "deployments,services,networkpolicies,roles,rolebindings", "-n", "shop"],
      ...["-o", "name"],
    ]);
    expect(left.trim()).toBe("");
    expect(await kubectl.output(["get", "clusterroles", "-o", "name"])).not.toContain(
      "/web-myweb-",
    );
  }, 120_000);

  it("installs two releases in one namespace, whose objects and selectors are apart", async () => {
    const chart = join(folder, "chart");
    const namespace = ["--namespace", "two"];
    await helm("install", "one", chart, ...namespace, "--create-namespace");
    const notes = await helm("install", "other", chart, ...namespace, "--set", "replicaCount=2");
    expect(notes).toContain(
      "The CRD mywebs.operator.k8s-summit.org belongs to the release one in the namespace two",
    );
    const list = async (kinds: string): Promise<ManifestObject[]> => {
      const text = await kubectl.output(["get", kinds, "-n", "two", "-o", "json"]);
      return (JSON.parse(text) as { items: ManifestObject[] }).items;
    };
    for (const release of ["one", "other"]) {
      const selected = { "app.kubernetes.io/instance": release };
      const isOwn = ({ metadata }: ManifestObject): boolean =>
        metadata.name.startsWith(`${release}-myweb-`);
      expect((await list("deployments")).filter(isOwn)).toMatchObject([
        {
          spec: {
            selector: { matchLabels: selected },
            template: { metadata: { labels: selected } },
          },
        },
      ]);
      expect((await list("services")).filter(isOwn)).toMatchObject([
        { spec: { selector: selected } },
      ]);
      expect((await list("networkpolicies")).filter(isOwn)).toMatchObject([
        { spec: { podSelector: { matchLabels: selected } } },
      ]);
    }
    await helm("uninstall", "other", ...namespace);
    await kubectl.output(["get", "deployment/one-myweb-controller-manager", "-n", "two"]);
    await kubectl.output(["get", CRD]);
  }, 120_000);
});
