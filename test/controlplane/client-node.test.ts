/* oxlint-disable typescript/no-misused-spread --
   The models of the package are classes only in name: its users pass literals. */
import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  type V1ConfigMap,
  type V1CustomResourceDefinition,
  Watch,
  makeInformer,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../src/controlplane/control-plane.ts";

const namespace = "default";
const definition: V1CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.shop.example.com" },
  spec: {
    group: "shop.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
          },
        },
      },
    ],
  },
};

/** Resolves with what `handler` was called with first. */
function first<T>(subscribe: (handler: (value: T) => void) => void): Promise<T> {
  return new Promise((resolve) => {
    subscribe(resolve);
  });
}

describe("@kubernetes/client-node against the control plane", { timeout: 30_000 }, () => {
  let plane: ControlPlane;
  let config: KubeConfig;
  let core: CoreV1Api;

  beforeAll(async () => {
    plane = await startControlPlane();
    config = new KubeConfig();
    config.loadFromString(plane.kubeconfig);
    core = config.makeApiClient(CoreV1Api);
  }, 60_000);

  afterAll(() => plane.stop());

  it("creates, reads, lists, replaces and deletes typed objects", async () => {
    const body: V1ConfigMap = { metadata: { name: "a", labels: { x: "y" } }, data: { k: "1" } };
    const created = await core.createNamespacedConfigMap({ namespace, body });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const listed = await core.listNamespacedConfigMap({ namespace, labelSelector: "x=y" });
    expect(listed.items.map(({ metadata }) => metadata?.name)).toEqual(["a"]);
    const replaced = await core.replaceNamespacedConfigMap({
      name: "a",
      namespace,
      body: { ...created, data: { k: "2" } },
    });
    expect(replaced.data).toEqual({ k: "2" });
    await expect(
      core.replaceNamespacedConfigMap({ name: "a", namespace, body: created }),
    ).rejects.toMatchObject({ code: 409 });
    const { status } = await core.deleteNamespacedConfigMap({ name: "a", namespace });
    expect(status).toBe("Success");
    await expect(core.readNamespacedConfigMap({ name: "a", namespace })).rejects.toMatchObject({
      code: 404,
    });
  });

  it("patches in every form, and reads the scale", async () => {
    const apps = config.makeApiClient(AppsV1Api);
    const labels = { app: "web" };
    const containers = [{ name: "c", image: "nginx:1.27" }];
    await apps.createNamespacedDeployment({
      namespace,
      body: {
        metadata: { name: "web" },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      },
    });
    const patch = (body: unknown, form: PatchStrategy, fieldManager?: string) =>
      apps.patchNamespacedDeployment(
        { name: "web", namespace, body, ...(fieldManager ? { fieldManager } : {}) },
        setHeaderOptions("Content-Type", form),
      );
    await patch([{ op: "replace", path: "/spec/replicas", value: 2 }], PatchStrategy.JsonPatch);
    await patch({ metadata: { labels: { tier: "front" } } }, PatchStrategy.MergePatch);
    const image = {
      spec: { template: { spec: { containers: [{ name: "c", image: "nginx:2" }] } } },
    };
    await patch(image, PatchStrategy.StrategicMergePatch);
    const applied = await patch(
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", annotations: { by: "me" } },
      },
      PatchStrategy.ServerSideApply,
      "me",
    );
    expect(applied.spec?.template.spec?.containers[0]?.image).toBe("nginx:2");
    expect(applied.metadata?.managedFields?.map(({ operation }) => operation)).toContain("Apply");
    const scale = await apps.readNamespacedDeploymentScale({ name: "web", namespace });
    expect(scale.spec?.replicas).toBe(2);
  });

  it("watches", async () => {
    const watch = new Watch(config);
    let stop: AbortController | undefined;
    const seen = first<string>((resolve) => {
      void watch
        .watch(
          `/api/v1/namespaces/${namespace}/configmaps`,
          { fieldSelector: "metadata.name=seen" },
          (type: string, object: V1ConfigMap) => {
            resolve(`${type} ${object.metadata?.name ?? ""}`);
          },
          () => undefined,
        )
        .then((controller) => (stop = controller));
    });
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "seen" } } });
    expect(await seen).toBe("ADDED seen");
    stop?.abort();
  });

  it("keeps an informer in step", async () => {
    const informer = makeInformer<V1ConfigMap>(
      config,
      `/api/v1/namespaces/${namespace}/configmaps`,
      () => core.listNamespacedConfigMap({ namespace }),
    );
    const added = first<V1ConfigMap>((resolve) => {
      informer.on("add", (object) => {
        if (object.metadata?.name === "informed") resolve(object);
      });
    });
    await informer.start();
    await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: "informed" }, data: { a: "1" } },
    });
    expect((await added).data).toEqual({ a: "1" });
    await informer.stop();
  });

  it("defines a custom kind and works with its objects, without types too", async () => {
    const objects = KubernetesObjectApi.makeApiClient(config);
    await objects.create(definition);
    await plane.settle();
    const custom = config.makeApiClient(CustomObjectsApi);
    const widgets = { group: "shop.example.com", version: "v1", namespace, plural: "widgets" };
    const widget = {
      apiVersion: "shop.example.com/v1",
      kind: "Widget",
      metadata: { name: "w", namespace },
      spec: { size: 1 },
    };
    await custom.createNamespacedCustomObject({ ...widgets, body: widget });
    const read = await objects.read({ ...widget });
    expect(read).toMatchObject({ kind: "Widget", spec: { size: 1 } });
    const wrong = { ...widget, metadata: { name: "x", namespace }, spec: { size: "many" } };
    await expect(objects.create(wrong)).rejects.toMatchObject({ code: 422 });
    await objects.delete(widget);
    expect(await custom.listNamespacedCustomObject(widgets)).toMatchObject({ items: [] });
  });
});
