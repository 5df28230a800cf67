/**
 * Writes the trusted authorities into `caBundle` of the webhook configurations and of the
 * conversion in CRDs. No object is created, and no entry is changed that does not point to the
 * operator's Service.
 */
import type { X509Certificate } from "node:crypto";
import { messageOf } from "../../../errors.ts";
import { CA_BUNDLE_VERBS } from "../../../kube/webhooks/certificate-rights.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { groupResourceOf, metadataOf, type ResourceType } from "../../../kube/resource.ts";
import { isConflict, isForbidden, isInvalid, isNotFound } from "../../../kube/status.ts";
import type { WebhookClientConfig } from "../../../kube/webhooks/webhook-address.ts";
import type { Client } from "../../client/client.ts";
import { jsonPatch, type JsonPatchOperation } from "../../client/patches.ts";

/** An object with the address of a webhook in it. */
interface Addressing extends KubeObject {
  webhooks?: readonly { readonly clientConfig?: WebhookClientConfig }[];
  spec?: {
    readonly conversion?: {
      readonly webhook?: { readonly clientConfig?: WebhookClientConfig };
    };
  };
}

/** A webhook configuration or a CRD that has to trust the operator's authority. */
export interface BundleTarget {
  readonly resource: ResourceType<Addressing>;
  readonly name: string;
}

/** The operator's Service. */
interface ServiceKey {
  readonly namespace: string;
  readonly name: string;
}

/** The parts of the bundles. */
export interface CaBundleParts {
  readonly client: Client;
  readonly service: ServiceKey;
  readonly targets: readonly BundleTarget[];
}

/** A place for a bundle, and its present content. */
interface Slot {
  /** The JSON pointer in the object. */
  readonly pointer: string;
  readonly bundle: string | undefined;
}

interface Found {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly slots: readonly Slot[];
  /** The reason why the bundle is not written, or could not be read again. */
  readonly problem?: string;
  readonly isStale?: boolean;
}

/** The state of a target: the places of its bundles, or the reason why they are unknown. */
type TargetState = Found | { readonly problem: string; readonly isMissing: boolean };

const CERT_MANAGER = /^cert-manager\.io\/inject-/;

/** Reads the bundles, and writes the trusted authorities into them. */
export class CaBundles {
  readonly #parts: CaBundleParts;
  #states = new Map<string, TargetState>();
  #wasChanged = false;

  constructor(parts: CaBundleParts) {
    this.#parts = parts;
  }

  /** The reasons why the API server does not trust the operator, as sentences. */
  get problems(): string[] {
    return [...this.#states.values()].flatMap(({ problem }) => problem ?? []);
  }

  /** Whether no target needs another look soon. */
  get isWell(): boolean {
    return this.problems.length === 0 && !this.#wasChanged;
  }

  /** Whether each existing target trusts an authority. */
  trust(authority: X509Certificate): boolean {
    return [...this.#states.values()].every((state) =>
      "slots" in state
        ? state.problem === undefined && state.slots.every(({ bundle }) => holds(bundle, authority))
        : state.isMissing,
    );
  }

  /** Reads all targets; of unchanged ones only the metadata. */
  async read(): Promise<void> {
    const states = new Map<string, TargetState>();
    for (const target of this.#parts.targets) {
      const name = describe(target);
      states.set(name, await this.#read(target, this.#states.get(name)));
    }
    this.#states = states;
  }

  /**
   * Writes a bundle into all places that were read and differ. The content of the bundle has to be
   * read after the targets: if another replica wrote a later bundle meanwhile, the target has
   * changed, and nothing is written here.
   *
   * @param pem - the authorities
   */
  async write(pem: string): Promise<void> {
    const bundle = Buffer.from(pem).toString("base64");
    this.#wasChanged = false;
    for (const target of this.#parts.targets) {
      const name = describe(target);
      const state = this.#states.get(name);
      if (!state || !("slots" in state) || state.isStale || state.problem !== undefined) continue;
      const changed = state.slots.filter((slot) => slot.bundle !== bundle);
      if (changed.length > 0) this.#states.set(name, await this.#patch(target, state, bundle));
    }
  }

  async #read(target: BundleTarget, known: TargetState | undefined): Promise<TargetState> {
    const { client } = this.#parts;
    const { resource, name } = target;
    try {
      const metadata = await client.find(metadataOf(resource), { name });
      if (!metadata) return missing(target);
      const isSame =
        known &&
        "slots" in known &&
        !known.isStale &&
        known.uid === metadata.metadata.uid &&
        known.resourceVersion === metadata.metadata.resourceVersion;
      if (isSame) return known;
      return this.#found(target, await client.get(resource, { name }));
    } catch (error) {
      if (isNotFound(error)) return missing(target);
      const state = failed(target, "get", error);
      return known && "slots" in known ? { ...known, ...state, isStale: true } : state;
    }
  }

  async #patch(target: BundleTarget, state: Found, bundle: string): Promise<TargetState> {
    const { client } = this.#parts;
    const { resource, name } = target;
    const operations: JsonPatchOperation[] = [
      { op: "test", path: "/metadata/uid", value: state.uid },
      { op: "test", path: "/metadata/resourceVersion", value: state.resourceVersion },
      ...state.slots.map(({ pointer }) => ({ op: "add" as const, path: pointer, value: bundle })),
    ];
    try {
      return this.#found(target, await client.patch(resource, { name }, jsonPatch(operations)));
    } catch (error) {
      // A failed test is an invalid patch, and so is a refused bundle.
      const isRefused = isConflict(error) || isInvalid(error);
      if (isRefused && (await this.#hasChanged(target, state))) {
        this.#wasChanged = true;
        return { ...state, isStale: true };
      }
      return isNotFound(error) ? missing(target) : failed(target, "patch", error);
    }
  }

  async #hasChanged({ resource, name }: BundleTarget, state: Found): Promise<boolean> {
    const now = await this.#parts.client
      .find(metadataOf(resource), { name })
      .catch(() => undefined);
    return now?.metadata.resourceVersion !== state.resourceVersion;
  }

