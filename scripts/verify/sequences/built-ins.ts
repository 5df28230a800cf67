/** Built-in objects, and what managers want of them. */
import type { Json } from "./scenario.ts";
import { type Value, listMap, mapOf, number, rarelyNull, setOf, struct, text } from "./values.ts";
import type { Target } from "./widgets.ts";

const containers: Value = (random) =>
  random.shuffled(random.some(["main", "side"], 0.7)).map((name) => ({
    name,
    ...struct(
      {
        image: (choice) => choice.pick(["i:1", "i:2"]),
        command: setOf(["a", "b"]),
        env: listMap([{ name: "A" }, { name: "B" }, { name: "C" }], { value: text }),
        ports: listMap(
          [
            { containerPort: 80 },
            { containerPort: 80, protocol: "UDP" },
            { containerPort: 443, protocol: "TCP" },
          ],
          { name: (choice) => choice.pick(["http", "web"]) },
        ),
        resources: struct({
          limits: struct({ cpu: (choice) => choice.pick(["1", "1000m", 2]), memory: () => "1Gi" }),
          requests: struct({ cpu: () => "100m" }),
        }),
        volumeMounts: listMap([{ mountPath: "/a" }, { mountPath: "/b" }], { name: () => "v" }),
        imagePullPolicy: (choice) => choice.pick(["Always", "IfNotPresent"]),
        securityContext: struct({
          runAsUser: number,
          capabilities: struct({ add: setOf(["NET_ADMIN", "SYS_TIME"]) }),
        }),
        livenessProbe: struct(
          { periodSeconds: () => 5, httpGet: () => ({ port: 80, path: "/" }) },
          ["httpGet"],
        ),
      },
      ["image"],
      0.25,
    )(random),
  }));

const podSpec: Value = (random) => ({
  containers: [{ name: "main", image: "i:1" }],
  ...struct(
    {
      containers: (choice) => {
        const some = containers(choice) as unknown[];
        return some.length > 0 ? some : [{ name: "main", image: "i:3" }];
      },
      volumes: () => [{ name: "v", emptyDir: {} }],
      tolerations: setOf([
        { key: "a", operator: "Exists" },
        { key: "b", operator: "Equal", value: "c" },
      ]),
      nodeSelector: mapOf(text),
      hostAliases: listMap([{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }], {
        hostnames: setOf(["a", "b"]),
      }),
      terminationGracePeriodSeconds: number,
      imagePullSecrets: setOf([{ name: "a" }, { name: "b" }]),
      topologySpreadConstraints: listMap(
        [
          { topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 },
          { topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 1 },
        ],
        {},
      ),
      securityContext: struct({
        runAsUser: number,
        supplementalGroups: setOf([1, 2]),
        sysctls: () => [],
      }),
    },
    [],
    0.3,
  )(random),
});

const namespaced =
  (path: string, apiVersion: string) => (): { path: string; apiVersion: string } => ({
    path,
    apiVersion,
  });

