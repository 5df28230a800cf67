/**
 * Addresses on this machine of the servers behind Services: there is no cluster network to find
 * them.
 */
import { quote } from "../../kube/field-errors.ts";
import { SERVICES } from "../builtin/tokens.ts";
import { type ObjectSource, collectionOf } from "../resource-name.ts";
import { storeKey } from "../store/store.ts";

/** An address (`host:port`), or a promise of one that is known soon: calls wait for it. */
export type ServiceAddress = string | Promise<string>;

/** A port of a Service. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  /** Defaults to 443. */
  readonly port?: number;
}

/** The annotation of a Service with its address, or with `PORT=ADDRESS` for some of its ports, comma-separated. */
const ROUTE = "tsop.dev/route";

const ADDRESS = String.raw`(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}`;
const ROUTE_PATTERN = new RegExp(
  `^([a-z0-9]([-a-z0-9]*[a-z0-9])?/[a-z0-9]([-a-z0-9]*[a-z0-9])?(?::[0-9]{1,5})?)=(${ADDRESS})$`,
);
const PORT_ROUTE = new RegExp(`^(?:([0-9]{1,5})=)?(${ADDRESS})$`);

/** The Service and the address in `namespace/name[:port]=host:port`; `undefined` for any other text. */
export function parseRoute(text: string): readonly [service: string, address: string] | undefined {
  const [, service, , , address] = ROUTE_PATTERN.exec(text) ?? [];
  return service === undefined || address === undefined ? undefined : [service, address];
}

/** Addresses of Services, which may change while the control plane runs. */
export class ServiceRoutes {
  readonly #addresses: Map<string, ServiceAddress>;

  /** @param addresses - by `namespace/name`, or `namespace/name:port` for one port */
  constructor(addresses: Iterable<readonly [string, ServiceAddress]> = []) {
    this.#addresses = new Map(addresses);
  }

  /** Sets the address of a Service from now on; `undefined` removes it. */
  set(service: string, address: ServiceAddress | undefined): void {
    if (address === undefined) {
      this.#addresses.delete(service);
      return;
    }
    // The caller gets the reason of the failure; without a call nobody needs it.
    if (typeof address !== "string") address.catch(() => undefined);
    this.#addresses.set(service, address);
  }

  /**
   * The address of a port of a Service: the one that was set, or that of its annotation; `undefined` without one.
   *
   * @throws Error for an annotation that cannot be read
   */
  find(
    store: Pick<ObjectSource, "get">,
    { namespace, name, port = 443 }: ServicePort,
  ): ServiceAddress | undefined {
    const key = `${namespace}/${name}`;
    const set = this.#addresses.get(`${key}:${port}`) ?? this.#addresses.get(key);
    if (set !== undefined) return set;
    const service = store.get(collectionOf(SERVICES), storeKey(namespace, name));
    const annotation = service?.metadata.annotations?.[ROUTE];
    if (annotation === undefined) return undefined;
    const routes = annotation.split(",").map((text) => PORT_ROUTE.exec(text.trim()));
    if (routes.includes(null)) {
      throw new Error(
        `the annotation ${ROUTE} of service ${quote(key)} is ${quote(annotation)}: write host:port, or port=host:port for each port`,
      );
    }
    const found = routes.find((route) => route?.[1] === undefined || Number(route[1]) === port);
    return found?.[2];
  }

  /** A copy for another control plane. */
  copy(): ServiceRoutes {
    return new ServiceRoutes(this.#addresses);
  }
}

/** Why a Service without an address on this machine cannot be called, and how to give it one. */
export function whyUnreachable(
  store: Pick<ObjectSource, "get">,
  { namespace, name, port = 443 }: ServicePort,
): string {
  const found = store.get(collectionOf(SERVICES), storeKey(namespace, name));
  if (!found) return `service ${quote(name)} not found`;
  const { spec } = found;
  const address = spec.clusterIP ?? "";
  if (address === "" || address === "None") {
    return `cannot route to service with ClusterIP ${quote(address)}`;
  }
  if (!spec.ports?.some((one) => one.port === port)) {
    return `no service port ${port} found for service ${quote(name)}`;
  }
  return `dial tcp ${address}:${port}: connect: no route to host (no program runs in pods here; give the address of one on this machine with --route-service ${namespace}/${name}=host:port, or with the annotation ${ROUTE}: host:port of the Service)`;
}