  #found(target: BundleTarget, object: Addressing): Found {
    const { service } = this.#parts;
    const { uid, resourceVersion, annotations = {} } = object.metadata;
    const addresses = addressesIn(object);
    const own = addresses.filter(
      ({ config }) =>
        config.service?.name === service.name && config.service.namespace === service.namespace,
    );
    const slots = own.map(({ pointer, config }) => ({
      pointer: `${pointer}/caBundle`,
      bundle: config.caBundle,
    }));
    const found = { uid, resourceVersion, slots };
    const injected = Object.keys(annotations).find((key) => CERT_MANAGER.test(key));
    if (injected !== undefined) {
      const problem = `${describe(target)} has the annotation ${injected}, so cert-manager also writes its caBundle: remove the annotation, or set the certificate mode to cert-manager.`;
      return { ...found, problem };
    }
    const isElsewhere = addresses.some(({ config }) => config.url !== undefined);
    if (own.length > 0 || isElsewhere) return found;
    const { namespace, name } = service;
    const problem = `${describe(target)} has no webhook at the Service ${namespace}/${name}. Run \`tsop deploy\`.`;
    return { ...found, problem };
  }
}

interface Address {
  /** The JSON pointer of the client configuration. */
  readonly pointer: string;
  readonly config: WebhookClientConfig;
}

/** The addresses of the webhooks in an object. */
function addressesIn({ webhooks = [], spec }: Addressing): Address[] {
  const conversion = spec?.conversion?.webhook?.clientConfig;
  return [
    ...webhooks.flatMap(({ clientConfig }, index) =>
      clientConfig ? [{ pointer: `/webhooks/${index}/clientConfig`, config: clientConfig }] : [],
    ),
    ...(conversion
      ? [{ pointer: "/spec/conversion/webhook/clientConfig", config: conversion }]
      : []),
  ];
}

// A bundle in another spelling is rewritten, so comparing the text is enough.
const holds = (bundle: string | undefined, authority: X509Certificate): boolean =>
  Buffer.from(bundle ?? "", "base64").includes(authority.toString());

const describe = ({ resource, name }: BundleTarget): string => `${resource.kind} ${name}`;

const missing = (target: BundleTarget): TargetState => ({
  problem: `${describe(target)} does not exist. Run \`tsop deploy\`.`,
  isMissing: true,
});

function failed(target: BundleTarget, verb: string, error: unknown): TargetState {
  const { resource, name } = target;
  const rule = `verbs ${CA_BUNDLE_VERBS.join(" and ")} of ${groupResourceOf(resource)}, resourceNames ${name}`;
  const problem = isForbidden(error)
    ? `The operator is not allowed to ${verb} ${groupResourceOf(resource)} ${name}: run \`tsop manifests\` and apply the role (${rule}).`
    : `${describe(target)} could not be ${verb === "get" ? "read" : "changed"}: ${messageOf(error)}`;
  return { problem, isMissing: false };
}
