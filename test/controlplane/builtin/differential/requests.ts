/**
 * The requests that a mutated object makes: create, update, patches, apply, status; all of them dry runs, so that
 * each meets the same stored object.
 */
import type { SentObject } from "../../../../src/kube/object.ts";
import type { Random } from "../../../support/random.ts";
import { NAMESPACE } from "./bases.ts";
import { type Donors, type Mutation, mutate, mutationsOf } from "./mutations.ts";

/** One question. */
export interface Question {
  /** `Deployment d update spec.replicas="x"`. */
  readonly title: string;
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: unknown;
}

type Operation = "create" | "update" | "merge" | "strategic" | "json" | "apply" | "status";

/** What stands in a body where the version of the stored object belongs. */
export const STORED_VERSION = "@version";

/** Where objects of a kind are kept. */
export interface Place {
  readonly collection: string;
  readonly hasStatus: boolean;
}

/** The path of the collection of a kind. */
export function placeOf(
  object: SentObject,
  resources: readonly {
    group: string;
    version: string;
    kind: string;
    plural: string;
    namespaced: boolean;
    subresources: readonly { name: string }[];
  }[],
): Place {
  const { apiVersion, kind } = object;
  const [group = "", version = ""] = apiVersion.includes("/")
    ? apiVersion.split("/")
    : ["", apiVersion];
  const resource = resources.find(
    (one) => one.group === group && one.version === version && one.kind === kind,
  );
  if (!resource) throw new Error(`${apiVersion} ${kind} is not served`);
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const { plural, namespaced, subresources } = resource;
  return {
    collection: namespaced ? `${root}/namespaces/${NAMESPACE}/${plural}` : `${root}/${plural}`,
    hasStatus: subresources.some(({ name }) => name === "status"),
  };
}

const withoutStatus = (object: SentObject): SentObject => {
  const copy = structuredClone(object) as SentObject & { status?: unknown };
  delete copy.status;
  return copy;
};

const versioned = (object: SentObject): SentObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: STORED_VERSION },
});

const titleOf = (mutations: readonly Mutation[]): string =>
  mutations
    .map(
      ({ path, value }) =>
        `${path.join(".")}=${value === undefined ? "-" : JSON.stringify(value).slice(0, 60)}`,
    )
    .join(" ");

/** The mutated value as a merge patch: whole values, lists included. */
function mergePatchOf(object: SentObject, { path, value }: Mutation): unknown {
  const inList = path.findIndex((step) => typeof step === "number");
  const fields = inList === -1 ? path : path.slice(0, inList);
  let to: unknown = value ?? null;
  if (inList !== -1) {
    to = mutate(object, [{ path, value }]);
    for (const field of fields) to = (to as Record<string, unknown>)[field];
  }
  return fields.reduceRight<unknown>((inner, field) => ({ [field]: inner }), to);
}

function jsonPatchOf({ path, value }: Mutation): unknown {
  const pointer = path
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
  return [
    value === undefined ? { op: "remove", path: pointer } : { op: "add", path: pointer, value },
  ];
}

/** Asks one thing about a stored (or, for `create`, an absent) object. */
function question(
  object: SentObject,
  { collection }: Place,
  operation: Operation,
  mutations: readonly Mutation[],
): Question {
  const { name } = object.metadata;
  const [first] = mutations;
  const title = `${object.kind} ${name} ${operation} ${titleOf(mutations)}`;
  const one = `${collection}/${encodeURIComponent(name ?? "")}`;
  const plain = withoutStatus(object);
  const ask = (
    method: string,
    path: string,
    body: unknown,
    contentType = "application/json",
  ): Question => ({
    title,
    operation,
    method,
    path: `${path}?dryRun=All${operation === "apply" ? "&fieldManager=applier&force=true" : ""}`,
    contentType,
    body,
  });
  switch (operation) {
    case "create":
      return ask("POST", collection, mutate(plain, mutations));
    case "update":
      return ask("PUT", one, mutate(versioned(plain), mutations));
    case "status":
      return ask("PUT", `${one}/status`, mutate(versioned(object), mutations));
    case "apply":
      return ask("PATCH", one, mutate(plain, mutations), "application/apply-patch+yaml");
    case "json":
      return ask("PATCH", one, first ? jsonPatchOf(first) : [], "application/json-patch+json");
    case "merge":
    case "strategic":
      return ask(
        "PATCH",
        one,
        first ? mergePatchOf(plain, first) : {},
        `application/${operation === "merge" ? "merge" : "strategic-merge"}-patch+json`,
      );
  }
}

/** Everything that a base object can be asked: each mutation once as a create and as an update, of the status, too. */
export function allQuestions(object: SentObject, place: Place, donors: Donors): Question[] {
  const mutations = mutationsOf(withoutStatus(object), "object", donors);
  const ofStatus =
    place.hasStatus && "status" in object ? mutationsOf(object, "status", donors) : [];
  return [
    question(object, place, "create", []),
    question(object, place, "update", []),
    ...mutations.map((mutation) => question(object, place, "create", [mutation])),
    ...mutations.map((mutation) => question(object, place, "update", [mutation])),
    ...ofStatus.map((mutation) => question(object, place, "status", [mutation])),
  ];
}

const OPERATIONS: readonly Operation[] = [
  "create",
  "create",
  "update",
  "update",
  "merge",
  "strategic",
  "json",
  "apply",
  "status",
];

/** `count` questions by chance: one to three changes at a time, through any kind of request. */
export function someQuestions(
  object: SentObject,
  place: Place,
  donors: Donors,
  { random, count }: { random: Random; count: number },
): Question[] {
  const mutations = mutationsOf(withoutStatus(object), "object", donors);
  const ofStatus =
    place.hasStatus && "status" in object ? mutationsOf(object, "status", donors) : [];
  return Array.from({ length: count }, () => {
    const wanted = random.pick(OPERATIONS);
    const operation = wanted === "status" && ofStatus.length === 0 ? "create" : wanted;
    const from = operation === "status" ? ofStatus : mutations;
    const several = ["create", "update", "apply"].includes(operation) && random.chance(0.3);
    const changes = Array.from({ length: several ? 2 + random.below(2) : 1 }, () =>
      random.pick(from),
    );
    return question(object, place, operation, changes);
  });
}
