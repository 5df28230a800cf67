/**
 * Extension API servers: APIServices with a Service. Requests to their group versions are passed on to them.
 *
 * @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 */
import type { IncomingMessage } from "node:http";
import { messageOf } from "../../errors.ts";
import { sameJson } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";
import { timeOf } from "../../kube/values/times.ts";
import type { Timer } from "../../clock.ts";
import { CertificateAuthority } from "../auth/certificates.ts";
import { newKey } from "../auth/keys.ts";
import type { ApiService } from "../builtin/kinds/apiregistration/api-service.ts";
import { SERVICES } from "../builtin/tokens.ts";
import type { DiscoveredResource } from "../discovery/versions.ts";
import type { User } from "../kinds.ts";
import { collectionOf } from "../resource-name.ts";
import type { Change } from "../store/change.ts";
import { storeKey } from "../store/store.ts";
import { type Availability, type Surroundings, checkAvailability } from "./availability.ts";
import { discoveredResources } from "./discovered.ts";
import { bodyOf, sendTo } from "./extension-server.ts";

const API_SERVICES = "apiservices.apiregistration.k8s.io";
const AGAIN_MS = 30_000;

/** A request for an extension API server. */
export interface ExtensionRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly user: User;
  body(): Promise<Uint8Array>;
  whenGone(listener: () => void): void;
}

/** The answer of an extension API server; a stream of text for a watch. */
export interface ExtensionAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array | ((write: (text: string) => void) => Promise<void>);
}

interface Extension {
  readonly service: ApiService;
  /** Absent before the first check. */
  availability?: Availability;
}

/** Follows the APIServices, and passes requests on to their servers. */
export class Aggregator {
  /** The certificate, PEM, of the authority of front proxies: extension API servers trust it. */
  readonly authority: string;
  readonly #surroundings: Surroundings;
  readonly #extensions = new Map<string, Extension>();
  #release: () => void = () => undefined;
  #timer: Timer | undefined;

  constructor(surroundings: Omit<Surroundings, "frontProxy">) {
    const { clock } = surroundings;
    // Not the authority of clients: it would sign the front proxy's name for others.
    const authority = new CertificateAuthority(clock, newKey(clock));
    this.authority = authority.certificate;
    this.#surroundings = { ...surroundings, frontProxy: authority.client("front-proxy-client") };
  }

  start(): void {
    const { store } = this.#surroundings;
    for (const object of store.list(API_SERVICES)) this.#follow(object);
    this.#release = store.subscribe((change) => this.#see(change));
  }

  stop(): void {
    this.#release();
    this.#timer?.cancel();
  }

  /** The resources of the servers that are available. */
  get resources(): readonly DiscoveredResource[] {
    return [...this.#extensions.values()].flatMap(({ service: { spec }, availability }) =>
      discoveredResources(spec.group ?? "", spec.version ?? "", availability?.resources ?? []),
    );
  }

