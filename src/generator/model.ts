/**
 * The model that was read from the user's TypeScript, before it is checked and written: pure data.
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
  /** The place of a keyword, when that is not `at`: that of its marker. */
  readonly saidAt: Map<string, Position>;
  readonly properties?: readonly PropertyModel[];
  /** Whether it is the metadata of an object inside the object. */
  readonly isMetadata?: true;
  /**
   * Whether it is one of several objects, merged: its rules say which of the fields belong
   * together.
   */
  readonly isUnion?: true;
  /** Whether null was added to it by `| null`; an enumeration beside it becomes a rule. */
  readonly orNull?: true;
  /** Whether it may be undefined, so that a field of it may be left out. */
  readonly maybeUndefined?: true;
  /**
   * Whether it is written as `object` or `{}`: TypeScript takes any fields, the API server none.
   */
  readonly isBare?: true;
  /** Whether it could not be read, which is reported: nothing more is to be said of it. */
  readonly unread?: true;
  /** The type of a list's items. */
  readonly items?: TypeModel;
  /** The type of a record's values. */
  readonly values?: TypeModel;
}

/** The key in `saidAt` with the place of a rule. */
export const ruleKey = (rule: string): string => `rule ${rule}`;

/** A field of an object. */
export interface PropertyModel {
  readonly name: string;
  readonly required: boolean;
  /** Whether it is written with a question mark, which `Required` takes away. */
  readonly question?: true;
  /** The `required` that a marker asks for, whatever the type says. */
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
  /**
   * Whether objects are stored in this version. Absent where the class does not say; a kind of one
   * version is stored in it.
   */
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
  /** The CRD's `spec.conversion`. */
  readonly conversion?: JsonObject;
  /** The whole object: apiVersion, kind, metadata, spec, status. */
  readonly type: TypeModel;
  /** The place of the class. */
  readonly at: Position;
  /** The places of the options of `@Resource`. */
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

/** The grant of an `@Rbac`. */
export interface GrantModel {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly urls: readonly string[];
  readonly verbs: readonly string[];
  /** A Role in that namespace; a ClusterRole where it is empty. */
  readonly namespace: string;
  /** The name of the role; empty for the manager's. */
  readonly roleName: string;
  readonly at: Position;
}

/** A class that answers webhooks. */
export interface HandlerModel {
  readonly name: string;
  /** The names of its methods, inherited ones too; absent where they cannot be known. */
  readonly methods?: ReadonlySet<string>;
  /** Whether its file names `dryRun`. */
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
  /** The places of the options. */
  readonly saidAt: ReadonlyMap<string, Position>;
}

/** A version of a kind, as a converter names it. */
export interface VersionModel {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The name of its class, as the user wrote it. */
  readonly shown: string;
  readonly at: Position;
}

/** The two versions that a class with `@ConversionWebhook` converts. */
export interface ConversionModel {
  /** The version that is stored; absent where the marker could not be read, which was told. */
  readonly hub?: VersionModel;
  readonly spoke?: VersionModel;
  readonly at: Position;
}

/** A use of a kind's objects in the code, for which it needs a right. */
export interface UseModel {
  readonly group: string;
  /** The plural, with `/status` and the like where a subresource is meant. */
  readonly resource: string;
  /** The verbs without which the call fails. */
  readonly verbs: readonly string[];
  /** The call in short, as it is written: `client.delete(Deployment)`. */
  readonly shown: string;
  /** The token, where it can be written in a marker as it was in the call; empty where it cannot. */
  readonly token: string;
  /**
   * The report to those who write the rights by hand and leave this one out; an error when absent.
   * `warning`: only some clusters or some moments need it. `nothing`: without it the operator logs
   * what it would have said in an event.
   */
  readonly unlessGranted?: "warning" | "nothing";
  readonly at: Position;
}

/** A place where rights are needed that cannot be read from the code. */
export interface UnclearModel {
  /** The kind that is handed to code which was not followed; absent where it is the kind that is not known. */
  readonly kind?: { readonly group: string; readonly plural: string; readonly token: string };
  /** The part after the plural: `/status`. */
  readonly suffix: string;
  /** The verbs of a call; empty where they are not known. */
  readonly verbs: readonly string[];
  /** The call, or the kind. */
  readonly shown: string;
  readonly at: Position;
}

/** The uses of the API in the code. */
export interface UsesModel {
  readonly uses: readonly UseModel[];
  readonly unclear: readonly UnclearModel[];
  /** Kinds (`plural.group`) that are handed to code which was not followed. */
  readonly escaped: ReadonlySet<string>;
  /** Whether kinds are named at run time somewhere. */
  readonly dynamic: boolean;
  /** A leader is elected. */
  readonly elects: boolean;
  /** Whether events are written somewhere. */
  readonly records: boolean;
  /** Whether statuses of objects of an unknown kind are written. */
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

/** The content of a project's files. */
export interface ProjectModel {
  readonly kinds: readonly KindModel[];
  readonly externalKinds: readonly ExternalKindModel[];
  readonly grants: readonly GrantModel[];
  readonly webhooks: readonly WebhookModel[];
  readonly conversions: readonly ConversionModel[];
  readonly uses: UsesModel;
}
