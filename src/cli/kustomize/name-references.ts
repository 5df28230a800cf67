/** References by name follow when names and namespaces change. */
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { type FieldSlot, type FieldSpec, fieldSlot, itemSlot, visitField } from "./field-specs.ts";
import {
  describeManifest,
  effectiveNamespace,
  inSameNamespace,
  isOfKind,
  isOutsideNamespaces,
  type KindSelector,
  type Manifest,
} from "./resource.ts";
import type { NameReferences } from "./transformer-configuration.ts";

/**
 * Updates every reference to its object's present name. @throws TsopError `kustomize-reference`
 * when it fits several
 */
export function fixNameReferences(
  manifests: readonly Manifest[],
  references: readonly NameReferences[],
): void {
  for (const referrer of manifests) {
    const others = accountNamespaces(referrer);
    const candidates = manifests.filter((manifest) => mayBeNamed(referrer, manifest, others));
    for (const { referrers, ...target } of references) {
      for (const spec of referrers) {
        if (!isOfKind(referrer.originalId, spec)) continue;
        const field = new ReferringField(referrer, spec, target, candidates);
        const { group, version, kind } = referrer.id;
        visitField(referrer, { ...spec, group, version, kind }, (slot) => field.fix(slot));
      }
    }
  }
}

/** An object in a namespace names those of its own and those in none; a RoleBinding, accounts of others too. */
function mayBeNamed(
  { id }: Manifest,
  manifest: Manifest,
  namespacesOfAccounts: ReadonlySet<string>,
): boolean {
  if (isOutsideNamespaces(id) || isOutsideNamespaces(manifest.id)) return true;
  return inSameNamespace(manifest.id, id) || namespacesOfAccounts.has(manifest.namespace);
}

function accountNamespaces(referrer: Manifest): ReadonlySet<string> {
  const { object } = referrer;
  const { subjects } = object;
  if (object.kind !== "RoleBinding" || !Array.isArray(subjects)) return new Set();
  const namespaces = (subjects as unknown[])
    .filter(isJsonObject)
    .filter(({ kind, namespace }) => kind === "ServiceAccount" && namespace !== undefined)
    .map(({ namespace }) => namespace);
  if (namespaces.every((namespace) => typeof namespace === "string")) return new Set(namespaces);
  throw new TsopError(
    "kustomize-reference",
    `${describeManifest(referrer)}: the namespace of a subject is not a string.`,
    "Name the namespace of the ServiceAccount, or leave the field out.",
  );
}

/** A field of one object that may name others. */
class ReferringField {
  readonly #referrer: Manifest;
  readonly #spec: FieldSpec;
  readonly #target: KindSelector;
  readonly #candidates: readonly Manifest[];

  constructor(
    referrer: Manifest,
    spec: FieldSpec,
    target: KindSelector,
    candidates: readonly Manifest[],
  ) {
    this.#referrer = referrer;
    this.#spec = spec;
    this.#target = target;
    this.#candidates = candidates;
  }

  /**
   * Writes the present name into a field that refers to an object: one name, a mapping with `name`,
   * or a list of them.
   */
  fix(slot: FieldSlot): void {
    const { value } = slot;
    if (Array.isArray(value)) {
      for (const index of value.keys()) this.#fixOne(itemSlot(value, index));
    } else {
      this.#fixOne(slot);
    }
  }

  #fixOne(slot: FieldSlot): void {
    const { value } = slot;
    if (isJsonObject(value)) this.#fixMapping(value);
    else if (typeof value === "string") {
      const named = this.#find(value, this.#candidates, ({ name }) => name);
      if (named) slot.set(named.name);
    }
  }

  #fixMapping(holder: JsonObject): void {
    const { name, namespace } = holder;
    if (typeof name !== "string") {
      throw this.#broken(`its field ${this.#spec.path} is a mapping without \`name\``);
    }
    const named = this.#find(
      name,
      typeof namespace === "string" ? this.#inNamespace(namespace) : this.#candidates,
      (manifest) => `${manifest.name} ${manifest.namespace}`,
    );
    if (!named) return;
    fieldSlot(holder, "name").set(named.name);
    if (named.namespace !== "") fieldSlot(holder, "namespace").set(named.namespace);
  }

  /** The candidates that were in the namespace at first, else those that are in it now. */
  #inNamespace(namespace: string): Manifest[] {
    const before = this.#candidates.filter(
      ({ originalId }) => effectiveNamespace(originalId) === namespace,
    );
    if (before.length > 0) return before;
    return this.#candidates.filter(({ id }) => effectiveNamespace(id) === namespace);
  }

  /** The object that had this name; `undefined` when none has changed its name. */
  #find(
    formerName: string,
    candidates: readonly Manifest[],
    key: (manifest: Manifest) => string,
  ): Manifest | undefined {
    let left = candidates.filter(
      (manifest) =>
        manifest.formerNames.some(({ name }) => name === formerName) &&
        manifest.formerIds.some((id) => isOfKind(id, this.#target)) &&
        this.#fitsRoleRef(manifest) &&
        this.#isReachable(manifest),
    );
    if (left.length > 1) left = left.filter((one) => this.#sharesAffixes(one, true));
    if (left.length > 1) left = left.filter((one) => this.#sharesAffixes(one, false));
    const [first] = left;
    if (!first) return undefined;
    if (left.some((one) => key(one) !== key(first))) {
      const several = left.map(describeManifest).join(", ");
      throw this.#broken(
        `its field ${this.#spec.path} names ${formerName}, which could be ${several}`,
      );
    }
    return first;
  }

  #fitsRoleRef(manifest: Manifest): boolean {
    const { roleRef } = this.#referrer.object;
    if (!this.#spec.path.endsWith("roleRef/name") || !isJsonObject(roleRef)) return true;
    const { apiGroup, kind } = roleRef;
    if (typeof apiGroup !== "string" || typeof kind !== "string") return true;
    return manifest.formerIds.some((id) => isOfKind(id, { group: apiGroup, kind }));
  }

  #isReachable(manifest: Manifest): boolean {
    const { id } = this.#referrer;
    return (
      isOutsideNamespaces(id) ||
      isOutsideNamespaces(manifest.id) ||
      manifest.object.kind === "ServiceAccount" ||
      inSameNamespace(id, manifest.id)
    );
  }

  /** Whether both went through the same kustomizations that add prefixes and suffixes. */
  #sharesAffixes(manifest: Manifest, emptyFits: boolean): boolean {
    const fits = (one: readonly string[], other: readonly string[]): boolean =>
      (emptyFits && (one.length === 0 || other.length === 0)) || haveSameEnd(one, other);
    return (
      fits(manifest.prefixes, this.#referrer.prefixes) &&
      fits(manifest.suffixes, this.#referrer.suffixes)
    );
  }

  #broken(what: string): TsopError {
    return new TsopError(
      "kustomize-reference",
      `${describeManifest(this.#referrer)}: ${what}.`,
      "Give the objects different names, or correct the configuration that names this field.",
    );
  }
}

/** Whether the shorter list is the end of the longer one. */
function haveSameEnd(one: readonly string[], other: readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  if (length === 0) return one.length === other.length;
  return one.slice(-length).every((text, index) => text === other.slice(-length)[index]);
}
