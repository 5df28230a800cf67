/**
 * Custom resources in versions that a webhook converts: reads, writes and watches through each of them, while the
 * definition changes its stored version, its strategy, or gets a webhook that errs.
 */
import type { Random } from "../../../test/support/random.ts";
import type { Json, Scenario, Step } from "./scenario.ts";
import { CRDS, establish, removeDefinition, widgetDefinition } from "./scenario.ts";

const DEFINITION = `${CRDS}/widgets.\${group}`;
const JSON_PATCH = { "content-type": "application/json-patch+json" };
const APPLY = { "content-type": "application/apply-patch+yaml" };
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const PARTIAL = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
const RENAME = [
  ["v1", "size", "v2", "count"],
  ["v1", "size", "v3", "amount"],
  ["v2", "count", "v3", "amount"],
];
const NUMBER_FIELD: Readonly<Record<string, string>> = { v1: "size", v2: "count", v3: "amount" };

/** Answers that are wrong in one way. */
const BROKEN: readonly Json[] = [
  { fail: "cannot be converted" },
  { metadata: { name: "other" } },
  { metadata: { uid: "11111111-1111-1111-1111-111111111111" } },
  { metadata: { labels: { "not valid": "x" } } },
  { metadata: { labels: { n: 1 } } },
  { metadata: { annotations: { a: null } } },
  { metadata: { labels: null, annotations: null } },
  { metadata: { finalizers: ["example.com/c"], generation: 9 } },
  { drop: 1 },
  { override: { apiVersion: "v1" } },
  { override: { kind: "Odd" } },
  { override: { spec: { size: "text", count: "text", amount: "text" } } },
  { result: { status: "Failure" } },
  { result: {} },
  { status: 500, text: "boom" },
  { status: 503 },
  { raw: "not json" },
  { raw: "{}" },
  { raw: "[]" },
  {
    raw: '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":1}}',
  },
  { raw: '{"kind":"Odd","apiVersion":"apiextensions.k8s.io/v1"}' },
];

/** Other changes that the webhook may make. */
const HARMLESS: readonly Json[] = [
  {},
  {},
  {},
  { metadata: { labels: { converted: "yes" } } },
  { metadata: { annotations: { converted: "yes" }, finalizers: ["example.com/ignored"] } },
  { override: { status: { ready: true } } },
];

function version(random: Random, name: string): Json {
  const field = NUMBER_FIELD[name] ?? "";
  const scaled = random.chance(0.3) ? field : "replicas";
  return {
    name,
    served: true,
    storage: name === "v1",
    subresources: {
      status: {},
      scale: { specReplicasPath: `.spec.${scaled}`, statusReplicasPath: ".status.replicas" },
    },
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: {
              [field]: { type: "integer", maximum: name === "v1" ? 10 : 20 },
              name: { type: "string" },
              replicas: { type: "integer" },
              ...(random.chance(0.3) ? { extra: { type: "string", default: name } } : {}),
              list: {
                type: "array",
                "x-kubernetes-list-type": "set",
                items: { type: "string" },
              },
            },
          },
          status: {
            type: "object",
            properties: { ready: { type: "boolean" }, replicas: { type: "integer" } },
          },
        },
      },
    },
    // Versions may not all have the same ones.
    ...(name !== "v3" && random.chance(0.4)
      ? {
          selectableFields: [
            { jsonPath: ".spec.name" },
            ...(name === "v1" ? [] : [{ jsonPath: ".spec.replicas" }]),
          ],
        }
      : {}),
    additionalPrinterColumns: [{ name: "N", type: "integer", jsonPath: `.spec.${field}` }],
  };
}

const webhookAt = (path: string, reviewVersions: readonly string[] = ["v1"]): Json => ({
  strategy: "Webhook",
  webhook: {
    clientConfig: { url: `\${webhookUrl}${path}`, caBundle: "${caBundle}" },
    conversionReviewVersions: reviewVersions,
  },
});

const collection = (name: string): string => `/apis/\${group}/${name}/namespaces/\${ns}/widgets`;

function body(random: Random, name: string, object: string): Json {
  return {
    apiVersion: `\${group}/${name}`,
    kind: "Widget",
    metadata: {
      name: object,
      ...(random.chance(0.4) ? { labels: { x: random.pick(["1", "2"]) } } : {}),
      ...(random.chance(0.1) ? { finalizers: ["example.com/f"] } : {}),
    },
    spec: Object.fromEntries(
      Object.entries({
        [NUMBER_FIELD[name] ?? ""]: random.pick([1, 3, 12, 30]),
        name: random.pick(["p", "q"]),
        replicas: random.below(3),
        list: random.some(["a", "b"]),
        size: random.below(3),
      }).filter(() => random.chance(0.55)),
    ),
  };
}

