/**
 * What the control plane knows of each resource that it serves.
 *
 * Built-in kinds come from a table (`builtin/`), custom ones from CustomResourceDefinitions (`crd/`). The
 * write path asks a `Strategy` for everything that differs from kind to kind, and nothing else.
 *
 * @module
 */
import type { Clock } from "../clock.ts";
import type { FieldError } from "../kube/field-errors.ts";
import type { ObjectKey, SentObject } from "../kube/object.ts";
import type { ResourceInfo } from "../kube/resource.ts";
import type { Schema } from "../kube/schema/structural.ts";
import type { AdmissionPlugins } from "./admission/plugins.ts";
import type { ResourceName } from "./resource-name.ts";
import type { WebhookTarget } from "../kube/webhooks/webhook-address.ts";
import type { ResourceAttributes } from "./auth/attributes.ts";

/** Who asks. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a strategy may know of the write that it takes part in. */
export interface WriteContext {
  readonly user: User;
  readonly dryRun: boolean;
  readonly clock: Clock;
  /** The admission plugins that are on. */
  readonly plugins: AdmissionPlugins;
  /** Objects as they are stored now: for references across kinds. */
  find<T extends SentObject>(resource: ResourceName<T>, key: ObjectKey): T | undefined;
  list<T extends SentObject>(resource: ResourceName<T>, namespace?: string): readonly T[];
  /** The plural of a kind; `undefined` when it is not served. */
  pluralOf(group: string, version: string, kind: string): string | undefined;
  /** Whether the user may do something else, too. */
  may(attributes: ResourceAttributes): boolean;
  /** Stores what this write changes in another object, such as what is used of a quota; not in a dry run. */
  putStatus(group: string, plural: string, object: SentObject): void;
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
  /** What is wrong with the metadata; told beside what the strategy finds. */
  readonly metadataErrors?: readonly FieldError[];
}

/** How defaults are set. */
export interface DefaultingOptions {
  /** What an apply made: nulls that the schema does not allow stay, for validation to refuse. */
  readonly keepNulls?: boolean;
  /** What admission made: fields that the schema does not know stay until the object is stored. */
  readonly keepUnknown?: boolean;
}

/**
 * How one endpoint (a resource, or one of its subresources) treats objects on their way to the store.
 * Objects handed in may be changed; `old` is frozen.
 */
export interface Strategy {
  /** Fills in what a client may leave out; also run on what is read from the store. */
  setDefaults(object: SentObject, options?: DefaultingOptions): void;
  /** What the server's own admission makes of a new object: others in admission see it. Once more changes nothing. */
  admit?(object: SentObject, context: WriteContext): void;
  /** Before a create is validated: resets the status, allocates, sets the first generation. */
  prepareForCreate(object: SentObject, context: WriteContext): void;
  /** Before an update is validated: keeps what this endpoint may not change, bumps the generation. */
  prepareForUpdate(object: SentObject, old: SentObject, context: WriteContext): void;
  /** Everything wrong with a new object, beyond its metadata. */
  validateCreate(object: SentObject, context: WriteContext): FieldError[];
  /** Everything wrong with a change, beyond the metadata's own rules. */
  validateUpdate(object: SentObject, old: SentObject, context: WriteContext): FieldError[];
  /** As `validateUpdate`, with other errors after those of the object as it is and before those of the change, or
   * the other way round, where the kind tells of its change first. Tells nothing else. */
  errorsBetween?(
    object: SentObject,
    old: SentObject,
    context: WriteContext,
    between: readonly FieldError[],
  ): FieldError[];
  /** How a name of this kind is checked: the messages of what is wrong with it. */
  validateName(name: string, prefix: boolean): string[];
  /** PUT of a missing object creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** PUT without a resourceVersion overwrites whatever is there. */
  readonly allowUnconditionalUpdate: boolean;
}

/** How a kind is deleted. */
export interface DeletionRules {
  /** The answer to DELETE is the object, not a `Status`. */
  readonly answersObject?: boolean;
  /**
   * What becomes of dependents when the request does not say: `background` when absent; kinds with `unsupported` never
   * get the finalizers of the garbage collector.
   */
  readonly dependents?: "background" | "orphan" | "unsupported";
  /** A `Warning` when no policy was asked for. */
  readonly warning?: string;
  /** A deletion is always one of the object that was found. */
  readonly pinsUid?: boolean;
  /** Of kinds with a grace period: its length, from what was asked for. */
  graceSeconds?(object: SentObject, asked: number | undefined): number;
  /** Checks whether the object may be deleted. @throws StatusError */
  check?(object: SentObject, plugins: AdmissionPlugins): void;
  /** The first DELETE only begins the deletion: changes the object, whose deletionTimestamp is set. */
  begin?(object: SentObject, now: string): void;
  /** Whether something beyond finalizers and grace still keeps the object. */
  holds?(object: SentObject): boolean;
}

/** How the metadata of a changed object is checked: `whole` as that of a new object, `change` for what may not change. */
export type MetadataCheck = "whole" | "change";

