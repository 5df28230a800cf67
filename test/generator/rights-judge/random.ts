/** Random projects. */
import type { Random } from "../../support/random.ts";
import { CALL_ROUTES } from "./call-routes/call-routes.ts";
import { CLIENT_ROUTES, METHOD_ROUTES } from "./client-routes.ts";
import { FEATURES } from "./features.ts";
import { HOSTS } from "./hosts.ts";
import { KIND_ROUTES } from "./kind-routes.ts";
import { PAGE, POOL, type PoolKind } from "./kinds.ts";
import { OPERATIONS, operationNamed } from "./operations.ts";
import { type Chosen, type Deed, named, PLAIN, type Project } from "./project.ts";
import { WIRINGS } from "./wirings.ts";

/** The largest number of deeds in a project. */
const DEEDS_MAX = 4;
/** The share of projects with one deed, besides those that have one by chance: their warnings have one cause. */
const ALONE = 0.4;
/** The share of choices that are the plainest: combinations of few odd routes say more than those of many. */
const PLAIN_SHARE = 0.4;
/** The largest number of features in a project. */
const FEATURES_MAX = 2;

/** The ways to a call that hand on a client alone. */
const FIXED_ROUTES = new Set(
  CALL_ROUTES.filter(({ isOfClient }) => isOfClient).map(({ name }) => name),
);

/** Whether the choices of a deed go together. */
function isSound(host: string, deed: Deed): boolean {
  const { isClass = false } = named(HOSTS, host);
  const operation = operationNamed(deed.operation);
  const kind = named(KIND_ROUTES, deed.kindRoute);
  const call = named(CALL_ROUTES, deed.callRoute);
  const client = named(CLIENT_ROUTES, deed.clientRoute);
  if (!isClass && (kind.needsClass || call.needsClass || client.needsClass)) return false;
  const kinds = POOL.filter(
    ({ name }) => name === deed.kind || (kind.isTwo && name === deed.other),
  );
  if (!kinds.every((one) => operation.fits(one))) return false;
  // Its code does not mention the kind, which a route would name for nothing.
  const isPlain = deed.kindRoute === KIND_ROUTES[0]?.name && FIXED_ROUTES.has(deed.callRoute);
  if (operation.isFixed && !isPlain) return false;
  if (kind.isTwo && deed.kind === deed.other) return false;
  if (kind.isUntyped && operation.needsType) return false;
  // Helpers for reads are given a `Reader`, which has no `live` and no writes.
  return deed.methodRoute === METHOD_ROUTES[0]?.name || operation.only !== undefined;
}

function pickRoute(random: Random, table: readonly { readonly name: string }[]): string {
  const [plainest] = table;
  return plainest && random.chance(PLAIN_SHARE) ? plainest.name : random.pick(table).name;
}

function randomDeed(random: Random, host: string): Deed {
  for (;;) {
    const deed = {
      operation: random.pick(OPERATIONS).name,
      kind: random.pick(POOL).name,
      other: random.pick(POOL).name,
      kindRoute: pickRoute(random, KIND_ROUTES),
      clientRoute: pickRoute(random, CLIENT_ROUTES),
      methodRoute: pickRoute(random, METHOD_ROUTES),
      callRoute: pickRoute(random, CALL_ROUTES),
    };
    if (isSound(host, deed)) return deed;
  }
}

const isNamespaced = ({ namespaced }: PoolKind): boolean => namespaced;

function randomFeature(random: Random): Chosen {
  const { name: feature, fits = isNamespaced } = random.pick(FEATURES);
  return {
    feature,
    kind: random.pick(POOL.filter((kind) => fits(kind) && kind.name !== PAGE)).name,
  };
}

/** Features of which a project has one at most. */
const groupOf = (feature: string): string =>
  feature.startsWith("leader election") ? "leader election" : feature;

function randomFeatures(random: Random): Chosen[] {
  const count = random.chance(PLAIN_SHARE) ? 0 : random.below(FEATURES_MAX + 1);
  const chosen = Array.from({ length: count }, () => randomFeature(random));
  return chosen.filter(
    ({ feature }, index) =>
      chosen.findIndex((one) => groupOf(one.feature) === groupOf(feature)) === index,
  );
}

/** A random project. */
export function randomProject(random: Random): Project {
  const host = pickRoute(random, HOSTS);
  const wiring = pickRoute(random, WIRINGS);
  const count = random.chance(ALONE) ? 1 : 1 + random.below(DEEDS_MAX);
  const deeds = Array.from({ length: count }, () => randomDeed(random, host));
  return { host, wiring, features: randomFeatures(random), deeds };
}

/** The deed that says the least. */
export const PLAIN_DEED: Deed = {
  kindRoute: KIND_ROUTES[0]?.name ?? "",
  clientRoute: CLIENT_ROUTES[0]?.name ?? "",
  methodRoute: METHOD_ROUTES[0]?.name ?? "",
  callRoute: CALL_ROUTES[0]?.name ?? "",
  operation: "delete",
  kind: "Secret",
  other: "ConfigMap",
};

/** The same reconciler without any detour; `undefined` where routes lead to other rights. */
export function straight({ deeds, ...project }: Project): Project | undefined {
  const isOther = deeds.some(
    ({ kindRoute, clientRoute }) =>
      named(KIND_ROUTES, kindRoute).isTwo === true ||
      named(CLIENT_ROUTES, clientRoute).isLive === true,
  );
  if (isOther) return undefined;
  const { kindRoute, clientRoute, methodRoute, callRoute } = PLAIN_DEED;
  return {
    ...project,
    deeds: deeds.map((deed) => ({ ...deed, kindRoute, clientRoute, methodRoute, callRoute })),
  };
}

/** Simpler projects: with a feature or a deed less, or with a choice that is the plainest. */
export function* simplerProjects(project: Project): Generator<Project> {
  const { host, wiring, features, deeds } = project;
  for (const left of deeds) yield { ...project, deeds: deeds.filter((deed) => deed !== left) };
  for (const left of features)
    yield { ...project, features: features.filter((one) => one !== left) };
  for (const [index, deed] of deeds.entries()) {
    for (const [field, value] of Object.entries(PLAIN_DEED)) {
      if (deed[field as keyof Deed] === value) continue;
      const simpler = { ...deed, [field]: value };
      if (isSound(host, simpler)) yield { ...project, deeds: deeds.with(index, simpler) };
    }
  }
  if (wiring !== PLAIN.wiring) yield { ...project, wiring: PLAIN.wiring };
  if (host !== PLAIN.host) yield { ...project, host: PLAIN.host };
}
