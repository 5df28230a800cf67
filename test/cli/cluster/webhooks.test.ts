/** What install, deploy and undeploy do with webhooks, on the control plane. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { createClient } from "../../../src/runtime/client/create-client.ts";
import { loadClusterConfig } from "../../../src/runtime/transport/load-config.ts";
import { type CliResult, newProject, runCli } from "../support/run-cli.ts";

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
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane();
  });
  afterAll(() => cluster.stop());

  /** A project with a webhook of each sort; runs commands in it, against the control plane. */
  async function project(): Promise<(...argv: string[]) => Promise<CliResult>> {
    const folder = await newProject();
    const kind = ["--group", "web", "--kind", "Page"];
    for (const version of ["v1alpha1", "v1"]) {
      await runCli(folder, ["create", "api", ...kind, "--version", version]);
    }
    const types = ["--defaulting", "--validation", "--conversion", "--spoke", "v1alpha1"];
    const created = await runCli(folder, [
      "create",
      "webhook",
      ...kind,
      "--version",
      "v1",
      ...types,
    ]);
    expect(created.err).not.toContain("error");
    expect(created.code).toBe(0);
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
    return (...argv) => runCli(folder, [...argv, "--kubeconfig", join(folder, "kubeconfig")]);
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
    path: "/convert",
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
});
