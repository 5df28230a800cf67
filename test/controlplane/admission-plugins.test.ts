import { afterEach, describe, expect, it } from "vitest";
import { type AdmissionPlugin } from "../../src/controlplane/admission-plugins.ts";
import { type ControlPlane, startControlPlane } from "../../src/controlplane/control-plane.ts";
import type { ManifestObject, SentObject } from "../../src/kube/object.ts";
import { clientFor } from "../../src/testing.ts";

let cluster: ControlPlane | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

/** Creates objects, `kubectl create` in short, and gives back the last one as the server keeps it. */
async function created(
  disableAdmissionPlugins: readonly AdmissionPlugin[],
  ...objects: readonly ManifestObject[]
): Promise<SentObject & { spec?: Record<string, unknown> }> {
  cluster ??= await startControlPlane({ controllers: "off", disableAdmissionPlugins });
  const client = clientFor(cluster);
  let last: SentObject | undefined;
  for (const object of objects) {
    const kind = await client.dynamic(object.apiVersion, object.kind);
    last = await client.create(kind, object);
  }
  if (!last) throw new Error("nothing was created");
  return last;
}

const pod = (spec: object = {}): ManifestObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { containers: [{ name: "web", image: "web" }], ...spec },
  }) as ManifestObject;

const of = (
  apiVersion: string,
  kind: string,
  rest: object,
  metadata: object = {},
): ManifestObject => ({
  apiVersion,
  kind,
  metadata: { name: "one", ...metadata },
  ...rest,
});

const claim = of(
  "v1",
  "PersistentVolumeClaim",
  { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  { namespace: "default" },
);
const standardClass = of(
  "storage.k8s.io/v1",
  "StorageClass",
  { provisioner: "example.org/disk" },
  { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
);
const never = [
  of("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", {
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] },
        ],
      },
      validations: [{ expression: "false" }],
    },
  }),
  of("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", {
    spec: { policyName: "one", validationActions: ["Deny"] },
  }),
];
const secret = of("v1", "Secret", {}, { namespace: "default" });

describe("admission plugins that are disabled", () => {
  it("ServiceAccount: a pod needs no account, and gets no token", async () => {
    const { spec } = await created(["ServiceAccount"], pod());
    expect(spec).not.toHaveProperty("serviceAccountName");
    expect(spec).not.toHaveProperty("volumes");
    // The others still work.
    expect(spec).toMatchObject({ priority: 0 });
    expect(spec?.["tolerations"]).toHaveLength(2);
  });

  it("are all on when nothing is said", async () => {
    await expect(created([], pod())).rejects.toThrow(
      'pods "web" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
    );
  });

  it("Priority, RuntimeClass, DefaultTolerationSeconds: a pod keeps what its author wrote", async () => {
    const off = ["ServiceAccount", "Priority", "RuntimeClass", "DefaultTolerationSeconds"] as const;
    const names = { priorityClassName: "unknown", runtimeClassName: "unknown" };
    const { spec } = await created(off, pod(names));
    expect(spec).toMatchObject(names);
    for (const field of ["priority", "preemptionPolicy", "tolerations"]) {
      expect(spec).not.toHaveProperty(field);
    }
  });

  it("NamespaceLifecycle: a namespace need not be there", async () => {
    const { metadata } = await created(
      ["NamespaceLifecycle"],
      of("v1", "ConfigMap", {}, { namespace: "nowhere" }),
    );
    expect(metadata.namespace).toBe("nowhere");
  });

  it("DefaultStorageClass, StorageObjectInUseProtection: a claim gets neither class nor finalizer", async () => {
    const off = ["DefaultStorageClass", "StorageObjectInUseProtection"] as const;
    const { spec, metadata } = await created(off, standardClass, claim);
    expect(spec).not.toHaveProperty("storageClassName");
    expect(metadata).not.toHaveProperty("finalizers");
  });

  it("TaintNodesByCondition: a node begins without taints", async () => {
    const { spec } = await created(["TaintNodesByCondition"], of("v1", "Node", {}));
    expect(spec).not.toHaveProperty("taints");
  });

  it("LimitRanger and ResourceQuota: nothing is limited", async () => {
    const limits = { limits: [{ type: "Container", default: { cpu: "1" }, max: { cpu: "2" } }] };
    const { spec } = await created(
      ["ServiceAccount", "LimitRanger", "ResourceQuota"],
      of("v1", "ResourceQuota", { spec: { hard: { pods: "0" } } }, { namespace: "default" }),
      of("v1", "LimitRange", { spec: limits }, { namespace: "default" }),
      pod({
        containers: [{ name: "web", image: "web", resources: { requests: { cpu: "5" } } }],
      }),
    );
    expect(spec?.["containers"]).toMatchObject([{ resources: { requests: { cpu: "5" } } }]);
  });

  it("PodSecurity: a strict namespace takes privileged pods", async () => {
    const strict = { labels: { "pod-security.kubernetes.io/enforce": "restricted" } };
    const privileged = pod({
      containers: [{ name: "web", image: "web", securityContext: { privileged: true } }],
    });
    const inStrict = { ...privileged, metadata: { name: "web", namespace: "one" } };
    const objects = [of("v1", "Namespace", {}, strict), inStrict] as const;
    expect((await created(["ServiceAccount", "PodSecurity"], ...objects)).metadata.name).toBe(
      "web",
    );
  });

  it("ValidatingAdmissionPolicy: no policy is asked, in a fork neither", async () => {
    const { kind } = await created(["ValidatingAdmissionPolicy"], ...never, secret);
    expect(kind).toBe("Secret");
    const first = cluster;
    cluster = await first?.fork();
    await first?.stop();
    const other = { ...secret, metadata: { name: "two", namespace: "default" } };
    expect((await created([], other)).metadata.name).toBe("two");
  });

  it.each(["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"] as const)(
    "%s: a webhook that does not answer is not missed",
    async (plugin) => {
      const configuration = plugin.replace("AdmissionWebhook", "WebhookConfiguration");
      const rules = [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] },
      ];
      const webhook = {
        name: "gone.example.org",
        clientConfig: { url: "https://127.0.0.1:1/" },
        rules,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      };
      const webhooks = of("admissionregistration.k8s.io/v1", configuration, {
        webhooks: [webhook],
      });
      expect((await created([plugin], webhooks, secret)).kind).toBe("Secret");
    },
  );

  it("are refused in the words of kube-apiserver when there are no such plugins", async () => {
    const disableAdmissionPlugins = ["Bogus", "ServiceAccount", "Foo"] as AdmissionPlugin[];
    await expect(startControlPlane({ disableAdmissionPlugins })).rejects.toMatchObject({
      code: "unknown-admission-plugin",
      message:
        '[disable-admission-plugins plugin "Bogus" is unknown, disable-admission-plugins plugin "Foo" is unknown].',
    });
  });
});
