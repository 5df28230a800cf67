/**
 * Schemas of custom resources: random ones with defaults, limits and lists, objects that mostly fit, and changes of both.
 */
import type { Random } from "../../../test/support/random.ts";
import { spoil } from "./schema-mistakes.ts";
import {
  CRDS,
  establish,
  removeDefinition,
  widgetDefinition,
  type Json,
  type Scenario,
  type Step,
} from "./scenario.ts";

const NAMES = ["a", "b", "c", "d"];

function textSchema(random: Random): Json {
  return {
    type: "string",
    ...(random.chance(0.25) ? { maxLength: random.below(4) } : {}),
    ...(random.chance(0.2) ? { minLength: random.below(3) } : {}),
    ...(random.chance(0.2) ? { pattern: random.pick(["^[a-z]*$", "\\d", "^a"]) } : {}),
    ...(random.chance(0.15) ? { enum: random.some(["a", "b", "abc", ""], 0.7) } : {}),
    ...(random.chance(0.15)
      ? {
          format: random.pick([
            "date-time",
            "date",
            "ipv4",
            "uuid",
            "byte",
            "email",
            "duration",
            "uri",
            "odd",
          ]),
        }
      : {}),
    ...(random.chance(0.2) ? { default: random.pick(["a", "b", "", "abc"]) } : {}),
  };
}

function numberSchema(random: Random): Json {
  const type = random.pick(["integer", "integer", "number"]);
  return {
    type,
    ...(random.chance(0.25) ? { minimum: random.below(3) } : {}),
    ...(random.chance(0.25) ? { maximum: 1 + random.below(5) } : {}),
    ...(random.chance(0.1) ? { exclusiveMaximum: true, maximum: 4 } : {}),
    ...(random.chance(0.15) ? { multipleOf: random.pick([2, 0.5]) } : {}),
    ...(random.chance(0.15)
      ? { format: random.pick(type === "integer" ? ["int32", "int64"] : ["float", "double"]) }
      : {}),
    ...(random.chance(0.2) ? { default: random.pick([0, 1, 2]) } : {}),
  };
}

