/**
 * The selection of objects for a list, a watch or a deletion. One that would silently select more
 * than intended is refused.
 */
import { TsopError } from "../../errors.ts";
import { labelValueErrors, qualifiedNameErrors } from "../../kube/names.ts";
import { groupResourceOf, type ResourceInfo } from "../../kube/resource.ts";
import { SelectorError } from "../../kube/selectors/selector.ts";
import type { Query } from "./rest-client.ts";

/** A selection of the objects of a kind, as an API server supports it. */
export interface Selection {
  /** All namespaces when absent or empty; refused for a cluster-scoped kind. */
  readonly namespace?: string | undefined;
  /** Labels that must be equal, or a selector: `"tier in (web, api),!legacy"`. */
  readonly labels?: Readonly<Record<string, string>> | string | undefined;
  /** A field selector of the API server: `"spec.nodeName=one"`. */
  readonly fields?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A selection of the objects of a kind, from the cache or the server. */
export interface ListOptions extends Selection {
  /**
   * Reads from an index of the cache, which must have been declared; an API server has no indexes.
   * Not together with `fields`.
   */
  readonly index?: { readonly name: string; readonly value: string } | undefined;
}

/**
 * Refuses a selection that the kind does not support, whether the cache or the server answers it.
 *
 * @throws TsopError `kind-in-no-namespace`, SelectorError
 */
export function assertSelection(resource: ResourceInfo, { namespace, labels }: Selection): void {
  if (namespace && !resource.namespaced) {
    throw new TsopError(
      "kind-in-no-namespace",
      `${groupResourceOf(resource)} cannot be selected by namespace ${namespace}: the kind ${resource.kind} is cluster-scoped.`,
      "Leave out the namespace, and use labels to select some of them.",
    );
  }
  if (typeof labels === "object") assertLabels(labels);
}

/** The same for reads from a server, which has no indexes. @throws TsopError `index-missing` */
export function assertServed(resource: ResourceInfo, selection: ListOptions): void {
  assertSelection(resource, selection);
  if (selection.index)
    throw indexMissing(selection.index.name, resource, "the API server does not support indexes");
}

/**
 * Refuses a deletion in all namespaces, or by a given selector that selects everything.
 *
 * @throws TsopError `delete-in-all-namespaces`, `empty-selector`
 */
export function assertDeletion(resource: ResourceInfo, selection: Selection): void {
  assertServed(resource, selection);
  const { namespace, labels, fields } = selection;
  const kinds = groupResourceOf(resource);
  if (resource.namespaced && !namespace) {
    throw new TsopError(
      "delete-in-all-namespaces",
      `The ${kinds} of all namespaces cannot be deleted in one request: the API server does not support it.`,
      "Give deleteAllOf a namespace.",
    );
  }
  const empty = Object.entries({ labels, fields }).find(([, selector]) => isEmpty(selector));
  if (!empty) return;
  throw new TsopError(
    "empty-selector",
    `All ${kinds} would be deleted: \`${empty[0]}\` is given and selects everything.`,
    `Leave out \`${empty[0]}\` if all of them are meant.`,
  );
}

/** The error of a list by an index that does not exist, with the reason. */
export function indexMissing(name: string, resource: ResourceInfo, why: string): TsopError {
  return new TsopError(
    "index-missing",
    `There is no index ${name} of ${groupResourceOf(resource)}: ${why}.`,
    "Declare it when you build the controller: `indexes: { name: (object) => [value] }`, and read with the manager's client once it runs.",
  );
}

export function selectionOf({ labels, fields }: Selection): Query {
  return {
    labelSelector: typeof labels === "object" ? labelSelectorOf(labels) : labels,
    fieldSelector: fields,
  };
}

/** `a=1,b=2`. */
function labelSelectorOf(labels: Readonly<Record<string, string>>): string | undefined {
  const parts = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? undefined : parts.join(",");
}

/** A comma in a value would begin another condition, and `undefined` would become a word. */
function assertLabels(labels: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(labels)) {
    const errors =
      typeof value === "string"
        ? [...qualifiedNameErrors(name), ...labelValueErrors(value)]
        : ["must be a string"];
    if (errors.length > 0) {
      throw new SelectorError(`invalid label ${name}=${String(value)}: ${errors.join("; ")}`);
    }
  }
}

function isEmpty(selector: Selection["labels"]): boolean {
  if (selector === undefined) return false;
  return typeof selector === "string" ? selector.trim() === "" : Object.keys(selector).length === 0;
}
