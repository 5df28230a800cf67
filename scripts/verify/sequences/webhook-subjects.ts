/**
 * Kinds that webhooks are asked about: their versions and subresources, patches for them, and writes of them.
 */
import type { Random } from "../../../test/support/random.ts";
import type { Json, Step } from "./scenario.ts";

/** A kind, and what webhooks and writers may do to its objects. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** The first is the storage version. */
  readonly versions: readonly string[];
  readonly subresources: readonly string[];
  /** The path of the collection in a version. */
  readonly path: (version: string) => string;
  readonly body: (random: Random) => Json;
  /** A change of the main object, as a merge patch. */
  readonly change: (random: Random) => Json;
  /** A change of the object through a subresource. */
  readonly below: (random: Random, subresource: string) => Json;
  /** Single operations of JSON patch. */
  readonly patches: readonly Json[];
  /** Expressions of mutating policies. */
  readonly policyPatches: readonly string[];
  readonly definition?: { readonly versions: readonly Json[]; readonly rest: Json };
}

const operation = (op: string, path: string, value?: unknown): Json =>
  value === undefined ? { op, path } : { op, path, value };

const METADATA_PATCHES: readonly Json[] = [
  operation("add", "/metadata/labels", { by: "hook" }),
  operation("add", "/metadata/labels/by", "hook"),
  operation("add", "/metadata/labels", { x: "1", by: "other" }),
  operation("add", "/metadata/annotations", { note: "seen" }),
  operation("add", "/metadata/finalizers", ["example.com/f"]),
  operation("remove", "/metadata/labels"),
  operation("replace", "/metadata/labels/x", "2"),
  operation("test", "/metadata/name", "a"),
  operation("add", "/metadata/labels", { "not valid": "1" }),
  operation("add", "/metadata/generateName", "gen-"),
  operation("replace", "/metadata/name", "other"),
  operation("add", "/metadata/ownerReferences", [
    { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "11111111-1111-1111-1111-111111111111" },
  ]),
];
const POLICY_LABEL = "Object{metadata: Object.metadata{labels: {'policy': 'yes'}}}";

const labels = (random: Random): Json | undefined =>
  random.chance(0.5)
    ? { x: random.pick(["1", "2"]), ...(random.chance(0.2) ? { skip: "1" } : {}) }
    : undefined;

const configMaps: Subject = {
  group: "",
  plural: "configmaps",
  kind: "ConfigMap",
  versions: ["v1"],
  subresources: [],
  path: () => "/api/v1/namespaces/${ns}/configmaps",
  body: (random) => ({
    ...(random.chance(0.7) ? { data: { a: random.pick(["1", "2"]) } } : {}),
    ...(random.chance(0.05) ? { immutable: true } : {}),
  }),
  change: (random) => ({ data: { [random.pick(["a", "b"])]: random.pick(["1", "2", null]) } }),
  below: () => ({}),
  patches: [
    ...METADATA_PATCHES,
    operation("add", "/data", { set: "1" }),
    operation("add", "/data/a", "hooked"),
    operation("add", "/data/b", "hooked"),
    operation("replace", "/data/a", "replaced"),
    operation("remove", "/data/b"),
    operation("add", "/data/n", 1),
    operation("add", "/odd", { a: 1 }),
    { op: "copy", from: "/metadata/name", path: "/data/name" },
    { op: "move", from: "/data/a", path: "/data/moved" },
  ],
  policyPatches: [
    POLICY_LABEL,
    "Object{data: {'policy': object.metadata.name}}",
    "has(object.data) ? Object{data: {'size': string(object.data.size())}} : Object{}",
  ],
};

const autoscalers: Subject = {
  group: "autoscaling",
  plural: "horizontalpodautoscalers",
  kind: "HorizontalPodAutoscaler",
  versions: ["v2", "v1"],
  subresources: ["status"],
  path: (version) => `/apis/autoscaling/${version}/namespaces/\${ns}/horizontalpodautoscalers`,
  body: (random) => ({
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      maxReplicas: random.pick([2, 3, 0]),
    },
  }),
  change: (random) => ({ spec: { maxReplicas: random.pick([1, 4]), minReplicas: 1 } }),
  below: (random) => ({ status: { currentReplicas: random.below(3), desiredReplicas: 1 } }),
  patches: [
    ...METADATA_PATCHES,
    operation("replace", "/spec/maxReplicas", 7),
    operation("replace", "/spec/maxReplicas", -7),
    operation("add", "/spec/minReplicas", 1),
    operation("remove", "/spec/scaleTargetRef/apiVersion"),
    operation("add", "/status/currentReplicas", 5),
  ],
  policyPatches: [POLICY_LABEL, "Object{spec: Object.spec{maxReplicas: 9}}"],
};

const deployments: Subject = {
  group: "apps",
  plural: "deployments",
  kind: "Deployment",
  versions: ["v1"],
  subresources: ["status", "scale"],
  path: () => "/apis/apps/v1/namespaces/${ns}/deployments",
  body: () => ({
    spec: {
      selector: { matchLabels: { app: "a" } },
      template: {
        metadata: { labels: { app: "a" } },
        spec: { containers: [{ name: "c", image: "i" }] },
      },
    },
  }),
  change: (random) => ({ spec: { replicas: random.below(4), paused: random.chance(0.5) } }),
  below: (random, subresource) =>
    subresource === "scale"
      ? { spec: { replicas: random.below(5) } }
      : { status: { replicas: random.below(3), observedGeneration: 1 } },
  patches: [
    ...METADATA_PATCHES,
    operation("add", "/spec/replicas", 3),
    operation("add", "/spec/template/spec/containers/-", { name: "side", image: "s" }),
    operation("replace", "/spec/template/spec/containers/0/image", "hooked"),
    operation("add", "/spec/template/metadata/labels/by", "hook"),
    operation("add", "/spec/minReadySeconds", -1),
    operation("add", "/status/replicas", 2),
  ],
  policyPatches: [POLICY_LABEL, "Object{spec: Object.spec{replicas: 5}}"],
};

