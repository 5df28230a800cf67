/** Intents that the server stores in another form than they are written in, or with more or fewer fields. */
import type { Client } from "../../../src/index.ts";
import { CustomResourceDefinition } from "../../../src/k8s.ts";
import type { NewObject } from "../../../src/kube/input.ts";
import type { Named } from "./judge.ts";
import { eventually } from "../../support/eventually.ts";

/** An object without its name. */
interface Shape {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: object;
  readonly [field: string]: unknown;
}

const of =
  (apiVersion: string, kind: string) =>
  (rest: object): Shape => ({ apiVersion, kind, ...rest });

const configMap = of("v1", "ConfigMap");
const secret = of("v1", "Secret");
const networkPolicy = (spec: object): Shape =>
  of("networking.k8s.io/v1", "NetworkPolicy")({ spec: { podSelector: {}, ...spec } });
const role = of("rbac.authorization.k8s.io/v1", "Role");
const container = { name: "main", image: "registry.example/app:1" };
const pods = (container_: object, pod: object = {}): object => ({
  selector: { matchLabels: { app: "a" } },
  template: {
    metadata: { labels: { app: "a" } },
    spec: { containers: [{ ...container, ...container_ }], ...pod },
  },
});
const deployment = (part: object, pod: object = {}, spec: object = {}): Shape =>
  of("apps/v1", "Deployment")({ spec: { replicas: 0, ...pods(part, pod), ...spec } });
const service = (spec: object): Shape => of("v1", "Service")({ spec });
const job = of("batch/v1", "Job");
const jobPod = { restartPolicy: "Never", containers: [container] };
const gadget = of("GADGETS", "Gadget");

