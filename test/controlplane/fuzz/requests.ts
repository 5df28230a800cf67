/** Random requests to a control plane: well-formed ones with something wrong in them, and noise. */
import type { Random } from "../../support/random.ts";

/** A request as it goes out. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Objects to begin with, by the path of their collection. */
const SEEDS: Readonly<Record<string, object>> = {
  "/api/v1/namespaces/default/configmaps": {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", labels: { a: "b" }, annotations: { c: "d" }, finalizers: ["e.com/f"] },
    data: { k: "v" },
    binaryData: { b: "AAEC" },
  },
  "/api/v1/namespaces/default/pods": {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: {
      containers: [
        {
          name: "c",
          image: "i",
          ports: [{ containerPort: 80 }],
          env: [{ name: "E", value: "1" }],
          resources: { limits: { cpu: "100m", memory: "1Gi" } },
        },
      ],
      volumes: [{ name: "v", configMap: { name: "a" } }],
      tolerations: [{ key: "k", operator: "Exists" }],
    },
  },
  "/api/v1/namespaces/default/services": {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s" },
    spec: { selector: { app: "x" }, ports: [{ port: 80, targetPort: "http" }], type: "NodePort" },
  },
  "/apis/apps/v1/namespaces/default/deployments": {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "x" } },
      strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      },
    },
  },
  "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers": {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "h", annotations: { "autoscaling.alpha.kubernetes.io/metrics": "[{}]" } },
    spec: { scaleTargetRef: { kind: "Deployment", name: "d" }, maxReplicas: 3 },
  },
  "/apis/fuzz.example.com/v1/namespaces/default/widgets": {
    apiVersion: "fuzz.example.com/v1",
    kind: "Widget",
    metadata: { name: "w" },
    spec: { size: 1, parts: [{ name: "n", count: 2 }], tags: ["t"], free: { any: [1, "2"] } },
    status: { replicas: 1 },
  },
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions": {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.other.example.com" },
    spec: {
      group: "other.example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          additionalPrinterColumns: [{ name: "N", type: "string", jsonPath: ".spec.n" }],
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { n: { pattern: "^(a+)+$" } } } },
            },
          },
        },
      ],
    },
  },
  "/apis/rbac.authorization.k8s.io/v1/clusterroles": {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "r" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  },
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { verb: "get", resource: "pods" } },
  },
  "/api/v1/namespaces/default/serviceaccounts/default/token": {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: ["a"], expirationSeconds: 600 },
  },
};

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 31,
  2 ** 63,
  -(2 ** 63),
  1e300,
  "",
  " ",
  "x".repeat(5000),
  "__proto__",
  "constructor",
  "\u0000",
  "\ud800",
  "2020-01-01T00:00:00Z",
  "NaN",
  "1e999999999",
  "100000000000000000000Ei",
  "%",
  "$(X)",
  "a=b,c in (d",
  "<nil>",
  [],
  [null],
  [[[[]]]],
  {},
  { __proto__: null, a: 1 },
  { $patch: "delete" },
  { $patch: "replace" },
  { $retainKeys: ["a"] },
  { "$setElementOrder/containers": [{ name: "c" }] },
];
const KEYS = [
  "__proto__",
  "constructor",
  "toString",
  "metadata",
  "spec",
  "status",
  "$patch",
  "",
  "a.b/c",
  "k".repeat(300),
  "managedFields",
  "finalizers",
  "ownerReferences",
  "resourceVersion",
  "generateName",
];
const NAMES = ["a", "p", "d", "w", "s", "h", "nobody", "UPPER", "%00", "%2f", "..", "a%20b", "$"];
const SUBRESOURCES = [
  "",
  "",
  "",
  "",
  "",
  "",
  "/status",
  "/scale",
  "/log",
  "/eviction",
  "/binding",
  "/nope",
];
const QUERIES = [
  "dryRun=All",
  "dryRun=Some",
  "fieldManager=m",
  `fieldManager=${"m".repeat(200)}`,
  "force=true",
  "fieldValidation=Strict",
  "fieldValidation=Ignore",
  "fieldValidation=No",
  "labelSelector=a%20in%20(b",
  "labelSelector=a",
  "labelSelector=%21a%2Cb%3D%3Dc",
  "fieldSelector=metadata.name%3Da",
  "fieldSelector=spec.nope%3D1",
  "limit=1",
  "limit=-1",
  "limit=99999999999999999999",
  "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0",
  "continue=%00",
  "resourceVersion=0",
  "resourceVersion=x",
  "resourceVersionMatch=Exact",
  "watch=true&resourceVersion=x",
  "propagationPolicy=Orphan",
  "gracePeriodSeconds=-5",
  "timeout=bad",
  "pretty=1",
  "%",
  "=",
  "__proto__=1",
];
const TYPES = [
  "application/json",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "text/plain",
  "",
  "application/json;charset=utf-8;;",
];
const PATCHES = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];
const ACCEPTS = [
  "application/json",
  "application/json",
  "application/json",
  "application/yaml",
  "*/*",
  "*/*",
  "application/vnd.kubernetes.protobuf,application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/vnd.kubernetes.protobuf",
  "text/html",
  ";;;",
];
const OTHER_PATHS = [
  "/",
  "/api",
  "/apis",
  "/version",
  "/healthz",
  "/openapi/v3",
  "/apis/apps",
  "//",
];

