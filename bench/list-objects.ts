/** The objects of `bench/list-server.ts`. */

/** Some kind of object, as a server sends it. */
export interface Shape {
  readonly kind: string;
  readonly plural: string;
  object(index: number): object;
}

const TIME = "2026-01-01T00:00:00Z";

function metadata(name: string, index: number, managedFields: object): object {
  return {
    name,
    namespace: "bench",
    uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    resourceVersion: String(100_000 + index),
    creationTimestamp: TIME,
    labels: { "app.kubernetes.io/name": "bench", "app.kubernetes.io/instance": name },
    managedFields: [
      {
        manager: "bench",
        operation: "Apply",
        apiVersion: "v1",
        time: TIME,
        fieldsType: "FieldsV1",
        fieldsV1: managedFields,
      },
    ],
  };
}

/** The fields of an object as managedFields name them. */
function fieldsOf(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [`f:${key}`, fieldsOf(part)]),
  );
}

/** About 1.5 kB, a third of them managedFields, as objects of an operator are. */
const CONFIG_MAPS: Shape = {
  kind: "ConfigMap",
  plural: "configmaps",
  object(index) {
    const name = `settings-${String(index).padStart(6, "0")}`;
    const data = Object.fromEntries(
      Array.from({ length: 8 }, (_, line) => [
        `option-${line}`,
        `value ${index} ${"x".repeat(60)}`,
      ]),
    );
    const fields = { "f:data": fieldsOf(data), "f:metadata": { "f:labels": { "f:app": {} } } };
    return { kind: "ConfigMap", apiVersion: "v1", metadata: metadata(name, index, fields), data };
  },
};

function containerOf(name: string, index: number): object {
  return {
    name,
    image: `registry.example.com/bench/${name}:1.${index % 10}`,
    imagePullPolicy: "IfNotPresent",
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env: Array.from({ length: 13 }, (_, line) => ({ name: `OPTION_${line}`, value: `v${index}` })),
    resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
    volumeMounts: [{ name: "config", mountPath: "/etc/bench", readOnly: true }],
    livenessProbe: {
      httpGet: { path: "/healthz", port: "http", scheme: "HTTP" },
      periodSeconds: 10,
    },
    readinessProbe: {
      httpGet: { path: "/readyz", port: "http", scheme: "HTTP" },
      periodSeconds: 10,
    },
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  };
}

/** About 5.8 kB: a running pod of two containers. */
const PODS: Shape = {
  kind: "Pod",
  plural: "pods",
  object(index) {
    const name = `web-${String(index).padStart(6, "0")}`;
    const containers = ["main", "sidecar"].map((container) => containerOf(container, index));
    const spec = {
      containers,
      nodeName: `node-${index % 50}`,
      serviceAccountName: "default",
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      terminationGracePeriodSeconds: 30,
      schedulerName: "default-scheduler",
      tolerations: ["not-ready", "unreachable"].map((condition) => ({
        key: `node.kubernetes.io/${condition}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      })),
      volumes: [{ name: "config", configMap: { name, defaultMode: 420 } }],
    };
    const status = {
      phase: "Running",
      podIP: `10.0.${(index >> 8) % 256}.${index % 256}`,
      startTime: TIME,
      qosClass: "Burstable",
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
        type,
        status: "True",
        lastTransitionTime: TIME,
      })),
      containerStatuses: ["main", "sidecar"].map((container) => ({
        name: container,
        ready: true,
        restartCount: 0,
        image: `registry.example.com/bench/${container}:1.${index % 10}`,
        imageID: `registry.example.com/bench/${container}@sha256:${String(index).padStart(64, "0")}`,
        containerID: `containerd://${String(index).padStart(64, "0")}`,
        state: { running: { startedAt: TIME } },
      })),
    };
    const fields = {
      "f:spec": {
        ...fieldsOf(spec),
        "f:containers": Object.fromEntries(
          ["main", "sidecar"].map((key, at) => [`k:{"name":"${key}"}`, fieldsOf(containers[at])]),
        ),
      },
      "f:status": {
        ...fieldsOf(status),
        "f:conditions": Object.fromEntries(
          status.conditions.map((condition) => [
            `k:{"type":"${condition.type}"}`,
            { ".": {}, ...fieldsOf(condition) },
          ]),
        ),
      },
    };
    const own = metadata(name, index, fields);
    return { kind: "Pod", apiVersion: "v1", metadata: own, spec, status };
  },
};

/** By resource. */
export const SHAPES: Readonly<Record<string, Shape>> = { configmaps: CONFIG_MAPS, pods: PODS };
