/** Replicas of an operator with a self-managed certificate, on a small API server and a virtual clock. */
import { X509Certificate } from "node:crypto";
import type { VirtualClock } from "../../../../src/clock.ts";
import type { KubeObject, SentObject } from "../../../../src/kube/object.ts";
import type { ResourceInfo } from "../../../../src/kube/resource.ts";
import type { Logger } from "../../../../src/log.ts";
import { LiveClient } from "../../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../../src/runtime/rest/rest-client.ts";
import type {
  TransportRequest,
  TransportResponse,
} from "../../../../src/runtime/transport/transport.ts";
import {
  type CertificateTimes,
  SelfManaged,
} from "../../../../src/runtime/webhook/certificates/self-managed.ts";
import type { HandlerMarks } from "../../../../src/runtime/webhook/certificates/targets.ts";
import { certificatesIn } from "../../../../src/runtime/serving/pem.ts";
import { MemoryApi } from "../../support/memory-api.ts";

const NAMESPACE = "shop-system";
const SERVICE = { namespace: NAMESPACE, name: "shop-webhook-service" };
const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
export const SECRET = `/api/v1/namespaces/${NAMESPACE}/secrets/shop-webhook-server-cert`;
export const MUTATING = `${ADMISSION}/mutatingwebhookconfigurations/shop-mutating-webhook-configuration`;
export const VALIDATING = `${ADMISSION}/validatingwebhookconfigurations/shop-validating-webhook-configuration`;
export const CRD =
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.shop.example.com";

const WIDGET: ResourceInfo = {
  group: "shop.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

const MARKS: HandlerMarks = {
  webhooks: [true, false].map((mutating) => ({
    mutating,
    path: mutating ? "/mutate" : "/validate",
    configuration: `${mutating ? "mutating" : "validating"}-webhook-configuration`,
    resource: WIDGET,
  })),
  conversions: [{ hub: WIDGET, spoke: { ...WIDGET, version: "v1alpha1" } }],
};

interface Secret extends KubeObject {
  data: Record<string, string>;
}

/** An address in a configuration. */
export interface Address {
  readonly url?: string;
  readonly service?: { readonly namespace: string; readonly name: string };
  readonly caBundle?: string;
}

const configuration = (kind: string, addresses: readonly Address[]): SentObject => {
  const webhooks = addresses.map((clientConfig, index) => ({
    name: `w${index}.kb.io`,
    clientConfig,
  }));
  const apiVersion = "admissionregistration.k8s.io/v1";
  const object: SentObject & { webhooks: object } = { apiVersion, kind, metadata: {}, webhooks };
  return object;
};

const definition = (clientConfig: Address): SentObject => {
  const conversion = { strategy: "Webhook", webhook: { clientConfig } };
  const object: SentObject & { spec: object } = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {},
    spec: { conversion },
  };
  return object;
};

const REASONS = new Map([
  [403, "Forbidden"],
  [404, "NotFound"],
]);

/** The API server, which can be told to refuse. */
export class CertificateApi extends MemoryApi {
  /** The status of a request's answer, where it is to be another. */
  refuse: (method: string, path: string) => number | undefined = () => undefined;

  /** What each request waits for first. */
  before: () => Promise<void> = () => Promise.resolve();

  override async request(request: TransportRequest): Promise<TransportResponse> {
    await this.before();
    const path = request.path.replace(/\?.*/, "");
    const status = this.refuse(request.method, path);
    if (status === undefined) return super.request(request);
    const reason = REASONS.get(status) ?? "InternalError";
    const body = { kind: "Status", status: "Failure", code: status, reason, message: reason };
    return {
      status,
      headers: {},
      body: (async function* () {
        yield await Promise.resolve(Buffer.from(JSON.stringify(body)));
      })(),
      cancel: () => undefined,
    };
  }

  /** What `deploy` puts there: entries of our own Service, and one of somebody else. */
  deploy(): void {
    this.put(MUTATING, configuration("MutatingWebhookConfiguration", [{ service: SERVICE }]));
    this.put(
      VALIDATING,
      configuration("ValidatingWebhookConfiguration", [
        { service: { ...SERVICE, name: "other" }, caBundle: "b3RoZXI=" },
        { service: SERVICE },
        { url: "https://example.com" },
        { service: SERVICE },
      ]),
    );
    this.put(CRD, definition({ service: SERVICE }));
  }