/** One request through some version. */
function request(random: Random, versions: readonly string[]): Step {
  const name = random.pick(versions);
  const field = NUMBER_FIELD[name] ?? "";
  const path = collection(name);
  const one = `${path}/${random.pick(["a", "b", "c"])}`;
  const dryRun = random.chance(0.1) ? "?dryRun=All" : "";
  const shown = random.chance(0.2) ? { headers: random.pick([TABLE, PARTIAL]) } : {};
  const change = {
    ...(random.chance(0.7)
      ? { spec: { [random.pick([field, "name", "replicas"])]: random.pick([4, "s", null, 11]) } }
      : {}),
    ...(random.chance(0.4) ? { metadata: { labels: { x: random.pick(["1", "3", null]) } } } : {}),
  };
  const ages = { mask: ["^\\d+[smhdy](\\d+[sm])?$"], unordered: ["/body/items"] };
  return random.pick<() => Step>([
    () => ({ request: `GET ${one}`, ...shown, ...ages }),
    () => ({
      request: `GET ${path}${random.pick(["", "", "?limit=1", "?labelSelector=x", "?fieldSelector=spec.name%3Dp", "?fieldSelector=metadata.name%3Da"])}`,
      ...shown,
      ...ages,
      ignore: ["/body/metadata/continue"],
    }),
    () => ({ request: `POST ${path}${dryRun}`, body: body(random, name, random.pick(["a", "d"])) }),
    () => ({ request: `PUT ${one}${dryRun}`, body: body(random, name, one.slice(-1)) }),
    () => ({ request: `PATCH ${one}${dryRun}`, body: change }),
    () => ({ request: `PATCH ${one}${dryRun}`, body: change }),
    () => ({
      request: `PATCH ${one}`,
      headers: JSON_PATCH,
      body: [
        random.pick([
          { op: "test", path: `/spec/${field}`, value: 3 },
          { op: "add", path: "/spec/list", value: ["a", "c"] },
        ]),
        { op: "add", path: `/spec/${field}`, value: random.pick([2, 3]) },
      ],
    }),
    () => ({
      request: `PATCH ${one}?fieldManager=${random.pick(["m", "n"])}&force=${random.pick(["true", "false", "false"])}`,
      headers: APPLY,
      body: body(random, name, one.slice(-1)),
    }),
    () => ({
      request: `PATCH ${one}?fieldManager=${random.pick(["m", "n"])}`,
      headers: APPLY,
      body: body(random, name, one.slice(-1)),
    }),
    () => ({
      request: `PATCH ${one}/status${dryRun}`,
      body: { status: { ready: true, replicas: random.below(3) } },
    }),
    () => ({ request: `PATCH ${one}/scale`, body: { spec: { replicas: random.below(6) } } }),
    () => ({ request: `GET ${one}/scale` }),
    () => ({ request: `DELETE ${one}${dryRun}` }),
    () => ({ request: `DELETE ${path}?labelSelector=x%3D1`, unordered: ["/body/items"] }),
    () => ({
      request: `PATCH ${one}`,
      body: { metadata: { finalizers: random.pick<unknown>([null, ["example.com/g"]]) } },
    }),
  ])();
}

/** A change of the definition, and the wait until it is in effect. */
function definitionChange(random: Random, count: number, mark: string): Step[] {
  const operations = random.pick<() => readonly Json[]>([
    () => [
      { op: "replace", path: "/spec/versions/0/storage", value: false },
      { op: "replace", path: `/spec/versions/${count - 1}/storage`, value: true },
    ],
    () => [{ op: "replace", path: "/spec/conversion", value: webhookAt("/broken") }],
    () => [{ op: "replace", path: "/spec/conversion", value: webhookAt("/broken") }],
    () => [{ op: "replace", path: "/spec/conversion", value: { strategy: "None" } }],
    () => [{ op: "replace", path: `/spec/versions/${count - 1}/served`, value: false }],
    () => [
      {
        op: "replace",
        path: "/spec/conversion",
        value: webhookAt("/c", random.pick([["v1beta1"], ["v2", "v1"]])),
      },
    ],
  ])();
  return [
    {
      request: `PATCH ${DEFINITION}`,
      headers: JSON_PATCH,
      body: [
        ...operations,
        {
          op: "add",
          path: "/spec/versions/0/additionalPrinterColumns",
          value: [{ name: mark, type: "string", jsonPath: ".spec.name" }],
        },
      ],
      pick: ["/status/storedVersions", "/metadata/generation", "/message"],
    },
    {
      request: `GET ${collection("v1")}?fieldSelector=metadata.name%3Dnone`,
      headers: TABLE,
      until: { "/columnDefinitions/1/name": mark },
      only: "status",
    },
  ];
}

/** Two or three versions of one kind. */
export function conversionScenario(random: Random, id: string): Scenario {
  const versions = random.chance(0.3) ? ["v1", "v2", "v3"] : ["v1", "v2"];
  const definition = widgetDefinition(
    versions.map((name) => version(random, name)),
    { conversion: webhookAt("/c") },
  );
  const watches = random.some(versions, 0.6).map((name) => ({
    watch: `w${name}`,
    request: `GET ${collection(name)}?watch=1${random.pick(["", "&labelSelector=x", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"])}`,
    ...(random.chance(0.2) ? { headers: random.pick([TABLE, PARTIAL]) } : {}),
  }));
  const requests = (count: number): Step[] =>
    Array.from({ length: count }, () => request(random, versions));
  return {
    id,
    title: `objects in ${versions.length} versions that a webhook converts`,
    group: "K",
    webhooks: {
      "/c": { rename: RENAME, ...random.pick(HARMLESS) },
      "/broken": { rename: RENAME, ...random.pick(BROKEN) },
    },
    after: removeDefinition,
    steps: [
      ...establish(definition),
      ...["a", "b", "c"].map((object) => {
        const name = random.pick(versions);
        return { request: `POST ${collection(name)}`, body: body(random, name, object) };
      }),
      ...watches,
      ...requests(7),
      ...watches.map(({ watch }) => ({
        events: watch,
        count: 14,
        within: 800,
        mask: ["^\\d+[smhdy](\\d+[sm])?$"],
      })),
      ...definitionChange(random, versions.length, "Changed"),
      ...requests(7),
      ...(random.chance(0.4) ? definitionChange(random, versions.length, "Again") : []),
      ...requests(3),
      {
        request: `GET ${DEFINITION}`,
        pick: ["/status/storedVersions", "/spec/conversion/strategy"],
      },
    ],
  };
}
