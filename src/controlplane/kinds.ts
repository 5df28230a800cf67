/**
 * The resources that the control plane serves.
 *
 * Built-in kinds come from a table (`builtin/`), custom ones from CustomResourceDefinitions
 * (`crd/`). The write path asks a `Strategy` for everything that differs from kind to kind, and
 * nothing else.
 */
import type { Clock } from "../clock.ts";
import type { FieldError } from "../kube/field-errors.ts";
import type { ObjectKey, SentObject } from "../kube/object.ts";
import type { ResourceInfo } from "../kube/resource.ts";
import type { Schema } from "../kube/schema/structural.ts";
import type { AdmissionPlugins } from "./admission-plugins.ts";
import type { ResourceName } from "./resource-name.ts";
import type { WebhookTarget } from "../kube/webhooks/webhook-address.ts";
import type { ResourceAttributes } from "./request-attributes.ts";

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The context of a write, as strategies see it. */
export interface WriteContext {
  readonly user: User;
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly plugins: AdmissionPlugins;
  /** An object as it is stored now: for references across kinds. */
  find<T extends SentObject>(resource: ResourceName<T>, key: ObjectKey): T | undefined;
  list<T extends SentObject>(resource: ResourceName<T>, namespace?: string): readonly T[];
  /** The plural of a kind; `undefined` when it is not served. */
  pluralOf(group: string, version: string, kind: string): string | undefined;
  /** Whether the user may also do something else. */
  may(attributes: ResourceAttributes): boolean;
  /** Stores the status of another object, such as the use of a quota; not in a dry run. */
  putStatus(group: string, plural: string, object: SentObject): void;
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
  readonly metadataErrors?: readonly FieldError[];
}

export interface DefaultingOptions {
  /** For the result of an apply: keeps nulls that the schema forbids, for validation to refuse. */
  readonly keepNulls?: boolean;
  /** For the result of admission: keeps unknown fields until the object is stored. */
  readonly keepUnknown?: boolean;
}

/**
 * The strategy of one endpoint (a resource, or one of its subresources): prepares and validates
 * objects on their way to the store. Objects handed in may be changed; `old` is frozen.
 */
export interface Strategy {
  /** Sets defaults; also run on objects read from the store. */
  setDefaults(object: SentObject, options?: DefaultingOptions): void;
  /** Applies the server's own admission to a new object, before all other admission. Idempotent. */
  admit?(object: SentObject, context: WriteContext): void;
  /** Before a create is validated: resets the status, allocates, sets the first generation. */
  prepareForCreate(object: SentObject, context: WriteContext): void;
  /** Before an update is validated: keeps what it may not change, bumps the generation. */
  prepareForUpdate(object: SentObject, old: SentObject, context: WriteContext): void;
  /** All errors of a new object, those of its metadata (`metadataErrors`) included. */
  validateCreate(object: SentObject, context: WriteContext): FieldError[];
  /**
   * All errors of a change beside those of the metadata.
   *
   * @param between - errors that a built-in kind reports after those of the object as it is and
   *   before those of the change, or the other way round if it reports the change first
   */
  validateUpdate(
    object: SentObject,
    old: SentObject,
    context: WriteContext,
    between?: readonly FieldError[],
  ): FieldError[];
  /** All errors of a write in the order and the words in which the kind reports them; as they are when absent. */
  report?(errors: readonly FieldError[]): FieldError[];
  /** The errors of a name of this kind, as messages. */
  validateName(name: string, prefix: boolean): string[];
  /** Whether PUT of a missing object creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** Whether server-side apply of a missing object creates it. */
  readonly allowCreateOnApply: boolean;
  /** Whether PUT without a resourceVersion overwrites the stored object. */
  readonly allowUnconditionalUpdate: boolean;
}

export interface DeletionRules {
  /** Whether DELETE answers with the object instead of a `Status`. */
  readonly answersObject?: boolean;
  /**
   * The policy for dependents when the request has none: `background` when absent; kinds with
   * `unsupported` never get the finalizers of the garbage collector.
   */
  readonly dependents?: "background" | "orphan" | "unsupported";
  /** A `Warning` when the request has no policy. */
  readonly warning?: string;
  /** For kinds whose deletion always holds for the uid of the object that was found: how another uid is refused. */
  readonly pinsUid?: "Precondition failed" | "precondition failed";
  /** The grace period in seconds of kinds that have one, from the one in the request. */
  graceSeconds?(object: SentObject, asked: number | undefined): number;
  /** Checks whether the object may be deleted. @throws StatusError */
  check?(object: SentObject, plugins: AdmissionPlugins): void;
  /** Begins the deletion, on the first DELETE: changes the object, whose deletionTimestamp is set. */
  begin?(object: SentObject, now: string): void;
  /** Whether the object stays for another reason than finalizers and grace period. */
  holds?(object: SentObject): boolean;
}