  /** The object of a path. */
  one(path: string): KubeObject | undefined {
    const slash = path.lastIndexOf("/");
    const name = path.slice(slash + 1);
    const isNamed = ({ metadata }: SentObject): boolean => (metadata.name ?? name) === name;
    return this.objects(path.slice(0, slash)).find(isNamed);
  }

  /** The texts in the Secret. */
  get texts(): Record<string, string> {
    const data = (this.one(SECRET) as Secret | undefined)?.data ?? {};
    const texts = Object.entries(data).map(([key, value]) => [
      key,
      Buffer.from(value, "base64").toString(),
    ]);
    return Object.fromEntries(texts) as Record<string, string>;
  }

  /** The addresses in an object. */
  addresses(path: string): Address[] {
    const { webhooks = [], spec } = (this.one(path) ?? {}) as {
      webhooks?: { clientConfig: Address }[];
      spec?: { conversion: { webhook: { clientConfig: Address } } };
    };
    return [
      ...webhooks.map(({ clientConfig }) => clientConfig),
      ...(spec ? [spec.conversion.webhook.clientConfig] : []),
    ];
  }

  /** The bundles at our own Service, of all objects. */
  get bundles(): string[] {
    return [MUTATING, VALIDATING, CRD]
      .flatMap((path) => this.addresses(path))
      .filter(({ service }) => service?.name === SERVICE.name)
      .map(({ caBundle = "" }) => Buffer.from(caBundle, "base64").toString());
  }
}

/** A replica, and what it serves. */
export class Replica {
  readonly provider: SelfManaged;
  readonly log: string[] = [];
  /** Settles with what the start ended with. */
  readonly started: Promise<unknown>;
  served: X509Certificate | undefined;
  renewals = 0;
  /** When the served certificate expires, by each look; `undefined` for one that failed. */
  readonly expiries: (number | undefined)[] = [];
  readonly #stop = new AbortController();

  constructor(api: CertificateApi, clock: VirtualClock, times?: Partial<CertificateTimes>) {
    const client = new LiveClient(new RestClient(api, clock), { fieldManager: "shop" });
    const add = (first: object | string, second?: string): void => {
      this.log.push(typeof first === "string" ? first : (second ?? ""));
    };
    const log: Logger = { debug: add, info: add, warn: add, error: add, child: () => log };
    this.provider = new SelfManaged({
      client,
      clock,
      log,
      namespace: NAMESPACE,
      namePrefix: "shop-",
      marks: MARKS,
      observe: (expiresAtMs) => this.expiries.push(expiresAtMs),
      ...(times ? { times } : {}),
    });
    this.started = this.provider
      .start((renewed) => {
        this.renewals++;
        this.served = new X509Certificate(renewed.cert);
      }, this.#stop.signal)
      .then(
        (first) => {
          this.served ??= new X509Certificate(first.cert);
        },
        (error: unknown) => error,
      );
  }

  /** Why it is not ready; empty when it is. */
  get unready(): string {
    try {
      this.provider.checkReady();
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  stop(): void {
    this.#stop.abort();
  }
}

/** Whether a client that trusts a bundle takes a certificate now. */
export function verifies(bundle: string, leaf: X509Certificate, nowMs: number): boolean {
  const isValid = (one: X509Certificate): boolean =>
    Date.parse(one.validFrom) <= nowMs && nowMs < Date.parse(one.validTo);
  return isValid(leaf) && issuersOf(leaf, bundle).some(isValid);
}

// A simulation asks about the same pair again and again; only the time differs.
const issuers = new WeakMap<X509Certificate, Map<string, readonly X509Certificate[]>>();

/** The certificates of a bundle that have signed another one. */
function issuersOf(leaf: X509Certificate, bundle: string): readonly X509Certificate[] {
  const known = issuers.get(leaf) ?? new Map<string, readonly X509Certificate[]>();
  issuers.set(leaf, known);
  const found =
    known.get(bundle) ??
    certificatesIn(bundle).filter((one) => leaf.checkIssued(one) && leaf.verify(one.publicKey));
  known.set(bundle, found);
  return found;
}
