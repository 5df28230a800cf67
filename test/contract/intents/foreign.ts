/** Random changes of objects by other field managers, in all ways that the API has. */
import { jsonPatch, mergePatch, type Client } from "../../../src/index.ts";
import { copyJson, isJsonObject } from "../../../src/kube/json.ts";
import type { KubeObject, SentObject } from "../../../src/kube/object.ts";
import type { ResourceType } from "../../../src/kube/resource.ts";
import { StatusError } from "../../../src/kube/status.ts";
import type { Random } from "../../support/random.ts";
import {
  type Donors,
  donorsOf,
  mutate,
  type Mutation,
  mutationsOf,
} from "../../controlplane/builtin/differential/mutations.ts";
import type { Named } from "./judge.ts";

const ANOTHER = { fieldManager: "another" };
const NO_DONORS = donorsOf([]);

/** The kind and the object of a change, and what chooses it. */
interface Subject {
  readonly client: Client;
  readonly token: ResourceType;
  readonly intent: Named;
  readonly random: Random;
}

type Change = (subject: Subject, object: KubeObject) => Promise<unknown>;

const CHANGES: Readonly<Record<string, Change>> = {
  update: ({ client, token, random }, object) =>
    client.update(token, changed(object, random) as never, ANOTHER),
  "update of a field of the intent": ({ client, token, intent, random }, object) =>
    client.update(token, mutate(object, [changeOf(intent, random)]) as never, ANOTHER),
  "forced apply": ({ client, token, intent, random }) =>
    client.apply(token, changed(intent, random) as never, ANOTHER),
  "apply of the same": ({ client, token, intent }) => client.apply(token, intent, ANOTHER),
  "apply of nothing": ({ client, token, intent }) =>
    client.apply(token, { metadata: keyIn(intent) }, ANOTHER),
  "forced apply that is taken back": async ({ client, token, intent, random }) => {
    await client.apply(token, changed(intent, random) as never, ANOTHER);
    await client.apply(token, { metadata: keyIn(intent) }, ANOTHER);
  },
  "forced apply, then the value of the intent": async ({ client, token, intent, random }) => {
    await client.apply(token, changed(intent, random) as never, ANOTHER);
    await client.apply(token, intent, ANOTHER);
  },
  labels: ({ client, token, intent, random }) =>
    client.patch(
      token,
      keyIn(intent),
      mergePatch({ metadata: { labels: { theirs: String(random.below(9)) } } }),
      ANOTHER,
    ),
  "change by its own manager, not as an apply": ({ client, token, intent, random }, object) =>
    client.update(token, mutate(object, [changeOf(intent, random)]) as never, {
      fieldManager: "intents",
    }),
  "loss of all managers": ({ client, token, intent }) =>
    client.patch(
      token,
      keyIn(intent),
      jsonPatch([{ op: "replace", path: "/metadata/managedFields", value: [{}] }]),
      ANOTHER,
    ),
  deletion: ({ client, token, intent }) => client.delete(token, keyIn(intent)),
  "deletion and creation": async ({ client, token, intent }) => {
    await client.delete(token, keyIn(intent));
    await client.create(token, intent, ANOTHER);
  },
  status: ({ client, random }, object) =>
    client.status.patch(object as never, { observedGeneration: random.below(9) }, ANOTHER),
};

/**
 * Changes an object as others do, in a way that the server accepts.
 *
 * @returns the way
 */
export async function changeByAnother(subject: Subject): Promise<string> {
  const { client, token, intent, random } = subject;
  for (let attempt = 0; attempt < 20; attempt++) {
    const [name, change] = random.pick(Object.entries(CHANGES));
    const object = await client.find(token, intent.metadata);
    if (!object) return "none";
    try {
      await change(subject, object);
      return name;
    } catch (error) {
      // The change is not valid, or it is of a status that the kind lacks.
      if (!(error instanceof StatusError)) throw error;
    }
  }
  return "none";
}

function keyIn({ metadata: { name, namespace } }: Named): { name: string; namespace?: string } {
  return { name, ...(namespace !== undefined && { namespace }) };
}

/** A copy with one to three changes. */
function changed<T extends SentObject>(object: T, random: Random): T {
  let copy = object;
  for (let count = 1 + random.below(3); count > 0; count--) {
    copy = mutate(copy, [changeOf(copy, random)]);
  }
  return copy;
}

interface Place {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** A change of one place: by the schema of a built-in kind, or of what is there. */
function changeOf(object: SentObject, random: Random): Place {
  if (!object.apiVersion.includes("example.com") && random.chance(0.5)) {
    return random.pick(changesOf(object, NO_DONORS));
  }
  const { path, value } = random.pick(placesIn(object));
  return { path, value: otherThan(value, random) };
}

const OWN_METADATA = new Set(["labels", "annotations"]);

/** The changes of a built-in object by its schema; its owners, finalizers and deletion stay. */
export function changesOf(object: SentObject, donors: Donors): Mutation[] {
  return mutationsOf(object, "object", donors).filter(
    ({ path: [first, second] }) => first !== "metadata" || OWN_METADATA.has(String(second)),
  );
}

const FIXED = new Set(["apiVersion", "kind", "metadata", "status"]);

function placesIn(object: SentObject): Place[] {
  const places: Place[] = [{ path: ["metadata", "labels"], value: { app: "a" } }];
  const walk = (value: unknown, path: Place["path"]): void => {
    places.push({ path, value });
    if (Array.isArray(value)) value.forEach((item, index) => walk(item, [...path, index]));
    else if (isJsonObject(value)) {
      for (const [field, part] of Object.entries(value)) walk(part, [...path, field]);
    }
  };
  for (const [field, value] of Object.entries(object)) if (!FIXED.has(field)) walk(value, [field]);
  return places;
}

function otherThan(value: unknown, random: Random): unknown {
  if (random.chance(0.2)) return undefined;
  if (Array.isArray(value)) {
    return random.pick([value.toReversed(), value.slice(1), [...value, ...copyJson(value)]]);
  }
  if (isJsonObject(value)) return random.pick([{}, { ...value, theirs: "1" }]);
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  return random.pick(["other", "500m", "3", "app:2"]);
}
