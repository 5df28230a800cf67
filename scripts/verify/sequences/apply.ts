/** Server-side apply: several managers who apply, force, patch and replace parts of one object. */
import { BUILT_IN, pod } from "./built-ins.ts";
import type { Random } from "../../../test/support/random.ts";
import {
  type Json,
  type Scenario,
  type Step,
  establish,
  removeDefinition,
  widgetDefinition,
} from "./scenario.ts";
import { type Value, mapOf, struct, text } from "./values.ts";
import { type Target, widget, widgetSchema } from "./widgets.ts";

const metadataPart: Value = struct(
  {
    labels: mapOf((random) => random.pick(["a", "b"])),
    annotations: mapOf(text),
    finalizers: (random) => random.some(["example.com/a", "example.com/b"]),
  },
  [],
  0.2,
);

const APPLY = "application/apply-patch+yaml";
const unordered = ["/body/metadata/managedFields", "/body/details/causes"];

function step(random: Random, target: Target, first: boolean): Step[] {
  const { path, apiVersion } = target.collection(random);
  const one = `${path}/${target.name}`;
  const metadata = { name: target.name, ...(metadataPart(random) as Json) };
  const head = { apiVersion, kind: target.kind, metadata };
  const statusToo = target.status !== undefined && !first && random.chance(0.2);
  const part: Json = statusToo
    ? { status: target.status(random) }
    : target.part(random, first || random.chance(0.3));
  const where = statusToo ? `${one}/status` : one;
  const options = random.chance(0.06) ? "&dryRun=All" : "";
  const dice = random.below(100);
  if (first && dice < 25) {
    return [
      {
        request: `POST ${path}?fieldManager=creator${options}`,
        body: { ...head, ...part },
        unordered,
      },
    ];
  }
  if (first || dice < 60) {
    const force = random.chance(0.35) ? "&force=true" : "";
    const manager = random.pick(["a", "b", "c"]);
    return [
      {
        request: `PATCH ${where}?fieldManager=${manager}${force}${options}`,
        headers: { "Content-Type": APPLY },
        body: { ...head, ...part },
        unordered,
      },
    ];
  }
  const manager = random.pick(["a", "u", "v"]);
  if (dice < 80) {
    return [
      {
        request: `PATCH ${where}?fieldManager=${manager}${options}`,
        headers: { "Content-Type": "application/merge-patch+json" },
        body: random.chance(0.3)
          ? { metadata: { ...(metadataPart(random) as Json) }, ...part }
          : part,
        unordered,
      },
    ];
  }
  if (dice < 96) {
    return [
      { request: `GET ${one}`, capture: { version: "/metadata/resourceVersion" }, only: "status" },
      {
        request: `PUT ${where}?fieldManager=${manager}${options}`,
        body: {
          ...head,
          metadata: { ...metadata, resourceVersion: "${version}" },
          ...(statusToo ? part : target.part(random, true)),
        },
        unordered,
      },
    ];
  }
  return [
    {
      request: `PATCH ${one}?fieldManager=${manager}`,
      headers: { "Content-Type": "application/json-patch+json" },
      body: [
        random.pick<unknown>([
          { op: "replace", path: "/metadata/managedFields", value: [{}] },
          { op: "add", path: "/metadata/labels", value: { x: "b" } },
          { op: "remove", path: "/spec" },
        ]),
      ],
      unordered,
    },
  ];
}

/** One scenario of 6 to 14 writes to a custom or a built-in object. */
export function applyScenario(random: Random, id: string): Scenario {
  const custom = random.chance(0.5);
  const count = 6 + random.below(9);
  const versions = random.chance(0.3) ? ["v1", "v2"] : ["v1"];
  const target = custom ? widget(versions) : random.pick(BUILT_IN);
  const schema = { openAPIV3Schema: widgetSchema(random) };
  const definition = widgetDefinition(
    versions.map((name, index) => ({
      name,
      served: true,
      storage: index === versions.length - 1,
      schema,
      subresources: { status: {} },
    })),
  );
  return {
    id,
    title: `writes of several managers to a ${target.kind}`,
    group: id.slice(0, 1),
    after: custom ? removeDefinition : [],
    steps: [
      ...(custom ? establish(definition) : []),
      ...(target === pod
        ? [
            {
              request: "POST /api/v1/namespaces/${ns}/serviceaccounts",
              body: { metadata: { name: "default" } },
              only: "status",
            },
          ]
        : []),
      ...Array.from({ length: count }, (_, index) => step(random, target, index === 0)).flat(),
    ],
  };
}
