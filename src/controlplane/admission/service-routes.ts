/**
 * Addresses on this machine of the webhooks behind Services: there is no cluster network to find
 * them.
 */

/** An address (`host:port`), or a promise of one that is known soon: calls wait for it. */
export type ServiceAddress = string | Promise<string>;

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

  /** The address of a port of a Service; `undefined` when none was set. */
  find(namespace: string, name: string, port: number): ServiceAddress | undefined {
    const key = `${namespace}/${name}`;
    return this.#addresses.get(`${key}:${port}`) ?? this.#addresses.get(key);
  }

  /** A copy for another control plane. */
  copy(): ServiceRoutes {
    return new ServiceRoutes(this.#addresses);
  }
}
