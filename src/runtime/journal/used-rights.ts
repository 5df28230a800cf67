/** The rights that an operator's requests use, including watches, Leases, and events. */
import type { Clock } from "../../clock.ts";
import type {
  Transport,
  TransportRequest,
  TransportResponse,
  UpgradeAnswer,
} from "../transport/transport.ts";
import { noUpgrade } from "../transport/upgraded-connection.ts";
import { askedObject, type AskedObject } from "./asked-object.ts";
import { tableOf } from "../../table.ts";

/** A right, and how often it was used. */
export interface UsedRight {
  /** The verb, in the words of roles: `list`, `watch`, `patch`; an apply is a patch. */
  readonly verb: string;
  /** The resource: `deployments.apps`. */
  readonly resource: string;
  readonly subresource?: string;
  readonly count: number;
  /** How many of the requests were answered with 403. */
  readonly refused: number;
}

/** The limit of rights: more than there are, unless names are made up. */
const MOST_RIGHTS = 500;
const CREATED = 201;
const FORBIDDEN = 403;
const WATCHES = /[?&]watch=(?:true|1)(?:&|$)/;

export class UsedRights {
  readonly #rights = new Map<string, UsedRight>();

  /** A transport that counts its requests. */
  count(inner: Transport): Transport {
    return new CountingTransport(inner, this);
  }

  /** Counts a request that was answered. */
  note({ method, path }: Pick<TransportRequest, "method" | "path">, status: number): void {
    const asked = askedObject(path.replace(/\?.*$/s, ""));
    if (!asked) return;
    const verb = rightVerb(method, path, asked);
    this.#count(verb, asked, status);
    // An apply that creates an object is authorized twice.
    if (method === "PATCH" && status === CREATED) this.#count("create", asked, status);
  }

  #count(verb: string, { resource, subresource }: AskedObject, status: number): void {
    const id = `${verb} ${resource}/${subresource ?? ""}`;
    const before = this.#rights.get(id);
    if (!before && this.#rights.size >= MOST_RIGHTS) return;
    this.#rights.set(id, {
      verb,
      resource,
      ...(subresource !== undefined && { subresource }),
      count: (before?.count ?? 0) + 1,
      refused: (before?.refused ?? 0) + (status === FORBIDDEN ? 1 : 0),
    });
  }

  list(): UsedRight[] {
    return [...this.#rights.values()];
  }
}

const VERBS = tableOf<string>({ POST: "create", PUT: "update", PATCH: "patch" });

/** The verb that the authorizer checks. */
function rightVerb(method: string, path: string, { name }: AskedObject): string {
  if (method === "DELETE") return name === undefined ? "deletecollection" : "delete";
  if (method !== "GET") return VERBS.get(method) ?? method.toLowerCase();
  if (WATCHES.test(path)) return "watch";
  return name === undefined ? "list" : "get";
}

/** Counts each request once its answer begins. */
class CountingTransport implements Transport {
  readonly #inner: Transport;
  readonly #rights: UsedRights;

  constructor(inner: Transport, rights: UsedRights) {
    this.#inner = inner;
    this.#rights = rights;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#inner.request(request);
    this.#rights.note(request, response.status);
    return response;
  }

  async upgrade(request: TransportRequest): Promise<UpgradeAnswer> {
    if (!this.#inner.upgrade) throw noUpgrade(this.server);
    const answer = await this.#inner.upgrade(request);
    this.#rights.note(request, "status" in answer ? answer.status : 101);
    return answer;
  }

  get server(): string {
    return this.#inner.server;
  }

  close(): void {
    this.#inner.close();
  }

  get isQuiet(): boolean | undefined {
    return this.#inner.isQuiet;
  }

  get clock(): Clock | undefined {
    return this.#inner.clock;
  }
}
