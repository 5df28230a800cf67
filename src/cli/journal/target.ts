/** The object that somebody asks about, as they named it. Pure. */
import { UsageError } from "../../errors.ts";
import type { JournalEntry, JournalObject } from "../../runtime/journal/entry.ts";

/** An object as it is named in a terminal: `deployment/web`, `mywebs.example.com/web`. */
export interface Target {
  readonly kind: string;
  /** The resource that the kind is a short name of: `statefulsets.apps` for `sts`. */
  readonly resource?: string;
  readonly name: string;
  /** The namespace; any when absent. */
  readonly namespace?: string;
}

/** Reads `<kind>/<name>`. @throws UsageError `bad-target` */
export function parseTarget(text: string | undefined, namespace: string | undefined): Target {
  if (text === undefined) {
    throw new UsageError(
      "bad-target",
      "No object is named.",
      "Write the kind and the name: `tsop why deployment/web`; or look at all of them: `tsop why --page`.",
    );
  }
  const [kind = "", name = "", ...more] = text.split("/");
  if (kind === "" || name === "" || more.length > 0) {
    throw new UsageError(
      "bad-target",
      `${JSON.stringify(text)} does not name an object.`,
      "Write the kind and the name: `tsop why deployment/web`.",
    );
  }
  return { kind: kind.toLowerCase(), name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Whether an object of the journal is the one that is meant. */
export function isTarget(
  object: JournalObject,
  { kind, resource, name, namespace }: Target,
): boolean {
  if (object.name !== name) return false;
  if (namespace !== undefined && object.namespace !== undefined && object.namespace !== namespace) {
    return false;
  }
  return object.resource === resource || namesOf(object).includes(kind);
}

/** The names by which a kind can be meant: `deployment`, `deployments`, `deployments.apps`, `deployment.apps`. */
function namesOf({ kind, resource }: JournalObject): string[] {
  const [plural = "", ...group] = resource.split(".");
  const singular = kind?.toLowerCase();
  const words = singular === undefined ? [plural] : [singular, plural];
  return [...words, ...words.map((word) => [word, ...group].join("."))];
}

/** The object that a reconcile was for; `undefined` for a controller of no kind. */
export function reconciledObject(entry: JournalEntry): JournalObject | undefined {
  const { kind, namespace, name, resource } = entry;
  if (kind === undefined) return undefined;
  return {
    kind,
    resource: resource ?? kind.toLowerCase(),
    ...(namespace === undefined ? {} : { namespace }),
    name,
  };
}

/** The object as a text: `Deployment default/web`; `all deployments.apps in default` for a list. */
export function objectText({ kind, resource, namespace, name }: JournalObject): string {
  if (name === undefined) {
    return `all ${resource}${namespace === undefined ? "" : ` in ${namespace}`}`;
  }
  return `${kind ?? resource} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