/** The kind of the shapes that no built-in kind has. */
const gadgetsOf = (group: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `gadgets.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { kind: "Gadget", plural: "gadgets", singular: "gadget", listKind: "GadgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", default: 3 },
                  ratio: { type: "number" },
                  port: { "x-kubernetes-int-or-string": true },
                  at: { type: "string", format: "date-time" },
                  note: { type: "string", nullable: true },
                  mode: { type: "string", default: "fast", nullable: true },
                  tags: {
                    type: "array",
                    items: { type: "string" },
                    "x-kubernetes-list-type": "set",
                  },
                  list: { type: "array", items: { type: "string" } },
                  ports: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["number", "protocol"],
                    items: {
                      type: "object",
                      required: ["number"],
                      properties: {
                        number: { type: "integer" },
                        protocol: { type: "string", default: "TCP" },
                        name: { type: "string" },
                      },
                    },
                  },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  strict: { type: "object", properties: { a: { type: "string", default: "x" } } },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
});

/** Installs the kind, and waits until it is served. @returns its apiVersion */
export async function installGadgets(client: Client, run: string): Promise<string> {
  const group = groupOf(run);
  const { metadata, spec } = gadgetsOf(group) as unknown as NewObject<CustomResourceDefinition>;
  await client.create(CustomResourceDefinition, { metadata, spec });
  await eventually(async () => {
    const { conditions = [] } =
      (await client.get(CustomResourceDefinition, gadgetsOf(group).metadata)).status ?? {};
    const isServed = conditions.some(
      ({ type, status }) => type === "Established" && status === "True",
    );
    if (!isServed) throw new Error("the kind is not served yet");
    await client.list(await client.dynamic(`${group}/v1`, "Gadget"));
  });
  return `${group}/v1`;
}

export async function removeGadgets(client: Client, run: string): Promise<void> {
  await client.delete(CustomResourceDefinition, gadgetsOf(groupOf(run)).metadata);
}

/** Several runs share a cluster. */
function groupOf(run: string): string {
  return `${run}.example.com`;
}

/** Intents by what is special about them. */
const SHAPES: Readonly<Record<string, Shape>> = {
  "plain data": configMap({ data: { page: "one" } }),
  "empty labels": configMap({ metadata: { labels: {} }, data: { page: "one" } }),
  "empty annotations and finalizers": configMap({
    metadata: { annotations: {}, finalizers: [] },
    data: { page: "one" },
  }),
  "an empty map": configMap({ data: {} }),
  "two empty maps": configMap({ data: {}, binaryData: {} }),
  "a null map": configMap({ data: null }),
  "a null label": configMap({ metadata: { labels: { a: null } } }),
  "no field at all": configMap({}),
  "text of a Secret": secret({ stringData: { password: "hidden" } }),
  "text and bytes of a Secret": secret({ stringData: { a: "1" }, data: { b: "Yg==" } }),
  "an explicit type": secret({ type: "Opaque", data: {} }),
  "egress of nothing": networkPolicy({ egress: [], policyTypes: ["Egress"] }),
  "ingress of nothing": networkPolicy({ ingress: [], policyTypes: ["Ingress"] }),
  "a rule from nobody": networkPolicy({ ingress: [{ from: [] }] }),
  "a rule without ports": networkPolicy({ egress: [{ ports: [], to: [] }] }),
  "an empty selector": networkPolicy({ podSelector: { matchLabels: {} } }),
  "half a core": deployment({ resources: { requests: { cpu: "0.5" } } }),
  "1024Mi": deployment({ resources: { limits: { memory: "1024Mi" } } }),
  "a quantity as a number": deployment({ resources: { limits: { cpu: 1 } } }),
  "an exponent": deployment({ resources: { limits: { memory: "1e3" } } }),
  "no resources": deployment({ resources: {} }),
  "empty lists of a container": deployment({ env: [], command: [], args: [], volumeMounts: [] }),
  "a port without protocol": deployment({ ports: [{ containerPort: 80 }] }),
  "an empty value": deployment({ env: [{ name: "A", value: "" }] }),
  "a probe with defaults": deployment({ readinessProbe: { httpGet: { port: 80, path: "/" } } }),
  "a probe of a named port": deployment({
    ports: [{ name: "http", containerPort: 80 }],
    livenessProbe: { httpGet: { port: "http" }, periodSeconds: 10 },
  }),
  "an empty security context": deployment({ securityContext: {} }, { securityContext: {} }),
  "false for absent": deployment({ tty: false }, { hostNetwork: false, hostPID: false }),
  "empty lists of a pod": deployment({}, { volumes: [], tolerations: [], initContainers: [] }),
  "an empty node selector": deployment({}, { nodeSelector: {}, affinity: {} }),
  "an empty volume": deployment({}, { volumes: [{ name: "v", emptyDir: {} }] }),
  "a volume of 1024Mi": deployment(
    {},
    { volumes: [{ name: "v", emptyDir: { sizeLimit: "1024Mi" } }] },
  ),
  "a null field": deployment({}, {}, { paused: null }),
  "defaults written down": deployment(
    {},
    {},
    {
      strategy: {
        type: "RollingUpdate",
        rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" },
      },
      revisionHistoryLimit: 10,
    },
  ),
  "a number for a percentage": deployment({}, {}, { strategy: { rollingUpdate: { maxSurge: 1 } } }),
  "an empty strategy": deployment({}, {}, { strategy: {} }),
  "a service port": service({ selector: { app: "a" }, ports: [{ port: 80 }] }),
  "a named target port": service({ ports: [{ port: 80, targetPort: "http" }] }),
  "an empty service selector": service({ selector: {}, ports: [{ port: 80, targetPort: 80 }] }),
  "a headless service": service({ clusterIP: "None", clusterIPs: ["None"], ports: [{ port: 80 }] }),
  "a claim of 0.5Gi": of(
    "v1",
    "PersistentVolumeClaim",
  )({
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "0.5Gi" } } },
  }),
  "a quota of 1000m": of("v1", "ResourceQuota")({ spec: { hard: { cpu: "1000m", pods: 5 } } }),
  "limits with defaults": of(
    "v1",
    "LimitRange",
  )({
    spec: { limits: [{ type: "Container", max: { cpu: "2000m" } }] },
  }),
  "a role without rules": role({ rules: [] }),
  "an empty rule list": role({
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: [] }],
  }),
  "a binding without subjects": of(
    "rbac.authorization.k8s.io/v1",
    "RoleBinding",
  )({
    subjects: [],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "some" },
  }),
  "a binding without groups": of(
    "rbac.authorization.k8s.io/v1",
    "RoleBinding",
  )({
    subjects: [{ kind: "ServiceAccount", name: "a", namespace: "default" }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "some" },
  }),
  "an account without secrets": of("v1", "ServiceAccount")({ secrets: [], imagePullSecrets: [] }),
  "a suspended job": job({ spec: { suspend: true, parallelism: 1, template: { spec: jobPod } } }),
  "a schedule": of(
    "batch/v1",
    "CronJob",
  )({
    spec: {
      schedule: "@daily",
      suspend: true,
      jobTemplate: { spec: { template: { spec: jobPod } } },
    },
  }),
  "a budget in percent": of(
    "policy/v1",
    "PodDisruptionBudget",
  )({
    spec: { minAvailable: "50%", selector: { matchLabels: { app: "a" }, matchExpressions: [] } },
  }),
  "a stateful set": of(
    "apps/v1",
    "StatefulSet",
  )({
    spec: { replicas: 0, serviceName: "a", ...pods({}), volumeClaimTemplates: [] },
  }),
  "a lease of whole seconds": of(
    "coordination.k8s.io/v1",
    "Lease",
  )({
    spec: { holderIdentity: "a", renewTime: "2024-01-01T00:00:00.000000Z" },
  }),
  "a lease of another time zone": of(
    "coordination.k8s.io/v1",
    "Lease",
  )({
    spec: { renewTime: "2024-01-01T01:00:00.000001+01:00" },
  }),
  "an ingress without rules": of(
    "networking.k8s.io/v1",
    "Ingress",
  )({
    spec: { rules: [], tls: [], defaultBackend: { service: { name: "a", port: { number: 80 } } } },
  }),
  "an autoscaler": of(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
  )({
    spec: {
      maxReplicas: 3,
      metrics: [],
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "absent" },
    },
  }),
  "a custom default": gadget({ spec: {} }),
  "a custom default in an object": gadget({ spec: { strict: {} } }),
  "a null with a default": gadget({ spec: { mode: null, size: null } }),
  "a nullable null": gadget({ spec: { note: null } }),
  "an unordered set": gadget({ spec: { tags: ["b", "a"] } }),
  "a set, list and map of nothing": gadget({ spec: { tags: [], list: [], ports: [], free: {} } }),
  "keys with a default": gadget({
    spec: { ports: [{ number: 80 }, { number: 53, protocol: "UDP" }] },
  }),
  "a whole float": gadget({ spec: { ratio: 2 } }),
  "a port as text": gadget({ spec: { port: "80" } }),
  "a time zone": gadget({ spec: { at: "2024-01-01T00:00:00+00:00" } }),
  "free fields": gadget({
    spec: { free: { a: null, b: [], c: { d: {} }, "e<f>": "g&h", n: 1e21 } },
  }),
};

export const TITLES = Object.keys(SHAPES);

/** The intents, by what is special about them, in a namespace. */
export function namedShapes(namespace: string, gadgets: string): ReadonlyMap<string, Named> {
  return new Map(
    Object.entries(SHAPES).map(([title, shape]) => {
      const name = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
      const apiVersion = shape.apiVersion === "GADGETS" ? gadgets : shape.apiVersion;
      return [title, { ...shape, apiVersion, metadata: { ...shape.metadata, namespace, name } }];
    }),
  );
}