const spec = (name: string, properties: Json): Json => ({
  name,
  served: true,
  storage: name === "v1",
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: { type: "object", properties },
        status: {
          type: "object",
          properties: { replicas: { type: "integer" }, phase: { type: "string" } },
        },
      },
    },
  },
});
const fields = {
  replicas: { type: "integer", maximum: 10 },
  a: { type: "string", maxLength: 6 },
  b: { type: "string", default: "d" },
  list: { type: "array", items: { type: "string" } },
};

const widgetsIn = (scope: "Namespaced" | "Cluster"): Subject => ({
  group: "${group}",
  plural: "widgets",
  kind: "Widget",
  versions: ["v1", "v2"],
  subresources: ["status", "scale"],
  path: (version) =>
    `/apis/\${group}/${version}${scope === "Cluster" ? "" : "/namespaces/${ns}"}/widgets`,
  body: (random) => ({
    ...(random.chance(0.8)
      ? { spec: { replicas: random.below(3), ...(random.chance(0.5) ? { a: "x" } : {}) } }
      : {}),
  }),
  change: (random) => ({ spec: { a: random.pick(["y", "z", null]), replicas: random.below(3) } }),
  below: (random, subresource) =>
    subresource === "scale"
      ? { spec: { replicas: random.below(12) } }
      : { status: { replicas: random.below(3), phase: "p" } },
  patches: [
    ...METADATA_PATCHES,
    operation("add", "/spec", { a: "whole" }),
    operation("add", "/spec/a", "hooked"),
    operation("add", "/spec/a", "far too long"),
    operation("add", "/spec/list", ["a", "b"]),
    operation("add", "/spec/list/-", "c"),
    operation("add", "/spec/unknown", 1),
    operation("replace", "/spec/replicas", 6),
    operation("replace", "/spec/replicas", "6"),
    operation("remove", "/spec/b"),
    operation("add", "/status", { phase: "hooked" }),
  ],
  policyPatches: [POLICY_LABEL, "Object{spec: Object.spec{a: 'policy'}}"],
  definition: {
    versions: [spec("v1", fields), spec("v2", { ...fields, only2: { type: "string" } })],
    rest: scope === "Cluster" ? { scope } : {},
  },
});

/** Custom resources come twice, in namespaces and without. */
export const SUBJECTS: readonly Subject[] = [
  configMaps,
  configMaps,
  autoscalers,
  deployments,
  widgetsIn("Namespaced"),
  widgetsIn("Namespaced"),
  widgetsIn("Cluster"),
];

const APPLY = "application/apply-patch+yaml";

/** Writes of all sorts to the objects `a` and `b`. */
export function subjectRequests(random: Random, subject: Subject, count: number): Step[] {
  const { group, kind, subresources } = subject;
  const names =
    subject.definition?.rest["scope"] === "Cluster" ? ["a-${id}", "b-${id}"] : ["a", "b"];
  return Array.from({ length: count }, (_, index): Step => {
    const version = random.pick(subject.versions);
    const path = subject.path(version);
    const name = index < 2 ? (names[index] ?? "a") : random.pick(names);
    const search = [
      ...(random.chance(0.15) ? ["dryRun=All"] : []),
      ...(random.chance(0.2) ? ["fieldManager=m"] : []),
    ].join("&");
    const query = search === "" ? "" : `?${search}`;
    const found = labels(random);
    const whole = {
      apiVersion: group === "" ? version : `${group}/${version}`,
      kind,
      metadata: { name, ...(found ? { labels: found } : {}) },
      ...subject.body(random),
    };
    const change = {
      ...subject.change(random),
      ...(random.chance(0.3) ? { metadata: { labels: { x: random.pick(["1", "2", null]) } } } : {}),
    };
    const sub =
      subresources.length > 0 && random.chance(0.3) ? random.pick(subresources) : undefined;
    if (index < 2) return { request: `POST ${path}${query}`, body: whole };
    if (sub !== undefined) {
      return { request: `PATCH ${path}/${name}/${sub}${query}`, body: subject.below(random, sub) };
    }
    return random.pick<() => Step>([
      () => ({ request: `POST ${path}${query}`, body: whole }),
      () => ({ request: `PUT ${path}/${name}${query}`, body: whole }),
      () => ({ request: `PATCH ${path}/${name}${query}`, body: change }),
      () => ({ request: `PATCH ${path}/${name}${query}`, body: change }),
      () => ({
        request: `PATCH ${path}/${name}${query}`,
        headers: { "content-type": "application/json-patch+json" },
        body: [{ op: "add", path: "/metadata/annotations", value: { n: String(random.below(3)) } }],
      }),
      () => ({
        request: `PATCH ${path}/${name}?fieldManager=${random.pick(["m", "n"])}&force=${random.pick(["true", "false"])}`,
        headers: { "content-type": APPLY },
        body: whole,
      }),
      () => ({ request: `DELETE ${path}/${name}${query}` }),
      () => ({ request: `DELETE ${path}${random.chance(0.5) ? "?labelSelector=x" : ""}` }),
      () => ({ request: `GET ${path}/${name}` }),
    ])();
  });
}
