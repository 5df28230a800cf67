/**
 * Variations of recorded scenarios: the same requests with a part left out, wrong, or sent in
 * another form.
 */
import { isJsonObject } from "../../../src/kube/json.ts";
import type { Random } from "../../../test/support/random.ts";
import type { Json, Scenario, Step } from "./scenario.ts";

/**
 * Fields that keep one scenario's policies, webhooks and quotas away from the objects of another.
 */
const FENCES = new Set([
  "matchConstraints",
  "matchLabels",
  "matchResources",
  "namespaceSelector",
  "objectSelector",
  "resourceRules",
  "rules",
  "webhooks",
]);

const PATCHES = ["merge-patch", "strategic-merge-patch", "json-patch", "apply-patch"];
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  GET: [
    "limit=1",
    "limit=-1",
    "resourceVersion=0",
    "resourceVersion=x",
    "resourceVersion=0&resourceVersionMatch=NotOlderThan",
    "resourceVersionMatch=Exact",
    "labelSelector=a%3Db",
    "labelSelector=a%20in%20(b",
    "fieldSelector=metadata.name%3Da",
    "fieldSelector=spec.unknown%3Da",
    "pretty=true",
  ],
  DELETE: [
    "dryRun=All",
    "gracePeriodSeconds=0",
    "gracePeriodSeconds=-1",
    "propagationPolicy=Orphan",
    "propagationPolicy=Foreground",
    "propagationPolicy=Odd",
    "orphanDependents=true",
    "labelSelector=a%3Db",
  ],
  WRITE: [
    "dryRun=All",
    "dryRun=Some",
    "fieldValidation=Strict",
    "fieldValidation=Ignore",
    "fieldValidation=Odd",
    "fieldManager=other",
    "fieldManager=",
    "force=true",
    "force=false",
  ],
};
/** Names of files of the server, and versions within texts. */
const MASKS = [
  'in scheme "[^"]*"',
  'resourceVersion: "\\d+"',
  '\\\\*"resourceVersion\\\\*":\\\\*"\\d+',
];
const ACCEPTS = [
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
  "application/yaml",
  "text/plain",
  "*/*",
];

/** Varies one or two requests of a scenario. Recorded answers are removed. */
export function vary(random: Random, scenario: Scenario, id: string): Scenario {
  const steps = scenario.steps.map(withoutChance);
  const requests = steps.flatMap((step, index) => (isPlain(step) ? [index] : []));
  for (let left = random.pick([1, 1, 2]); left > 0 && requests.length > 0; left--) {
    const index = random.pick(requests);
    const step = steps[index];
    if (step) steps[index] = varied(random, step);
  }
  if (random.chance(0.1) && requests.length > 0) {
    const index = random.pick(requests);
    const step = steps[index];
    // A step whose answer is not used may be removed or repeated.
    if (step && step["capture"] === undefined) {
      if (random.chance(0.5)) steps.splice(index, 1);
      else steps.splice(index, 0, step);
    }
  }
  return { ...scenario, id, title: `variation of ${scenario.id}`, steps };
}

/** Removes fields that differ between any two servers, and waits that may be in vain now. */
function withoutChance(step: Step): Step {
  const mask = (step["mask"] as string[] | undefined) ?? [];
  return {
    ...step,
    answer: undefined,
    mask: [...new Set([...mask, ...MASKS])],
    ...(step["until"] !== undefined && { within: 4000 }),
  };
}

/** Whether the answer of this step is not used. */
function isPlain(step: Step): boolean {
  return typeof step["request"] === "string" && step["until"] === undefined;
}

function varied(random: Random, step: Step): Step {
  const [method = "", path = ""] = (step["request"] as string).split(/ (.*)/s);
  const body = step["body"];
  const way = random.next();
  if (isJsonObject(body) && way < 0.7) return { ...step, body: spoilt(random, body) };
  if (method === "PATCH" && way < 0.8) {
    const headers = { ...(step["headers"] as Json | undefined) };
    const name = Object.keys(headers).find((one) => one.toLowerCase() === "content-type");
    const type = `application/${random.pick(PATCHES)}+${random.chance(0.8) ? "json" : "yaml"}`;
    return { ...step, headers: { ...headers, [name ?? "content-type"]: type } };
  }
  if (way < 0.85) {
    return {
      ...step,
      headers: { ...(step["headers"] as Json | undefined), accept: random.pick(ACCEPTS) },
    };
  }
  const query = random.pick(QUERIES[method] ?? QUERIES["WRITE"] ?? []);
  return { ...step, request: `${method} ${path}${path.includes("?") ? "&" : "?"}${query}` };
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** A copy of a body with one changed place. */
function spoilt(random: Random, body: Json): Json {
  const copy = structuredClone(body);
  const places = placesIn(copy).filter(([, key]) => key !== "apiVersion" || random.chance(0.2));
  if (places.length === 0) return copy;
  const [holder, key] = random.pick(places);
  const old = Array.isArray(holder) ? holder[key as number] : holder[key];
  const made = other(random, key, old);
  if (made === undefined) {
    if (Array.isArray(holder)) holder.splice(key as number, 1);
    else delete holder[key];
  } else (holder as Json)[key] = made;
  return copy;
}

type Place = readonly [holder: Json | unknown[], key: string | number];

function placesIn(value: unknown): Place[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index): Place[] => [[value, index], ...placesIn(item)]);
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value)
    .filter(([key]) => !FENCES.has(key))
    .flatMap(([key, item]): Place[] => [[value, key], ...placesIn(item)]);
}

/** A random replacement; `undefined` for none. */
function other(random: Random, key: string | number, old: unknown): unknown {
  if (random.chance(0.25)) return undefined;
  if (random.chance(0.08)) return null;
  if (key === "name")
    return random.pick(["", "-x", "A.b", "a/b", "x".repeat(64), "x".repeat(254), 7]);
  if (typeof old === "string") {
    return random.pick<unknown>([
      "",
      `${old}x`,
      old.toUpperCase(),
      `${old} `,
      "-",
      5,
      true,
      [old],
      {},
    ]);
  }
  if (typeof old === "number") {
    return random.pick<unknown>([
      0,
      -1,
      old + 1,
      1.5,
      2 ** 31,
      2 ** 53,
      70_000,
      String(old),
      "x",
      {},
    ]);
  }
  if (typeof old === "boolean") return random.pick<unknown>([!old, !old, String(old), 0, {}]);
  if (isList(old)) {
    return random.pick<unknown>([
      [],
      [...old, ...old.slice(0, 1)],
      [...old].reverse(),
      {},
      "x",
      [null],
    ]);
  }
  if (isJsonObject(old))
    return random.pick<unknown>([{}, { ...old, unknownField: "x" }, [], "x", [old]]);
  return random.pick<unknown>(["x", 0, {}, []]);
}