/**
 * How the metadata of a changed object is checked: `whole` as that of a new object, `change` for
 * what may not change.
 */
export type MetadataCheck = "whole" | "change";

/** Traits of a built-in kind beyond its strategy; each may be left out. */
export interface KindTraits {
  /**
   * The checks of metadata in the validation of the kind, in order, on writes of its main endpoint;
   * `change` when absent.
   */
  readonly metadataChecks?: readonly MetadataCheck[];
  /** The same on writes of a subresource. */
  readonly subresourceMetadataChecks?: readonly MetadataCheck[];
  /** Whether finalizers may have any qualified name. */
  readonly freeFinalizers?: boolean;
  readonly deletion?: DeletionRules;
  /** The message that refuses a field in a selector, when it is not the usual one. */
  readonly refuseFieldLabel?: (field: string) => string;
  /** Whether selectors of this kind may not use metadata.namespace. */
  readonly selectsNoNamespace?: boolean;
  /** How objects of the kind are scaled. */
  readonly scale?: ScaleAccess;
  /** Paths of fields that a write does not change, by subresource; `""` is the main endpoint. */
  readonly resetFields?: Readonly<Record<string, readonly string[]>>;
}

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 for a column that is always shown, 1 for one of `-o wide`. */
  readonly priority: number;
}

export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** The cells of one object, in the order of the columns. */
  cells(object: SentObject, nowMs: number): unknown[];
  /** The conditions of an object's row, such as that a pod has completed. */
  conditions?(object: SentObject): readonly TableRowCondition[];
  /** Whether an empty table has `rows: null` instead of an empty list. */
  readonly nullWhenEmpty?: boolean;
}

export interface TableRowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** A subresource, such as `status` or `scale`. */
export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of the sent and returned object: the parent's, or its own (`autoscaling/v1 Scale`). */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Present where the subresource writes the parent object itself (`status`). */
  readonly strategy?: Strategy;
  /** Present on `scale`: how a `Scale` is read from the parent and written to it. */
  readonly scale?: ScaleAccess;
}

/** The values that a `Scale` takes from its object. */
export interface ScaleValues {
  /** `undefined` when the object does not set it. */
  readonly replicas: number | undefined;
  readonly statusReplicas: number;
  /** Empty when there is none. */
  readonly selector: string;
}

/** The places of a `Scale`'s values in its object. */
export interface ScaleAccess {
  /** Paths of fields, such as `.spec.replicas`: managed fields and messages use them. */
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** @throws StatusError 500 when a value has the wrong type */
  read(object: SentObject): ScaleValues;
  /** Sets the desired number of replicas, in place. @throws StatusError 500 as `read` does */
  write(object: SentObject, replicas: number): void;
}

/** A webhook that converts the objects of a kind between versions. */
export interface ConversionWebhook {
  readonly target: WebhookTarget;
  /** The versions of reviews that it accepts, preferred first. */
  readonly reviewVersions: readonly string[];
}

/** One version of one resource, as served. */
export interface ServedResource extends ResourceInfo {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** The verbs in discovery; all when absent. */
  readonly shownVerbs?: readonly string[];
  readonly builtIn: boolean;
  /** The version in which objects are stored; equal to `version` for most. */
  readonly storageVersion: string;
  readonly storageVersionHash?: string;
  readonly schema: Schema;
  /** Of a custom kind: the parts of its definition whose change ends watches. */
  readonly definedBy?: { readonly spec: unknown; readonly acceptedNames: unknown };
  /** Custom kinds: the schemas of all versions by apiVersion, also of those not served. */
  readonly versionSchemas?: ReadonlyMap<string, Schema>;
  readonly strategy: Strategy;
  /** Absent on custom kinds. */
  readonly traits?: KindTraits;
  readonly subresources: readonly ServedSubresource[];
  /** Default: Name and Age. */
  readonly table?: TablePrinter;
  /** The fields that a field selector may use, beside metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: SentObject) => string>>;
  /** A `Warning` header on each use of this version. */
  readonly deprecationWarning?: string;
  /** Custom kinds: conversion of objects to and from the stored form. */
  readonly storage?: Pick<Strategy, "setDefaults"> & {
    /** Removes fields that the version does not know, in place. */
    dropUnknown(object: SentObject): void;
  };
  /** Custom kinds: the webhook that converts; absent where only `apiVersion` differs. */
  readonly conversion?: ConversionWebhook;
  /**
   * Custom kinds: removes fields that the schema does not know from a decoded object, in place. For
   * objects from clients, before defaults are set.
   *
   * @returns the paths of the removed fields, in the order of the warnings
   * @throws StatusError 400 when an embedded object does not decode
   */
  readonly dropUnknown?: (object: SentObject) => string[];
}
