/** The reconciles that say why an object is as it is. Pure. */
import { UsageError, TsopError } from "../../errors.ts";
import type { JournalEntry, JournalObject } from "../../runtime/journal/entry.ts";
import { isTarget, objectText, reconciledObject, type Target } from "./target.ts";

/** The reconciles that have to do with an object, the oldest first. */
export interface Reasons {
  readonly object: JournalObject;
  readonly entries: readonly JournalEntry[];
  /** How many of them changed nothing, did not fail, and are not among the entries. */
  readonly quiet: number;
  /** How many older ones are not among the entries. */
  readonly older: number;
}

/** How many are chosen. */
export interface Choice {
  readonly last: number;
  /** Also reconciles that changed nothing. */
  readonly all: boolean;
}

const SHOWN_OBJECTS = 8;

/**
 * The last reconciles that were for the object, or wrote it, or ran because it changed, with those whose writes led to them.
 *
 * @throws TsopError `not-in-journal`, UsageError `target-in-namespaces`
 */
export function reasonsFor(
  target: Target,
  entries: readonly JournalEntry[],
  { last, all }: Choice,
): Reasons {
  const object = theOne(target, entries);
  const meant: Target = {
    ...target,
    ...(object.namespace === undefined ? {} : { namespace: object.namespace }),
  };
  const about = entries.filter((entry) => objectsOf(entry).some((one) => isTarget(one, meant)));
  const telling = all ? about : about.filter(changedSomething);
  const chosen = last > 0 ? telling.slice(-last) : [];
  // If nothing was ever changed, the last reconcile of the object says so.
  if (chosen.length === 0 && about.length > 0) chosen.push(...about.slice(-1));
  const shown = withOrigins(chosen, entries);
  const left = about.filter((entry) => !shown.includes(entry));
  const quiet = left.filter((entry) => !changedSomething(entry)).length;
  return { object, entries: shown, quiet, older: left.length - quiet };
}

/** Whether it changed something, or failed. */
export function changedSomething({ writes, error }: JournalEntry): boolean {
  return error !== undefined || writes.some(({ unchanged }) => unchanged !== true);
}

function objectsOf(entry: JournalEntry): JournalObject[] {
  const reconciled = reconciledObject(entry);
  return [
    ...(reconciled ? [reconciled] : []),
    ...entry.writes.map(({ object }) => object),
    ...entry.causes.flatMap(({ object }) => object ?? []),
  ];
}

/** Whether a reconcile concerns such an object. */
export const concerns = (entries: readonly JournalEntry[], target: Target): boolean =>
  entries.some((entry) => objectsOf(entry).some((object) => isTarget(object, target)));

/** The one object that is meant. */
function theOne(target: Target, entries: readonly JournalEntry[]): JournalObject {
  const found = new Map<string, JournalObject>();
  for (const object of entries.flatMap(objectsOf)) {
    if (!isTarget(object, target)) continue;
    const { kind, resource, namespace, name } = object;
    found.set(`${namespace ?? ""} ${kind ?? ""}`, {
      resource,
      ...(kind === undefined ? {} : { kind }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
    });
  }
  const [object] = found.values();
  if (!object) throw notThere(target, entries);
  const namespaces = new Set([...found.values()].map(({ namespace }) => namespace));
  if (namespaces.size === 1) return object;
  throw new UsageError(
    "target-in-namespaces",
    `There are several ${target.kind}/${target.name}: in ${[...namespaces].join(", ")}.`,
    "Choose one with `-n NAMESPACE`.",
  );
}

function notThere({ kind, name, namespace }: Target, entries: readonly JournalEntry[]): TsopError {
  const known = new Set(entries.flatMap(objectsOf).map(objectText));
  const shown = [...known].slice(0, SHOWN_OBJECTS).join(", ");
  const more = known.size - SHOWN_OBJECTS;
  const where = namespace === undefined ? "" : ` in ${namespace}`;
  return new TsopError(
    "not-in-journal",
    `No reconcile in the journal concerns ${kind}/${name}${where}.`,
    known.size === 0
      ? "The operator has reconciled nothing yet: apply an object of its kinds."
      : `Check the name, or ask about the owner of the object; the journal has ${shown}${more > 0 ? ` and ${more} more` : ""}.`,
  );
}

/** The reconciles, with those whose writes led to them, and so on. */
function withOrigins(
  chosen: readonly JournalEntry[],
  entries: readonly JournalEntry[],
): JournalEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const kept = new Set<JournalEntry>(chosen);
  // A set hands out what is added while it is gone through.
  for (const { causes } of kept) {
    for (const { writtenBy } of causes) {
      const origin = writtenBy === undefined ? undefined : byId.get(writtenBy);
      if (origin) kept.add(origin);
    }
  }
  return [...kept].sort((a, b) => a.atMs - b.atMs || a.number - b.number);
}