function objectSchema(random: Random, depth: number): Json {
  const properties = Object.fromEntries(
    random.some(NAMES, 0.6).map((name) => [name, nodeSchema(random, depth - 1)]),
  );
  return {
    type: "object",
    properties,
    ...(random.chance(0.2) ? { required: random.some(Object.keys(properties), 0.4) } : {}),
    ...(random.chance(0.15) ? { default: {} } : {}),
    ...(random.chance(0.1) ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(random.chance(0.08) ? { minProperties: 1 } : {}),
    ...(random.chance(0.08) ? { maxProperties: 1 } : {}),
    ...(random.chance(0.08)
      ? { "x-kubernetes-map-type": random.pick(["atomic", "granular"]) }
      : {}),
    ...(random.chance(0.08)
      ? { [random.pick(["oneOf", "anyOf"])]: [{ required: ["a"] }, { required: ["b"] }] }
      : {}),
    ...(random.chance(0.05) ? { not: { required: ["c"] } } : {}),
  };
}

function listSchema(random: Random, depth: number): Json {
  const limits = {
    ...(random.chance(0.2) ? { maxItems: random.below(3) } : {}),
    ...(random.chance(0.1) ? { minItems: 1 } : {}),
  };
  switch (random.below(4)) {
    case 0:
      return {
        type: "array",
        "x-kubernetes-list-type": "set",
        items: random.chance(0.7) ? { type: "string" } : { type: "integer" },
        ...limits,
      };
    case 1:
      return {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": random.chance(0.3) ? ["k", "p"] : ["k"],
        items: {
          type: "object",
          required: ["k"],
          properties: {
            k: random.pick([{ type: "string" }, { type: "integer" }]),
            p: { type: "string", default: "x" },
            a: nodeSchema(random, depth - 1),
          },
        },
        ...limits,
      };
    default:
      return { type: "array", items: nodeSchema(random, depth - 1), ...limits };
  }
}

function nodeSchema(random: Random, depth: number): Json {
  const dice = random.below(100);
  const more: Json = random.chance(0.12) ? { nullable: true } : {};
  if (depth <= 0 || dice < 45)
    return { ...(random.chance(0.6) ? textSchema(random) : numberSchema(random)), ...more };
  if (dice < 50)
    return { type: "boolean", ...(random.chance(0.3) ? { default: true } : {}), ...more };
  if (dice < 55) return { "x-kubernetes-int-or-string": true, ...more };
  if (dice < 58) return { "x-kubernetes-preserve-unknown-fields": true, ...more };
  if (dice < 61)
    return {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      ...more,
    };
  if (dice < 68)
    return { type: "object", additionalProperties: nodeSchema(random, depth - 1), ...more };
  if (dice < 82) return { ...listSchema(random, depth), ...more };
  return { ...objectSchema(random, depth), ...more };
}

/** A value for a schema: mostly one that fits. */
function valueFor(random: Random, schema: Json, wrong: number): unknown {
  if (random.chance(wrong))
    return random.pick<unknown>([
      null,
      "zz",
      7,
      -1,
      1.5,
      true,
      [],
      {},
      ["a", "a"],
      { zz: 1 },
      "",
      1e20,
    ]);
  const text = (): unknown =>
    random.pick(["a", "b", "abc", "", "1", "2026-01-01", "2026-01-01T00:00:00Z", "10.0.0.1"]);
  if (schema["x-kubernetes-int-or-string"] === true) return random.pick<unknown>([1, "1", "x"]);
  if (schema["x-kubernetes-embedded-resource"] === true) {
    return {
      apiVersion: "v1",
      kind: "X",
      metadata: { name: "n", ...(random.chance(0.3) ? { labels: { a: "b" }, zz: 1 } : {}) },
      x: 1,
    };
  }
  switch (schema["type"]) {
    case "string":
      return Array.isArray(schema["enum"]) && schema["enum"].length > 0 && random.chance(0.8)
        ? random.pick(schema["enum"] as string[])
        : text();
    case "integer":
      return random.below(5);
    case "number":
      return random.pick([0, 1, 0.5, 2, 2.25]);
    case "boolean":
      return random.chance(0.5);
    case "array": {
      const items = (schema["items"] ?? {}) as Json;
      return Array.from({ length: random.below(3) }, () => valueFor(random, items, wrong));
    }
    case "object": {
      const known = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
      const required = (schema["required"] ?? []) as string[];
      const made: Json = {};
      for (const [name, child] of known) {
        if (required.includes(name) ? !random.chance(0.03) : random.chance(0.6))
          made[name] = valueFor(random, child, wrong);
      }
      const rest = schema["additionalProperties"];
      if (typeof rest === "object")
        for (const key of random.some(["x", "y"]))
          made[key] = valueFor(random, rest as Json, wrong);
      if (random.chance(0.06)) made["unknown"] = random.pick<unknown>([1, { a: 1 }, null]);
      return made;
    }
    default:
      return random.pick<unknown>(["a", 1, { a: [1] }, [{ b: null }]]);
  }
}

function columns(random: Random): Json {
  if (!random.chance(0.4)) return {};
  return {
    additionalPrinterColumns: [
      {
        name: "A",
        type: random.pick(["string", "integer", "number", "boolean", "date"]),
        jsonPath: ".spec.a",
      },
      {
        name: "B",
        type: "string",
        jsonPath: random.pick([
          ".spec.b",
          ".spec.b[*].k",
          ".spec.c[0]",
          ".spec['a','b']",
          ".spec.b[?(@.k=='a')].a",
          ".metadata.labels.x",
        ]),
        priority: random.below(2),
      },
    ],
  };
}

/** A definition, objects of it, a change of the definition, and changes of the objects. */
export function schemaScenario(random: Random, id: string): Scenario {
  const spec = objectSchema(random, 3);
  const schema: Json = { type: "object", properties: { spec, status: objectSchema(random, 1) } };
  const spoiled = random.chance(0.3);
  if (spoiled) spoil(random, schema);
  const version = (name: string, storage: boolean, of: Json): Json => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: of },
    ...columns(random),
    ...(random.chance(0.5) ? { subresources: { status: {} } } : {}),
  });
  const two = random.chance(0.25);
  const versions = [
    version("v1", true, schema),
    ...(two
      ? [
          version(
            "v2",
            false,
            random.chance(0.5)
              ? schema
              : { type: "object", properties: { spec: objectSchema(random, 2) } },
          ),
        ]
      : []),
  ];
  const definition = widgetDefinition(versions);
  const asked: Step = {
    request: `POST ${CRDS}?dryRun=All`,
    body: definition,
    pick: ["/reason", "/message", "/details", "/spec"],
  };
  if (spoiled) return { id, title: "a schema with something odd", group: "J", steps: [asked] };
  const objects = (name: string): string => `/apis/\${group}/${name}/namespaces/\${ns}/widgets`;
  const made = (name: string, wrong: number, more: Json = {}, of = "v1"): Json => ({
    apiVersion: `\${group}/${of}`,
    kind: "Widget",
    metadata: { name, ...more },
    spec: valueFor(random, spec, wrong),
  });
  const validation = (): string =>
    random.pick(["", "", "?fieldValidation=Strict", "?fieldValidation=Ignore"]);
  const changed = structuredClone(schema);
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const inner = ((changed["properties"] as Json)["spec"] as Json)["properties"] as Record<
      string,
      Json
    >;
    inner[random.pick(NAMES)] = nodeSchema(random, 2);
  }
  const next = widgetDefinition([
    { ...versions[0], schema: { openAPIV3Schema: changed } },
    ...versions.slice(1),
  ]);
  return {
    id,
    title: "objects of a schema, before and after it changes",
    group: "J",
    after: removeDefinition,
    steps: [
      asked,
      ...establish(definition),
      ...Array.from({ length: 5 }, (_, index) => ({
        request: `POST ${objects("v1")}${validation()}`,
        body: made(`a${index}`, random.pick([0, 0, 0.05])),
        ignore: ["/body/metadata/managedFields/*/time"],
      })),
      ...(two ? [{ request: `GET ${objects("v2")}`, unordered: ["/body/items"] }] : []),
      {
        request: `GET ${objects("v1")}`,
        headers: { Accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
        pick: [
          "/columnDefinitions",
          "/rows/0/cells/1",
          "/rows/0/cells/2",
          "/rows/1/cells/1",
          "/rows/1/cells/2",
        ],
        mask: ["^\\d+[smhdy]$"],
      },
      {
        request: `GET ${CRDS}/widgets.\${group}`,
        capture: { crd: "/metadata/resourceVersion" },
        only: "status",
      },
      {
        request: `PUT ${CRDS}/widgets.\${group}`,
        body: { ...next, metadata: { name: "widgets.${group}", resourceVersion: "${crd}" } },
        pick: ["/reason", "/message", "/details"],
      },
      { wait: 1200 },
      ...[0, 1, 2].flatMap((index) => [
        {
          request: `GET ${objects("v1")}/a${index}`,
          capture: { version: "/metadata/resourceVersion" },
          pick: ["/spec", "/reason"],
        },
        {
          request: `PATCH ${objects("v1")}/a${index}${validation()}`,
          body: random.chance(0.3)
            ? { metadata: { labels: { x: "y" } } }
            : { spec: valueFor(random, spec, 0.03) },
          pick: ["/spec", "/status", "/reason", "/message", "/details", "/metadata/generation"],
        },
        {
          request: `PUT ${objects("v1")}/a${index}${validation()}`,
          body: made(`a${index}`, random.pick([0, 0, 0.05]), { resourceVersion: "${version}" }),
          pick: ["/spec", "/status", "/reason", "/message", "/details", "/metadata/generation"],
        },
      ]),
    ],
  };
}
