/**
 * What was read from the user's TypeScript, before it is checked and written: pure data.
 *
 * @module
 */
import type { JsonObject } from "../kube/object.ts";
import type { Schema } from "../kube/schema/structural.ts";
import type { LabelSelector } from "../kube/selectors/selector.ts";

/** A place in a file; lines and columns count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A type, as a schema whose parts know where they stand. */
export interface TypeModel {
  /** The keywords of this node, without its children. */
  readonly schema: Schema;
  readonly at: Position;
  /** Where a keyword was said, when that is not `at`: at its marker. */
  readonly saidAt: Map<string, Position>;
  readonly properties?: readonly PropertyModel[];
  /** It is the metadata of an object inside the object. */
  readonly isMetadata?: true;
  /** One of several objects, merged: which of the fields belong together is in its rules. */
  readonly isUnion?: true;
  /** Null was added to it by `| null`; an enumeration beside it becomes a rule. */
  readonly orNull?: true;
  /** It may be undefined, so that a field of it may be left out. */
  readonly maybeUndefined?: true;
  /** It is written as `object` or `{}`: TypeScript takes any fields, the API server none. */
  readonly isBare?: true;
  /** It could not be read, which was said: nothing more is to be said of it. */
  readonly unread?: true;
  /** Of a list. */
  readonly items?: TypeModel;
  /** Of a record. */
  readonly values?: TypeModel;
}

/** Where the place of a rule is kept in `saidAt`. */
export const ruleKey = (rule: string): string => `rule ${rule}`;

/** A field of an object. */
export interface PropertyModel {
  readonly name: string;
  readonly required: boolean;
  /** It is written with a question mark, which `Required` takes away. */
  readonly question?: true;
  /** What a marker says of `required`, whatever the type says. */
  readonly asked?: boolean;
  readonly type: TypeModel;
}

/** A column of `kubectl get`. */
export interface ColumnModel {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly at: Position;
}

/** One version of one kind. */
export interface KindModel {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** Absent where the class does not say; a kind of one version is stored in it. */
  readonly storage?: boolean;
  readonly served: boolean;
  readonly deprecated: boolean | string;
  readonly statusSubresource: boolean;
  readonly userRoles?: "separate" | "aggregated";
  readonly scale?: {
    readonly spec: string;
    readonly status: string;
    readonly selector?: string;
    readonly at: Position;
  };
  readonly columns: readonly ColumnModel[];
  readonly selectable: readonly { readonly jsonPath: string; readonly at: Position }[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** `spec.conversion` of the CRD. */
  readonly conversion?: JsonObject;
  /** The whole object: apiVersion, kind, metadata, spec, status. */
  readonly type: TypeModel;
  /** Where the class is. */
  readonly at: Position;
  /** Where an option of `@Resource` stands. */
  readonly saidAt: ReadonlyMap<string, Position>;
}

/** A kind that every cluster has. */
export interface BuiltInKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** What an `@Rbac` grants. */
export interface GrantModel {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly urls: readonly string[];
  readonly verbs: readonly string[];
  /** A Role in that namespace; a ClusterRole where it is empty. */
  readonly namespace: string;
  /** Empty for the manager's role. */
  readonly roleName: string;
  readonly at: Position;
}

/** A class that answers webhooks. */
export interface HandlerModel {
  readonly name: string;
  /** The names of its methods, inherited ones too; absent where they cannot be known. */
  readonly methods?: ReadonlySet<string>;
  /** Its file speaks of `dryRun`. */
  readonly readsDryRun: boolean;
}

/**
 * A webhook in its configuration. What options of the marker say has the type that it must have there: the check of
 * webhooks refuses anything else at its line.
 */
export interface WebhookEntry extends JsonObject {
  readonly name: string;
  readonly admissionReviewVersions: readonly string[];
  readonly clientConfig: {
    readonly url?: string;
    readonly service?: { readonly path: string; readonly port?: number };
  };
  readonly rules: readonly [WebhookRule];
  readonly failurePolicy: string;
  readonly sideEffects: string;
  readonly timeoutSeconds?: number;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly { readonly name?: string; readonly expression?: string }[];
}

/** The requests that a webhook is asked about. */
export interface WebhookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
  readonly scope?: string;
}

/** One webhook of admission. */
export interface WebhookModel {
  readonly mutating: boolean;
  /** The name of the configuration object. */
  readonly configuration: string;
  readonly name: string;
  /** The entry in the configuration. */
  readonly entry: WebhookEntry;
  /** The same for all webhooks of one class. */
  readonly handler: HandlerModel;
  readonly at: Position;
  /** Where an option stands. */
  readonly saidAt: ReadonlyMap<string, Position>;
}

/** A version of a kind, as a converter names it. */
export interface VersionModel {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** As the user wrote it: the name of its class. */
  readonly shown: string;
  readonly at: Position;
}

/** What a class with `@ConversionWebhook` converts. */
export interface ConversionModel {
  /** The version that is stored; absent where the marker could not be read, which was told. */
  readonly hub?: VersionModel;
  readonly spoke?: VersionModel;
  readonly at: Position;
}

/** What code does to objects of a kind, and so needs the right to. */
export interface UseModel {
  readonly group: string;
  /** The plural, with `/status` and the like where a subresource is meant. */
  readonly resource: string;
  /** Without them the call fails. */
  readonly verbs: readonly string[];
  /** How the call was written, in short: `client.delete(Deployment)`. */
  readonly shown: string;
  /** The token, where it can be written in a marker as it was in the call; empty where it cannot. */
  readonly token: string;
  /**
   * What is told to who writes the rights by hand and leaves it out; an error when absent. `warning`: only some clusters
   * or some moments need it. `nothing`: without it the operator logs what it would have told in an event.
   */
  readonly unlessGranted?: "warning" | "nothing";
  readonly at: Position;
}

/** A place where rights are needed that cannot be read from the code. */
export interface UnclearModel {
  /** The kind that is handed to code which was not followed; absent where it is the kind that is not known. */
  readonly kind?: { readonly group: string; readonly plural: string; readonly token: string };
  /** What follows the plural: `/status`. */
  readonly suffix: string;
  /** What a call does; empty where it is not known. */
  readonly verbs: readonly string[];
  /** The call, or the kind. */
  readonly shown: string;
  readonly at: Position;
}

/** What the code does. */
export interface UsesModel {
  readonly uses: readonly UseModel[];
  readonly unclear: readonly UnclearModel[];
  /** Kinds (`plural.group`) that are handed to code which was not followed. */
  readonly escaped: ReadonlySet<string>;
  /** Kinds are named at run time somewhere. */
  readonly dynamic: boolean;
  /** A leader is elected. */
  readonly elects: boolean;
  /** Events are written somewhere. */
  readonly records: boolean;
  /** Statuses of objects of an unknown kind are written. */
  readonly unknownStatus: boolean;
}

/** A class that stands for a kind whose CRD is somebody else's. */
export interface ExternalKindModel {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: KindModel["scope"];
  readonly at: Position;
}

/** All that a project's files say. */
export interface ProjectModel {
  readonly kinds: readonly KindModel[];
  readonly externalKinds: readonly ExternalKindModel[];
  readonly grants: readonly GrantModel[];
  readonly webhooks: readonly WebhookModel[];
  readonly conversions: readonly ConversionModel[];
  readonly uses: UsesModel;
}
