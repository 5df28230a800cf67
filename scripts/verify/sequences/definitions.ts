/**
 * Definitions that change under their objects: versions, schemas, names and subresources that come and go, deletions
 * that wait, definitions that are made again at once.
 */
import type { Random } from "../../../test/support/random.ts";
import type { Json, Scenario, Step } from "./scenario.ts";
import { CRDS, establish, widgetDefinition } from "./scenario.ts";

const DEFINITION = `${CRDS}/widgets.\${group}`;
const OTHER = `${CRDS}/gadgets.\${group}`;
const JSON_PATCH = { "content-type": "application/json-patch+json" };
const APPLY = { "content-type": "application/apply-patch+yaml" };
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
/** Enough for a change to be in effect, and its caches to be filled. */
const EFFECT: readonly Step[] = [
  { wait: 1200 },
  ...["v1", "v2"].map((version) => ({
    request: `GET /apis/\${group}/${version}/namespaces/\${ns}/widgets`,
    until: { status: 200 },
    within: 900,
    pick: [],
  })),
];
/** Enough for the end of a definition that had objects: the real one looks every five seconds. */
const END = { wait: 6500 };

const TEXT = { type: "string" };
const NUMBER = { type: "integer" };

const schemaOf = (spec: Json, more: Json = {}): Json => ({
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: { type: "object", properties: spec, ...more },
      status: { type: "object", properties: { n: NUMBER, replicas: NUMBER } },
    },
  },
});

const FIELDS: Json = { a: TEXT, n: NUMBER, old: TEXT, list: { type: "array", items: TEXT } };

