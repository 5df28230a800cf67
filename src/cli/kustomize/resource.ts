/** A manifest on its way through the kustomizations: the object, and what it was called before. */
import { encodeJson, isJsonObject } from "../../kube/json.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import type { ValuePath } from "../project/yaml/yaml-documents.ts";
import { isClusterScoped } from "./schema-kinds.ts";

export interface ResourceId {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** A selection of kinds; a part that is left out means any. */
export interface KindSelector {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

/** The treatment of a generated object whose name is there already. */
export type Behavior = "create" | "replace" | "merge";

/** A name, namespace and kind that a manifest had before. */
interface FormerName {
  readonly name: string;
  readonly namespace: string;
  readonly kind: string;
}

/** The file of a manifest, and the fields that are written with nothing after them in it. */
interface ReadFrom {
  readonly file: string;
  readonly blankFields: readonly ValuePath[];
}

/** A manifest that transformers change in place. */
export class Manifest {
  object: ManifestObject & Record<string, unknown>;
  /** The oldest first. */
  readonly formerNames: FormerName[] = [];
  readonly prefixes: string[] = [];
  readonly suffixes: string[] = [];
  /** The `vars` whose values are read from it. */
  readonly variables: string[] = [];
  needsHash = false;
  behavior: Behavior = "create";
  /** The fields of its file after whose colon nothing is written: they go when a patch is merged into it. */
  blankFields: readonly ValuePath[];
  /** Whether a patch took it out. */
  isDeleted = false;

  /** The file that it was read from; `undefined` for one of a generator. */
  readonly file: string | undefined;

  constructor(object: ManifestObject, read?: ReadFrom) {
    this.object = object as Manifest["object"];
    this.file = read?.file;
    this.blankFields = read?.blankFields ?? [];
  }

  get name(): string {
    return this.object.metadata.name;
  }

  get namespace(): string {
    return this.object.metadata.namespace ?? "";
  }

  get id(): ResourceId {
    const { group, version } = parseApiVersion(this.object.apiVersion);
    const { name, namespace } = this;
    return { group, version, kind: this.object.kind, name, namespace };
  }

  /** The identities before, the oldest first. */
  get formerIds(): ResourceId[] {
    const { group, version } = parseApiVersion(this.object.apiVersion);
    return this.formerNames.map((former) => ({ group, version, ...former }));
  }

  /** The identity in the manifest's file. */
  get originalId(): ResourceId {
    return this.formerIds[0] ?? this.id;
  }

  get ids(): ResourceId[] {
    return [...this.formerIds, this.id];
  }

  /** Keeps the present name as a former one, before it changes. */
  rememberName(): void {
    this.formerNames.push({
      name: this.name,
      namespace: effectiveNamespace(this.id),
      kind: this.object.kind,
    });
  }

  /** Takes over the former names of another manifest, and the kustomizations that gave them. */
  takeHistory(other: Manifest): void {
    this.formerNames.splice(0, Infinity, ...other.formerNames);
    this.prefixes.splice(0, Infinity, ...other.prefixes);
    this.suffixes.splice(0, Infinity, ...other.suffixes);
    this.variables.splice(0, Infinity, ...other.variables);
    this.behavior = other.behavior;
  }
}

const NO_NAMESPACE = "_non_namespaceable_";

/** Whether objects of that id are surely not in a namespace. */
export function isOutsideNamespaces({ group, version, kind }: ResourceId): boolean {
  return isClusterScoped(group === "" ? version : `${group}/${version}`, kind);
}

/** The namespace that counts when ids are compared. */
export function effectiveNamespace(id: ResourceId): string {
  if (isOutsideNamespaces(id)) return NO_NAMESPACE;
  return id.namespace === "" ? "default" : id.namespace;
}

/** Whether both are in the same namespace, or in none. */
export function inSameNamespace(one: ResourceId, other: ResourceId): boolean {
  return effectiveNamespace(one) === effectiveNamespace(other);
}

/** Whether both mean the same object. */
export function isSameId(one: ResourceId, other: ResourceId): boolean {
  return isSameKindAndName(one, other) && inSameNamespace(one, other);
}

export function isSameKindAndName(one: ResourceId, other: ResourceId): boolean {
  return (
    one.name === other.name &&
    one.kind === other.kind &&
    one.group === other.group &&
    one.version === other.version
  );
}

/** Whether the id is of the kinds that are meant. */
export function isOfKind(id: KindSelector, selector: KindSelector): boolean {
  const fits = (wanted = "", has = ""): boolean => wanted === "" || wanted === has;
  return (
    fits(selector.group, id.group) &&
    fits(selector.version, id.version) &&
    fits(selector.kind, id.kind)
  );
}

/** The manifest for messages: `Kind.group/name`. */
export function describeManifest(manifest: Manifest): string {
  return describeId(manifest.id);
}

/** The identity for messages: `Kind.group/name`. */
export function describeId({ group, kind, name }: ResourceId): string {
  return `${kind}${group === "" ? "" : `.${group}`} ${name === "" ? "?" : name}`;
}

/** A mapping of the metadata whose values are texts, as kustomize reads it. */
export function textsOf(value: unknown): Record<string, string> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, scalarText(text)]));
}

/** A scalar as it is written. */
export function scalarText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return value === null || value === undefined ? "" : encodeJson(value);
}
