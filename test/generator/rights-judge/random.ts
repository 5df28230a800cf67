/** Random projects. */
import type { Random } from "../../support/random.ts";
import { CALL_ROUTES } from "./call-routes.ts";
import { CLIENT_ROUTES, METHOD_ROUTES } from "./client-routes.ts";
import { HOSTS } from "./hosts.ts";
import { KIND_ROUTES } from "./kind-routes.ts";
import { POOL } from "./kinds.ts";
import { OPERATIONS, operationNamed } from "./operations.ts";
import { type Deed, named, type Project } from "./project.ts";

/** The largest number of deeds in a project. */
const DEEDS_MAX = 4;
/** The share of projects with one deed, besides those that have one by chance: their warnings have one cause. */
const ALONE = 0.4;
/** The share of choices that are the plainest: combinations of few odd routes say more than those of many. */
const PLAIN = 0.4;

/** Whether the choices of a deed go together. */
export function isSound(host: string, deed: Deed): boolean {
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
  if (kind.isTwo && deed.kind === deed.other) return false;
  if (kind.isUntyped && operation.needsType) return false;
  // Helpers for reads are given a `Reader`, which has no `live` and no writes.
  return deed.methodRoute === METHOD_ROUTES[0]?.name || operation.only !== undefined;
}

function pickRoute<T extends { readonly name: string }>(
  random: Random,
  table: readonly T[],
): string {
  const [plainest] = table;
  return plainest && random.chance(PLAIN) ? plainest.name : random.pick(table).name;
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

/** A random project. */
export function randomProject(random: Random): Project {
  const host = pickRoute(random, HOSTS);
  const count = random.chance(ALONE) ? 1 : 1 + random.below(DEEDS_MAX);
  return { host, deeds: Array.from({ length: count }, () => randomDeed(random, host)) };
}

/** Simpler projects: with a deed less, or with a choice that is the plainest. */
export function* simplerProjects(project: Project): Generator<Project> {
  const { host, deeds } = project;
  if (deeds.length > 1) {
    for (const left of deeds) yield { host, deeds: deeds.filter((deed) => deed !== left) };
  }
  const plainest = {
    kindRoute: KIND_ROUTES[0]?.name ?? "",
    clientRoute: CLIENT_ROUTES[0]?.name ?? "",
    methodRoute: METHOD_ROUTES[0]?.name ?? "",
    callRoute: CALL_ROUTES[0]?.name ?? "",
    operation: "delete",
    kind: "Secret",
    other: "ConfigMap",
  };
  for (const [index, deed] of deeds.entries()) {
    for (const [field, value] of Object.entries(plainest)) {
      if (deed[field as keyof Deed] === value) continue;
      const simpler = { ...deed, [field]: value };
      if (isSound(host, simpler)) yield { host, deeds: deeds.with(index, simpler) };
    }
  }
  const [plainHost] = HOSTS;
  if (plainHost && host !== plainHost.name) yield { host: plainHost.name, deeds };
}
