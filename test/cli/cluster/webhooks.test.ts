/** What install, deploy and undeploy do with webhooks, on the control plane. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderKustomization } from "../../../src/cli/kustomize/render.ts";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { createClient } from "../../../src/runtime/client/create-client.ts";
import { loadClusterConfig } from "../../../src/runtime/kubeconfig/load-config.ts";
import { type CliResult, projectAfter, runCli } from "../support/run-cli.ts";
import { WaitingClock } from "../support/waiting-clock.ts";

const POD = { apiVersion: "v1", kind: "Pod" };

interface Crd extends KubeObject {
  readonly spec: {
    readonly conversion?: {
      readonly webhook?: { readonly clientConfig?: { readonly service?: object } };
    };
  };
}

const CRD: ResourceType<Crd> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

describe("a project with webhooks", () => {
  const clock = new WaitingClock();
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane({ clock });
  });
  afterAll(() => cluster.stop());

  /** A project with a webhook of each sort; runs commands in it, against the control plane. */
  async function project(): Promise<
    ((...argv: string[]) => Promise<CliResult>) & { readonly root: string }
  > {
    const kind = ["--group", "web", "--kind", "Page"];
    const types = ["--defaulting", "--validation", "--conversion", "--spoke", "v1alpha1"];
    const folder = await projectAfter([
      ...["v1alpha1", "v1"].map((version) => ["create", "api", ...kind, "--version", version]),
      ["create", "webhook", ...kind, "--version", "v1", ...types],
    ]);
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
    const run = (...argv: string[]): Promise<CliResult> =>
      runCli(folder, [...argv, "--kubeconfig", join(folder, "kubeconfig")], { clock });
    return Object.assign(run, { root: folder });
  }

  async function conversionService(): Promise<object | undefined> {
    const client = createClient(loadClusterConfig({ kubeconfigText: cluster.kubeconfig }), {
      name: "someone",
    });
    const crd = await client.get(CRD, { name: "pages.web.example.com" });
    return crd.spec.conversion?.webhook?.clientConfig?.service;
  }

  const SERVICE = {
    namespace: "shop-system",
    name: "shop-webhook-service",
    port: 443,
  };

  it("is asked at its deployed Service, and before anything else of it goes no more", async () => {
    const tsop = await project();
    const installed = await tsop("install");
    expect([installed.code, installed.err]).toEqual([0, ""]);
    expect(await conversionService()).toEqual(SERVICE);
    const deployed = await tsop("deploy", "--image", "shop:1", "--no-wait");
    expect(deployed.code).toBe(0);
    expect(await conversionService()).toEqual(SERVICE);
    const removed = await tsop("undeploy");
    expect([removed.code, removed.err]).toEqual([0, ""]);
    const deleted = removed.out
      .split("\n")
      .flatMap((line) => /deleted\s+(\S+) (\S+)/.exec(line)?.slice(1, 3).join(" ") ?? []);
    expect(deleted.slice(0, 2).sort()).toEqual([
      "mutatingwebhookconfigurations.admissionregistration.k8s.io shop-mutating-webhook-configuration",
      "validatingwebhookconfigurations.admissionregistration.k8s.io shop-validating-webhook-configuration",
    ]);
    const crd = "customresourcedefinitions.apiextensions.k8s.io pages.web.example.com";
    expect(deleted).toContain(crd);
    expect(deleted.at(-1)).toBe("namespaces shop-system");
  }, 60_000);

  it.each(["self-managed", "cert-manager", "secret"])(
    "has pods that meet the restricted Pod Security Standard, with certificates of the mode %s",
    async (mode) => {
      const tsop = await project();
      const { root } = tsop;
      expect((await runCli(root, ["edit", "--certificates", mode])).code).toBe(0);
      expect((await runCli(root, ["manifests"])).code).toBe(0);
      const rendered = await renderKustomization(join(root, "config/default"));
      const deployment = rendered.find(({ kind }) => kind === "Deployment") as KubeObject & {
        spec: { template: { metadata: object; spec: object & { serviceAccountName?: string } } };
      };
      const client = createClient(loadClusterConfig({ kubeconfigText: cluster.kubeconfig }), {
        name: "someone",
      });
      const enforce = { "pod-security.kubernetes.io/enforce": "restricted" };
      const namespace = `restricted-${mode}`;
      await client.create(await client.dynamic("v1", "Namespace"), {
        metadata: { name: namespace, labels: enforce },
      });
      const { serviceAccountName: name = "" } = deployment.spec.template.spec;
      await client.create(await client.dynamic("v1", "ServiceAccount"), {
        metadata: { namespace, name },
      });
      const pods = await client.dynamic("v1", "Pod");
      const { spec } = deployment.spec.template;
      const made = await client.create(pods, {
        ...POD,
        metadata: { namespace, name: "operator" },
        spec,
      });
      expect(made.metadata.uid).toBeDefined();
      // The namespace does refuse what is not restricted.
      const free = { containers: [{ name: "free", image: "nginx" }] };
      await expect(
        client.create(pods, {
          ...POD,
          metadata: { namespace, name: "free" },
          spec: free,
        }),
      ).rejects.toThrow("restricted");
    },
    60_000,
  );
});