const deployment: Target = {
  kind: "Deployment",
  name: "d",
  collection: namespaced("/apis/apps/v1/namespaces/${ns}/deployments", "apps/v1"),
  part: (random, whole) => ({
    spec: {
      ...(whole
        ? {
            selector: { matchLabels: { app: "a" } },
            template: { metadata: { labels: { app: "a" } }, spec: podSpec(random) },
          }
        : {}),
      ...struct({
        replicas: number,
        paused: () => true,
        minReadySeconds: number,
        strategy: (choice) =>
          choice.pick<unknown>([
            { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
            { rollingUpdate: { maxUnavailable: "10%" } },
            { type: "RollingUpdate" },
          ]),
        revisionHistoryLimit: number,
      })(random),
    },
  }),
  status: struct({
    replicas: number,
    readyReplicas: () => 0,
    conditions: listMap(
      [
        { type: "Available", status: "True" },
        { type: "Progressing", status: "False" },
      ],
      {
        reason: text,
        message: text,
      },
    ),
  }),
};

const service: Target = {
  kind: "Service",
  name: "s",
  collection: namespaced("/api/v1/namespaces/${ns}/services", "v1"),
  part: (random, whole) => ({
    spec: {
      ...(whole ? { ports: [{ port: 80, name: "http" }], clusterIP: "None" } : {}),
      ...struct({
        ports: (choice) => {
          const some = listMap(
            [
              { port: 80, name: "http" },
              { port: 80, name: "u", protocol: "UDP" },
              { port: 443, name: "https", protocol: "TCP" },
            ],
            {
              targetPort: (inner) => inner.pick<unknown>(["web", 8080]),
              appProtocol: () => "http",
            },
          )(choice) as unknown[];
          return some.length > 0 ? some : [{ port: 80, name: "http" }];
        },
        selector: mapOf((choice) => choice.pick(["a", "b"])),
        externalIPs: setOf(["10.1.1.1", "10.1.1.2"]),
        sessionAffinity: (choice) => choice.pick(["None", "ClientIP"]),
        publishNotReadyAddresses: (choice) => choice.chance(0.5),
      })(random),
    },
  }),
  status: struct({
    loadBalancer: struct({ ingress: setOf([{ ip: "10.2.2.2" }, { hostname: "h.example.com" }]) }),
    conditions: listMap(
      [
        {
          type: "A",
          status: "True",
          lastTransitionTime: "2026-01-01T00:00:00Z",
          reason: "R",
          message: "",
        },
      ],
      {},
    ),
  }),
};

const configMap: Target = {
  kind: "ConfigMap",
  name: "c",
  collection: namespaced("/api/v1/namespaces/${ns}/configmaps", "v1"),
  part: struct({
    data: rarelyNull(struct({ a: rarelyNull(text), b: text, "c.d": text })),
    binaryData: struct({ e: () => "AAAA", f: () => "BBBB" }),
  }),
};

/** A Pod; it needs the service account of its namespace. */
export const pod: Target = {
  kind: "Pod",
  name: "p",
  collection: namespaced("/api/v1/namespaces/${ns}/pods", "v1"),
  part: (random, whole) =>
    whole
      ? { spec: { ...(podSpec(random) as Json), automountServiceAccountToken: false } }
      : {
          spec: struct({
            containers: (choice) => [{ name: "main", image: choice.pick(["i:1", "i:2"]) }],
            tolerations: setOf([{ key: "a", operator: "Exists" }]),
            activeDeadlineSeconds: () => 5,
          })(random),
        },
  status: struct({
    phase: (choice) => choice.pick(["Running", "Pending"]),
    podIPs: listMap([{ ip: "10.0.0.1" }, { ip: "fd00::1" }], {}),
    conditions: listMap(
      [
        { type: "Ready", status: "True" },
        { type: "Initialized", status: "False" },
      ],
      { reason: text },
    ),
    hostIP: () => "10.3.3.3",
  }),
};

const ingress: Target = {
  kind: "Ingress",
  name: "i",
  collection: namespaced(
    "/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses",
    "networking.k8s.io/v1",
  ),
  part: (random, whole) => ({
    spec: {
      ...(whole ? { defaultBackend: { service: { name: "s", port: { number: 80 } } } } : {}),
      ...struct({
        ingressClassName: () => "n",
        tls: setOf([{ hosts: ["a.example.com"], secretName: "t" }, { hosts: ["b.example.com"] }]),
        rules: setOf([
          { host: "a.example.com" },
          {
            host: "b.example.com",
            http: {
              paths: [
                {
                  path: "/",
                  pathType: "Prefix",
                  backend: { service: { name: "s", port: { name: "http" } } },
                },
              ],
            },
          },
        ]),
      })(random),
    },
  }),
};

const autoscaler: Target = {
  kind: "HorizontalPodAutoscaler",
  name: "h",
  collection: (random) => {
    const version = random.pick(["v1", "v2", "v2"]);
    return {
      path: `/apis/autoscaling/${version}/namespaces/\${ns}/horizontalpodautoscalers`,
      apiVersion: `autoscaling/${version}`,
    };
  },
  part: (random, whole) => ({
    spec: {
      ...(whole
        ? {
            maxReplicas: 5,
            scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
          }
        : {}),
      ...struct({ minReplicas: () => 1, maxReplicas: (choice) => 3 + choice.below(2) })(random),
    },
  }),
};

/** Kinds with lists and maps of all sorts. */
export const BUILT_IN = [deployment, service, configMap, pod, ingress, autoscaler];
