/** Finds the reconciles and events about an object, and summarizes reconciles. Pure. */
import type { PageEvent, PageObject, PageReconcile } from "../cli/page/protocol.ts";

/** The fields of a name that identify an object. */
export type NamedObject = Pick<PageObject, "resource" | "kind" | "name" | "namespace">;

/** Whether a reconcile was for the object, wrote it, or ran because of it. */
export function isReconcileAbout(entry: PageReconcile, object: NamedObject): boolean {
  const { resource, kind, namespace, name } = entry;
  if (isSameObject({ resource: resource ?? "", kind, namespace, name }, object)) return true;
  return (
    entry.writes.some((write) => isSameObject(write.object, object)) ||
    entry.causes.some((cause) => cause.object !== undefined && isSameObject(cause.object, object))
  );
}

export function isEventAbout(event: PageEvent, object: NamedObject): boolean {
  return (
    event.kind === object.kind &&
    event.name === object.name &&
    (event.namespace ?? "") === (object.namespace ?? "")
  );
}

interface Named {
  readonly resource: string;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

function isSameObject(one: Named, object: NamedObject): boolean {
  if (one.name !== object.name || (one.namespace ?? "") !== (object.namespace ?? "")) return false;
  return one.resource === object.resource || (one.resource === "" && one.kind === object.kind);
}

/** Whether the reconcile changed something, or failed. */
export function isTelling({ writes, error }: PageReconcile): boolean {
  return error !== undefined || writes.some(({ unchanged }) => unchanged !== true);
}

/** The outcome of a reconcile, in the words of the page. */
export type Ending = "failed" | "wrote" | "quiet";

export function endingOf(entry: PageReconcile): Ending {
  if (entry.error) return "failed";
  return isTelling(entry) ? "wrote" : "quiet";
}

/** The occurrences of one error at one place. */
export interface ErrorGroup {
  readonly id: string;
  /** The last occurrence. */
  readonly last: PageReconcile;
  readonly error: NonNullable<PageReconcile["error"]>;
  readonly count: number;
  /** Whether a later reconcile of the last one's object succeeded. */
  readonly isOver: boolean;
}

/** Errors of reconciles, the latest first. */
export function errorGroups(entries: readonly PageReconcile[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  const well = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    if (!entry.error) well.set(keyOf(entry), index);
  }
  for (const [index, entry] of entries.entries()) {
    const { error, controller } = entry;
    if (!error) continue;
    const id = JSON.stringify([controller, error.place, error.message]);
    const count = (groups.get(id)?.count ?? 0) + 1;
    groups.delete(id);
    const isOver = (well.get(keyOf(entry)) ?? -1) > index;
    groups.set(id, { id, last: entry, error, count, isOver });
  }
  return [...groups.values()].reverse();
}

const keyOf = ({ controller, namespace, name }: PageReconcile): string =>
  `${controller} ${namespace ?? ""}/${name}`;

/** The errors of the objects whose last reconcile failed, by uid. */
export function failingObjects(
  objects: Iterable<PageObject>,
  entries: readonly PageReconcile[],
): Map<string, string> {
  const last = new Map<string, PageReconcile>();
  for (const entry of entries) last.set(`${entry.resource ?? ""} ${keyOf(entry)}`, entry);
  const errors = new Map<string, string>();
  for (const { resource, namespace, name, error } of last.values()) {
    if (error) errors.set(`${resource ?? ""} ${namespace ?? ""}/${name}`, error.message);
  }
  const found = new Map<string, string>();
  for (const { uid, resource, namespace, name } of errors.size > 0 ? objects : []) {
    const error = errors.get(`${resource} ${namespace ?? ""}/${name}`);
    if (error !== undefined) found.set(uid, error);
  }
  return found;
}

/** The number of reconciles with each outcome, in a part of the time. */
export type ActivityBar = Readonly<Record<Ending, number>>;

/** Reconciles over time, in equal parts. */
export function activityOf(
  entries: readonly PageReconcile[],
  parts: number,
): { readonly bars: readonly ActivityBar[]; readonly fromMs: number; readonly toMs: number } {
  const times = entries.map(({ atMs }) => atMs);
  const fromMs = times.reduce((least, one) => Math.min(least, one), Infinity);
  const toMs = times.reduce((most, one) => Math.max(most, one), -Infinity);
  const bars = Array.from({ length: parts }, () => ({ failed: 0, wrote: 0, quiet: 0 }));
  const spanMs = Math.max(1, toMs - fromMs);
  for (const entry of entries) {
    const part = Math.min(parts - 1, Math.floor(((entry.atMs - fromMs) / spanMs) * parts));
    const bar = bars[part];
    if (bar) bar[endingOf(entry)]++;
  }
  return { bars, fromMs, toMs };
}