  /** The group versions of all servers. */
  get versions(): readonly { readonly group: string; readonly version: string }[] {
    return [...this.#extensions.values()].map(({ service: { spec } }) => ({
      group: spec.group ?? "",
      version: spec.version ?? "",
    }));
  }

  /** Whether an extension API server has the path. */
  has(path: string): boolean {
    return this.#extensions.size > 0 && this.#at(path) !== undefined;
  }

  /** Passes a request on; 503 while the server is unavailable. */
  async answer(request: ExtensionRequest): Promise<ExtensionAnswer> {
    const { service, availability } = this.#at(request.path) ?? {};
    if (!service || !availability?.available || availability.address === undefined) {
      return textAnswer("service unavailable");
    }
    const { method, path, query, headers } = request;
    const gone = new AbortController();
    request.whenGone(() => gone.abort());
    const body = method === "GET" || method === "HEAD" ? undefined : await request.body();
    const parameters = query.toString();
    const sent = {
      method,
      target: parameters === "" ? path : `${path}?${parameters}`,
      headers: { ...passedOn(headers), ...remoteUser(request.user) },
      ...(body ? { body } : {}),
      signal: gone.signal,
    };
    try {
      const { frontProxy } = this.#surroundings;
      const answer = await sendTo(service.spec, availability.address, frontProxy, sent);
      return await answerOf(answer, request);
    } catch (error) {
      return textAnswer(`error trying to reach service: ${messageOf(error)}`);
    }
  }

  #at(path: string): Extension | undefined {
    const [, root, group, version] = path.split("/");
    return root === "apis" ? this.#extensions.get(`${version}.${group}`) : undefined;
  }

  #see({ collection, type, object, old }: Change): void {
    if (collection === API_SERVICES) {
      if (type === "DELETED") this.#extensions.delete(object.metadata.name ?? "");
      else if (!old || !sameJson(asService(old).spec, asService(object).spec)) this.#follow(object);
      return;
    }
    if (collection !== collectionOf(SERVICES)) return;
    const { namespace, name } = object.metadata;
    for (const extension of this.#extensions.values()) {
      const { service } = extension.service.spec;
      if (service?.namespace === namespace && service?.name === name) this.#check(extension);
    }
  }

  #follow(object: SentObject): void {
    const service = asService(object);
    const name = object.metadata.name ?? "";
    this.#extensions.delete(name);
    if (!service.spec.service) return;
    const extension: Extension = { service };
    this.#extensions.set(name, extension);
    this.#check(extension);
    this.#checkAgain();
  }

  #checkAgain(): void {
    this.#timer ??= this.#surroundings.clock.after(
      AGAIN_MS,
      () => {
        this.#timer = undefined;
        for (const extension of this.#extensions.values()) this.#check(extension);
        if (this.#extensions.size > 0) this.#checkAgain();
      },
      { unref: true },
    );
  }

  #check(extension: Extension): void {
    // The change that led here is not told to others before this returns.
    void Promise.resolve()
      .then(() => checkAvailability(this.#surroundings, extension.service))
      .then((availability) => {
        const name = extension.service.metadata.name ?? "";
        if (this.#extensions.get(name) !== extension) return;
        extension.availability = availability;
        this.#tell(name, availability);
      });
  }

  /** Sets the condition of an APIService, unless it is the same. */
  #tell(name: string, { available, reason, message }: Availability): void {
    const { store, clock } = this.#surroundings;
    const found = store.get(API_SERVICES, storeKey(undefined, name));
    if (!found) return;
    const { status: told = {} } = asService(found);
    const others = (told.conditions ?? []).filter(({ type }) => type !== "Available");
    const before = told.conditions?.find(({ type }) => type === "Available");
    const status = available ? "True" : "False";
    if (before?.status === status && before.reason === reason && before.message === message) return;
    const lastTransitionTime =
      before?.status === status ? before.lastTransitionTime : timeOf(clock.now());
    const condition = { lastTransitionTime, message, reason, status, type: "Available" };
    const conditions = [...others, condition];
    const next = { ...found, metadata: { ...found.metadata }, status: { ...told, conditions } };
    store.put(API_SERVICES, next);
  }
}

const asService = (object: SentObject): ApiService => object as unknown as ApiService;

/** Headers of the connection, of the client's login, and those that only a front proxy sets. */
const KEPT_BACK =
  /^(authorization|connection|content-length|accept-encoding|host|impersonate-.*|keep-alive|te|trailer|transfer-encoding|upgrade|x-remote-.*)$/;

function passedOn(headers: ExtensionRequest["headers"]): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !KEPT_BACK.test(name)) passed[name] = value;
  }
  return passed;
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy */
function remoteUser({ name, uid, groups, extra = {} }: User): Record<string, string | string[]> {
  const encoded = Object.entries(extra).map(
    ([key, values]) => [`x-remote-extra-${encodeURIComponent(key)}`, [...values]] as const,
  );
  return {
    "x-remote-user": name,
    ...(uid === undefined ? {} : { "x-remote-uid": uid }),
    "x-remote-group": [...groups],
    ...Object.fromEntries(encoded),
  };
}

const textAnswer = (text: string): ExtensionAnswer => ({
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: `${text}\n`,
});

const OF_CONNECTION = /^(connection|content-length|date|keep-alive|trailer|transfer-encoding)$/;

async function answerOf(
  answer: IncomingMessage,
  { path, query }: ExtensionRequest,
): Promise<ExtensionAnswer> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !OF_CONNECTION.test(name)) headers[name] = value;
  }
  const status = answer.statusCode ?? 502;
  const isWatch =
    /^\/apis\/[^/]+\/[^/]+\/watch\//.test(path) || /^(1|true)$/.test(query.get("watch") ?? "");
  if (!isWatch || status !== 200) return { status, headers, body: await bodyOf(answer) };
  answer.setEncoding("utf8");
  return {
    status,
    headers,
    body: async (write) => {
      for await (const text of answer as AsyncIterable<string>) write(text);
    },
  };
}