/** Schemas that take the place of the first one. */
const SCHEMAS: readonly Json[] = [
  schemaOf({ ...FIELDS, n: { type: "integer", maximum: 2 } }),
  schemaOf({ ...FIELDS, a: { type: "string", enum: ["y", "z"] } }),
  schemaOf({ a: TEXT, n: NUMBER }),
  schemaOf({ ...FIELDS, added: { type: "string", default: "d" } }),
  schemaOf(FIELDS, { required: ["must"] }),
  schemaOf({ ...FIELDS, must: TEXT }, { required: ["must"] }),
  schemaOf({ ...FIELDS, n: TEXT }),
  schemaOf({ ...FIELDS, list: { type: "array", items: NUMBER } }),
  schemaOf({
    ...FIELDS,
    list: {
      type: "array",
      items: { type: "string", maxLength: 3 },
      "x-kubernetes-list-type": "set",
    },
  }),
  schemaOf(FIELDS, {
    "x-kubernetes-validations": [{ rule: "!has(self.n) || self.n < 3", message: "small" }],
  }),
  schemaOf(FIELDS, {
    "x-kubernetes-validations": [{ rule: "!has(oldSelf.a) || self.a == oldSelf.a" }],
  }),
  schemaOf(FIELDS, { "x-kubernetes-preserve-unknown-fields": true }),
  schemaOf({ ...FIELDS, a: { type: "string", default: 3 } }),
  schemaOf({ ...FIELDS, a: { type: "strange" } }),
  { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
];

const replace = (path: string, value: unknown): Json => ({ op: "add", path, value });

/** Changes of the definition as JSON patches; `v1` is the first version. */
function change(random: Random): readonly Json[] {
  const second = (more: Json): Json => ({
    name: "v2",
    served: true,
    storage: false,
    schema: random.pick(SCHEMAS.slice(0, 6)),
    ...more,
  });
  return random.pick<() => readonly Json[]>([
    () => [replace("/spec/versions/0/schema", random.pick(SCHEMAS))],
    () => [replace("/spec/versions/0/schema", random.pick(SCHEMAS))],
    () => [replace("/spec/versions/0/schema", random.pick(SCHEMAS))],
    () => [replace("/spec/versions/1", second({}))],
    () => [replace("/spec/versions/1", second({ served: false }))],
    () => [
      replace("/spec/versions/1", second({ storage: true })),
      replace("/spec/versions/0/storage", false),
    ],
    () => [replace("/spec/versions/0/served", false)],
    () => [replace("/spec/versions/0/served", true)],
    () => [{ op: "remove", path: "/spec/versions/1" }],
    () => [{ op: "remove", path: "/spec/versions/0" }],
    () => [
      replace("/spec/versions/0/deprecated", true),
      ...(random.chance(0.5)
        ? [replace("/spec/versions/0/deprecationWarning", "use another")]
        : []),
    ],
    () => [replace("/spec/versions/0/subresources", random.pick<Json>([{}, { status: {} }]))],
    () => [
      replace("/spec/versions/0/subresources", {
        status: {},
        scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.replicas" },
      }),
    ],
    () => [{ op: "remove", path: "/spec/versions/0/subresources" }],
    () => [
      replace("/spec/versions/0/selectableFields", [
        { jsonPath: random.pick([".spec.a", ".spec.n", ".spec.list"]) },
      ]),
    ],
    () => [{ op: "remove", path: "/spec/versions/0/selectableFields" }],
    () => [
      replace("/spec/versions/0/additionalPrinterColumns", [
        { name: "A", type: "string", jsonPath: ".spec.a", priority: random.below(2) },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ]),
    ],
    () => [replace("/spec/names/shortNames", random.pick([["wd"], ["wd", "wdg"], []]))],
    () => [replace("/spec/names/categories", ["all"])],
    () => [replace("/spec/names/singular", "widgy")],
    () => [replace("/spec/names/kind", "Gizmo")],
    () => [replace("/spec/names/listKind", "Widgets")],
    () => [replace("/spec/names/plural", "gizmos")],
    () => [replace("/spec/scope", "Cluster")],
    () => [replace("/spec/group", "other.example.com")],
    () => [replace("/metadata/labels", { l: "1" })],
    () => [replace("/metadata/finalizers", ["example.com/f"])],
    () => [replace("/status/storedVersions", [])],
    () => [replace("/spec/preserveUnknownFields", true)],
  ])();
}

const collection = (version: string, plural = "widgets"): string =>
  `/apis/\${group}/${version}/namespaces/\${ns}/${plural}`;

const body = (random: Random, version: string, name: string, kind = "Widget"): Json => ({
  apiVersion: `\${group}/${version}`,
  kind,
  metadata: {
    name,
    ...(name === "a" && random.chance(0.3) ? { finalizers: ["example.com/f"] } : {}),
  },
  spec: Object.fromEntries(
    Object.entries({
      a: random.pick(["x", "y"]),
      n: random.pick([1, 3]),
      old: "o",
      list: random.pick([["p"], ["p", "p"], ["long", "q"]]),
      ...random.pick<Json>([{ must: "m" }, { more: 1 }]),
    }).filter(() => random.chance(0.5)),
  ),
});

const ages = { mask: ["^\\d+[smhdy](\\d+[sm])?$"], unordered: ["/body/items"] };

/** A request for objects of the definition. */
function request(random: Random): Step {
  const version = random.pick(["v1", "v1", "v1", "v2"]);
  const path = collection(version);
  const one = `${path}/${random.pick(["a", "b"])}`;
  return random.pick<() => Step>([
    () => ({ request: `GET ${one}` }),
    () => ({ request: `GET ${one}` }),
    () => ({ request: `GET ${path}`, ...(random.chance(0.4) ? { headers: TABLE } : {}), ...ages }),
    () => ({ request: `GET ${path}?fieldSelector=spec.a%3Dx`, ...ages }),
    () => ({ request: `POST ${path}`, body: body(random, version, random.pick(["a", "c", "d"])) }),
    () => ({
      request: `PATCH ${one}`,
      body: { metadata: { labels: { l: random.pick(["1", "2"]) } } },
    }),
    () => ({
      request: `PATCH ${one}`,
      body: {
        spec: {
          [random.pick(["a", "n", "old", "list"])]: random.pick<unknown>(["y", 2, null, ["p"]]),
        },
      },
    }),
    () => ({
      request: `PATCH ${one}?fieldManager=m${random.pick(["", "&force=true"])}`,
      headers: APPLY,
      body: body(random, version, one.slice(-1)),
    }),
    () => ({ request: `PATCH ${one}/status`, body: { status: { n: 1, replicas: 2 } } }),
    () => ({ request: `GET ${one}/scale` }),
    () => ({ request: `PATCH ${one}/scale`, body: { spec: { replicas: 2 } } }),
    () => ({ request: `DELETE ${one}` }),
    () => ({ request: `PATCH ${one}`, body: { metadata: { finalizers: null } } }),
    () => ({ request: `DELETE ${path}`, ...ages }),
  ])();
}

/** They depend on the name of the group. */
const HASHES = {
  ignore: ["/body/resources/*/storageVersionHash"],
  unordered: ["/body/resources"],
};

/** Reads of the definition and of discovery. */
const looks = (random: Random): Step[] => [
  {
    request: `GET ${DEFINITION}`,
    ignore: ["/body/metadata/managedFields", "/body/metadata/resourceVersion"],
  },
  random.pick<Step>([
    { request: "GET /apis/${group}" },
    { request: "GET /apis/${group}/v1", ...HASHES },
    { request: "GET /apis/${group}/v2", ...HASHES },
  ]),
];

/** A second definition of which some name is taken already. */
function rival(random: Random): Step[] {
  const names = {
    plural: "gadgets",
    kind: "Gadget",
    singular: "gadget",
    listKind: "GadgetList",
    shortNames: ["gd"],
    ...random.pick<Json>([
      { kind: "Widget" },
      { singular: "widget" },
      { singular: "widgets" },
      { shortNames: ["widgets"] },
      { shortNames: ["wd"] },
      { listKind: "WidgetList" },
      { kind: "WidgetList" },
      { kind: "Widget", listKind: "WidgetList", singular: "widget" },
      {},
    ]),
  };
  const first = widgetDefinition([]) as { metadata: Json; spec: Json };
  return [
    {
      request: `POST ${CRDS}`,
      body: {
        ...first,
        metadata: { name: "gadgets.${group}" },
        spec: {
          ...first.spec,
          names,
          versions: [{ name: "v1", served: true, storage: true, schema: schemaOf(FIELDS) }],
        },
      },
      only: "status",
    },
    ...EFFECT,
    { request: `GET ${OTHER}`, pick: ["/status", "/spec/names"] },
    { request: `GET ${collection("v1", "gadgets")}`, until: { status: 200 }, within: 900 },
    { request: "GET /apis/${group}/v1", ...HASHES },
  ];
}

/** A deletion: what a finalizer holds can be looked at, then it ends. */
const remove = (random: Random): Step[] => [
  {
    request: `DELETE ${DEFINITION}`,
    ...(random.chance(0.3)
      ? { body: { propagationPolicy: random.pick(["Foreground", "Background", "Orphan"]) } }
      : {}),
    ignore: ["/body/metadata/managedFields"],
  },
  END,
  ...looks(random),
  { request: `GET ${collection("v1")}/a` },
  { request: `GET ${collection("v1")}`, ...ages },
  { request: `POST ${collection("v1")}`, body: body(random, "v1", "d") },
  { request: `PATCH ${collection("v1")}/b`, body: { spec: { a: "z" } } },
  { request: `PATCH ${collection("v1")}/a`, body: { metadata: { finalizers: null } } },
  END,
  ...looks(random),
];

/** One definition through five changes. */
export function definitionScenario(random: Random, id: string): Scenario {
  const definition = widgetDefinition([
    {
      name: "v1",
      served: true,
      storage: true,
      schema: schemaOf(FIELDS),
      ...(random.chance(0.5) ? { subresources: { status: {} } } : {}),
    },
  ]);
  const requests = (count: number): Step[] => Array.from({ length: count }, () => request(random));
  const again: Step = { request: `POST ${CRDS}`, body: definition, only: "status" };
  const episode = (): Step[] => {
    if (random.chance(0.12)) return [...rival(random), ...requests(1)];
    if (random.chance(0.15)) {
      return [...remove(random), ...(random.chance(0.7) ? [again, ...EFFECT, ...requests(2)] : [])];
    }
    return [
      {
        request: `PATCH ${DEFINITION}${random.chance(0.1) ? "?dryRun=All" : ""}`,
        headers: JSON_PATCH,
        body: change(random),
        pick: [
          "/spec",
          "/status/storedVersions",
          "/metadata/generation",
          "/message",
          "/reason",
          "/details",
        ],
      },
      ...EFFECT,
      ...requests(4),
      ...(random.chance(0.5) ? looks(random) : []),
    ];
  };
  return {
    id,
    title: "a definition that changes under its objects",
    group: "J",
    after: [`DELETE ${collection("v1")}/a`, `DELETE ${DEFINITION}`, `DELETE ${OTHER}`],
    steps: [
      ...establish(definition),
      { request: `POST ${collection("v1")}`, body: body(random, "v1", "a") },
      { request: `POST ${collection("v1")}`, body: body(random, "v1", "b") },
      { watch: "w", request: `GET ${collection("v1")}?watch=1` },
      ...episode(),
      {
        events: "w",
        count: 10,
        within: 600,
        ignore: ["/events/*/object/metadata/managedFields"],
      },
      ...episode(),
      ...episode(),
      ...episode(),
      ...looks(random),
    ],
  };
}