/** What the server asks of a built-in kind beyond its strategy. A kind that leaves a trait out is plain in it. */
export interface KindTraits {
  /** The checks of metadata in the validation of the kind, in order, when its main endpoint is written; `change` when absent. */
  readonly metadataChecks?: readonly MetadataCheck[];
  /** The same when a subresource is written. */
  readonly subresourceMetadataChecks?: readonly MetadataCheck[];
  /** Metadata is checked when all else is right. */
  readonly metadataLast?: boolean;
  /** Finalizers may have any qualified name. */
  readonly freeFinalizers?: boolean;
  readonly deletion?: DeletionRules;
  /** Words the refusal of a field that a selector cannot ask for. */
  readonly refuseFieldLabel?: (field: string) => string;
  /** A kind without namespaces whose selectors may not ask for metadata.namespace. */
  readonly selectsNoNamespace?: boolean;
  /** How its objects are scaled. */
  readonly scale?: ScaleAccess;
  /** Paths of fields that a write to an endpoint leaves as they are, by subresource, `""` for the main endpoint. */
  readonly resetFields?: Readonly<Record<string, readonly string[]>>;
  /** An apply to the status of a missing object creates it, if it is valid. */
  readonly statusCreates?: boolean;
  /**
   * Whether a create leaves out a default that every read fills in. A write of such an object as it was read is a
   * change of what is stored, though nobody can see one.
   */
  lacksDefault?(object: SentObject): boolean;
}

/** A column of a kind's table. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 always shown, 1 with `-o wide`. */
  readonly priority: number;
}

/** How a kind is shown as a table. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** The cells of one object, in the order of the columns. */
  cells(object: SentObject, nowMs: number): unknown[];
  /** What marks the row of an object, such as a pod that has completed. */
  conditions?(object: SentObject): readonly TableRowCondition[];
  /** An empty table has `rows: null` instead of an empty list. */
  readonly nullWhenEmpty?: boolean;
}

/** Marks a row of a table. */
export interface TableRowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** `status`, `scale` and the like. */
export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind that travels, when it is not the parent's (`autoscaling/v1 Scale`). */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Present where the subresource writes the parent object itself (`status`). */
  readonly strategy?: Strategy;
  /** Present on `scale`: how a `Scale` is read from the parent and written to it. */
  readonly scale?: ScaleAccess;
}

/** What a `Scale` shows of its object. */
export interface ScaleValues {
  /** `undefined` when the object does not say. */
  readonly replicas: number | undefined;
  readonly statusReplicas: number;
  /** Empty when there is none. */
  readonly selector: string;
}

/** Where the numbers of a `Scale` are in its object. */
export interface ScaleAccess {
  /** As paths of fields, `.spec.replicas`: managed fields and messages name them. */
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** @throws StatusError 500 when what stands there is of the wrong type */
  read(object: SentObject): ScaleValues;
  /** Sets the wanted number of replicas, in place. @throws StatusError 500 as `read` does */
  write(object: SentObject, replicas: number): void;
}

/** A webhook that converts the objects of a kind between versions. */
export interface ConversionWebhook {
  readonly target: WebhookTarget;
  /** The versions of reviews that it knows, preferred first. */
  readonly reviewVersions: readonly string[];
}

/** One version of one resource, as served. */
export interface ServedResource extends ResourceInfo {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** What discovery tells of them; absent: all. */
  readonly shownVerbs?: readonly string[];
  readonly builtIn: boolean;
  /** The version in which objects are kept; equal to `version` for most. */
  readonly storageVersion: string;
  readonly storageVersionHash?: string;
  readonly schema: Schema;
  /** Of a custom kind: what its definition says. Watches end when it says something else. */
  readonly definedBy?: { readonly spec: unknown; readonly acceptedNames: unknown };
  /** Of a custom kind: the schemas of all versions by their apiVersion, also of those that are not served. */
  readonly versionSchemas?: ReadonlyMap<string, Schema>;
  readonly strategy: Strategy;
  /** Absent on custom kinds, which are plain. */
  readonly traits?: KindTraits;
  readonly subresources: readonly ServedSubresource[];
  /** Absent: Name and Age. */
  readonly table?: TablePrinter;
  /** Values that a field selector may ask for, beside metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: SentObject) => string>>;
  /** A `Warning` header on each use of this version. */
  readonly deprecationWarning?: string;
  /** Custom kinds: what the version of an object that goes to or comes from the store makes of it. */
  readonly storage?: Pick<Strategy, "setDefaults"> & {
    /** Removes what the version does not know, in place. */
    dropUnknown(object: SentObject): void;
  };
  /** Custom kinds: who converts between versions; absent where only `apiVersion` differs. */
  readonly conversion?: ConversionWebhook;
  /**
   * Custom kinds: removes what the schema does not know from a decoded object, in place. To be called on
   * what a client sends, before defaults are set.
   *
   * @returns the paths of what was removed, in the order of the warnings
   * @throws StatusError 400 when an embedded object does not decode
   */
  readonly dropUnknown?: (object: SentObject) => string[];
}
