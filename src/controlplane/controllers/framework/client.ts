/**
 * The client of a simulated controller: reads straight from the store, writes through the same path
 * as a request over the network, with all its checks, as its own user and field manager.
 */
import type { Clock } from "../../../clock.ts";
import type { ObjectMeta, SentObject } from "../../../kube/object.ts";
import type { ResourceInfo } from "../../../kube/resource.ts";
import type { Logger } from "../../../log.ts";
import type { CertificateRequest } from "../../auth/certificate-request.ts";
import type { SigningTerms } from "../../auth/certificates.ts";
import type { User } from "../../kinds.ts";
import type { ResourceName } from "../../resource-name.ts";

/** A change in the store. Objects are frozen. */
export interface StoreEvent<T extends SentObject = SentObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly resource: Pick<ResourceInfo, "group" | "plural">;
  readonly object: T;
  readonly old?: T;
}

/** A selection of the objects of a resource. */
export interface Selection {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The namespace and name of an object, for example in its metadata. */
export type ObjectName = Pick<ObjectMeta, "namespace" | "name">;

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** The scale of an object, whatever its kind. */
export interface ScaleView {
  readonly replicas: number;
  readonly statusReplicas: number;
  /** The selector of the pods, as text; empty when there is none. */
  readonly selector: string;
}

/** Reads are synchronous and see all completed writes. Writes throw `StatusError`. */
export interface ControllerClient {
  find<T extends SentObject>(resource: ResourceName<T>, name: ObjectName): T | undefined;
  list<T extends SentObject>(resource: ResourceName<T>, selection?: Selection): readonly T[];
  /** Every resource that can be listed and deleted, built-in and custom. */
  resources(): readonly ResourceInfo[];
  create<T extends SentObject>(resource: ResourceName<T>, object: SentObject): Promise<T>;
  update<T extends SentObject>(
    resource: ResourceName<T>,
    object: NoInfer<T>,
    subresource?: string,
  ): Promise<T>;
  /** Writes the object's status, where it differs. */
  updateStatus<T extends SentObject & { status?: object }>(
    resource: ResourceName<T>,
    object: NoInfer<T>,
    status: NoInfer<NonNullable<T["status"]>>,
  ): Promise<T>;
  patch<T extends SentObject>(
    resource: ResourceName<T>,
    name: ObjectName,
    patch: object,
    subresource?: string,
  ): Promise<T>;
  /** Puts a pod on a node, as a POST to its `binding` does. */
  bind(pod: ObjectName, node: string): Promise<void>;
  /** A forced server-side apply to an object that exists. */
  apply(resource: ResourceName, object: SentObject): Promise<SentObject>;
  /** @throws StatusError 404 when objects of that kind have no scale, 500 when this one has none */
  findScale(resource: ResourceName, name: ObjectName): ScaleView | undefined;
  rescale(resource: ResourceName, name: ObjectName, replicas: number): Promise<void>;
  remove(resource: ResourceName, name: ObjectName, options?: DeleteOptions): Promise<void>;
  /** Calls `listener` after each change, in the order of the changes. */
  subscribe(listener: (event: StoreEvent) => void): () => void;
}

/** Makes the token of a Secret for a service account. */
export type IssueToken = (
  account: { readonly namespace: string; readonly name: string; readonly uid: string },
  secret: string,
) => string;

/** The cluster's authority, for the controllers of certificates. */
export interface CertificateSigner {
  /** A certificate, PEM. @throws Error when the request is not signed with its key */
  sign(request: CertificateRequest, terms: SigningTerms): string;
  /** Whether a user may create that subresource of CertificateSigningRequests. */
  mayCreate(user: User, subresource: string): boolean;
}

export interface ControllerContext {
  /** The client that writes as `name`, for example `deployment-controller`. */
  clientFor(name: string): ControllerClient;
  readonly clock: Clock;
  /** Logs failed attempts. */
  readonly log?: Logger;
  /** The certificate of the cluster's authority, in PEM: published in each namespace. */
  readonly caCertificate?: string;
  /** The type checks of a ValidatingAdmissionPolicy; when absent, its status has no warnings. */
  readonly checkPolicyTypes?: (
    policy: SentObject,
  ) => readonly { readonly fieldRef: string; readonly warning: string }[];
  /** When absent, Secrets for tokens of service accounts stay empty. */
  readonly issueToken?: IssueToken;
  /** When absent, certificate requests are not signed. */
  readonly certificateSigner?: CertificateSigner;
  /** How many nodes the simulated kubelets run; 1 when absent. */
  readonly nodes?: number;
  /** How long things take on the nodes; `instant` when absent. */
  readonly podTiming?: "real" | "instant";
}