/** What is most worth asking comes up most. */
const METHODS = [
  ...["GET", "GET", "GET", "POST", "POST", "POST", "PUT", "PUT", "PATCH", "PATCH", "PATCH"],
  ...["PATCH", "DELETE", "DELETE", "OPTIONS"],
];

type Container = Record<string, unknown> | unknown[];

/** Every object and list in a value, itself included. */
function containersIn(value: unknown): Container[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Container, ...Object.values(value).flatMap(containersIn)];
}

/** Puts something wrong somewhere. */
function spoil(random: Random, root: object): void {
  const container = random.pick(containersIn(root));
  const value = structuredClone(random.pick(HOSTILE));
  if (Array.isArray(container)) {
    if (random.chance(0.5)) container.push(value);
    else if (container.length > 0) container[random.below(container.length)] = value;
    return;
  }
  const known = Object.keys(container);
  const key = known.length > 0 && random.chance(0.7) ? random.pick(known) : random.pick(KEYS);
  if (random.chance(0.15)) Reflect.deleteProperty(container, key);
  // Assigning `__proto__` would change the container itself.
  else
    Object.defineProperty(container, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const mutated = Buffer.from(bytes);
  for (let count = random.below(8); count >= 0 && mutated.length > 0; count--) {
    mutated[random.below(mutated.length)] = random.below(256);
  }
  return random.chance(0.2) ? mutated.subarray(0, random.below(mutated.length + 1)) : mutated;
}

const deep = (random: Random): string => {
  const depth = random.pick([50, 2000, 20_000]);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
  ] as const);
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
};

function jsonPatch(random: Random): unknown {
  return Array.from({ length: random.below(4) }, () => ({
    op: random.pick(["add", "remove", "replace", "move", "copy", "test", "nope"]),
    path: random.pick([
      "",
      "/",
      "/metadata/name",
      "/data/-",
      "/spec/containers/-1",
      "/a/b/c",
      "/__proto__/x",
    ]),
    from: random.pick(["", "/data", "/metadata", "/spec/containers/0", "/nope"]),
    value: random.pick(HOSTILE),
  }));
}

function bodyOf(random: Random, method: string, type: string, seed: object): Buffer {
  if (method === "GET" || method === "OPTIONS") return Buffer.alloc(0);
  if (random.chance(0.04)) return Buffer.from(deep(random));
  if (type === PATCHES[0] && random.chance(0.9))
    return Buffer.from(JSON.stringify(jsonPatch(random)));
  const object = structuredClone(seed);
  for (let count = random.below(4); count > 0; count--) spoil(random, object);
  let text = JSON.stringify(object);
  if (random.chance(0.05)) text = text.replace(/\d+/, "1e400");
  if (random.chance(0.05)) text = text.replace("{", '{"metadata":{},');
  const bytes = Buffer.from(text);
  const framed = type.includes("protobuf")
    ? Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), bytes])
    : bytes;
  return random.chance(0.2) ? mutateBytes(random, framed) : framed;
}

/** Mostly the name of the object that the stream writes itself. */
function nameOf(random: Random, seed: object): string {
  const { metadata } = seed as { readonly metadata?: { readonly name: string } };
  return metadata && random.chance(0.6) ? metadata.name : random.pick(NAMES);
}

/** The next request of the stream. */
export function nextRequest(random: Random): FuzzRequest {
  const [collection, seed] = random.pick(Object.entries(SEEDS));
  const method = random.pick(METHODS);
  const type = random.pick(method === "PATCH" ? PATCHES : TYPES);
  const named = method === "POST" ? random.chance(0.1) : random.chance(0.85);
  const path = random.chance(0.05)
    ? random.pick(OTHER_PATHS)
    : `${collection}${named ? `/${nameOf(random, seed)}${random.pick(SUBRESOURCES)}` : ""}`;
  const query = Array.from({ length: random.below(3) }, () => random.pick(QUERIES)).join("&");
  return {
    method,
    path: query === "" ? path : `${path}?${query}`,
    headers: {
      ...(type === "" ? {} : { "content-type": type }),
      accept: random.pick(ACCEPTS),
      "user-agent": random.pick(["fuzz/1", "", "é".normalize("NFD").charAt(0)]),
    },
    body: bodyOf(random, method, type, seed),
  };
}
