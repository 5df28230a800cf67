/**
 * Where the webhooks behind Services are in this machine: there is no cluster network that would know.
 *
 * @module
 */

/** An address (`host:port`), or one that is known soon: who calls waits for it. */
export type ServiceAddress = string | Promise<string>;

/** Addresses of Services, which may change while the control plane runs. */
export class ServiceRoutes {
  readonly #addresses: Map<string, ServiceAddress>;

  /** @param addresses - by `namespace/name`, or `namespace/name:port` for one port */
  constructor(addresses: Iterable<readonly [string, ServiceAddress]> = []) {
    this.#addresses = new Map(addresses);
  }

  /** Says where a Service is from now on; `undefined` takes it away. */
  set(service: string, address: ServiceAddress | undefined): void {
    if (address === undefined) {
      this.#addresses.delete(service);
      return;
    }
    // Who calls is told why it failed; without a call nobody needs to know.
    if (typeof address !== "string") address.catch(() => undefined);
    this.#addresses.set(service, address);
  }

  /** Where a port of a Service is; `undefined` when nothing was said of it. */
  find(namespace: string, name: string, port: number): ServiceAddress | undefined {
    const key = `${namespace}/${name}`;
    return this.#addresses.get(`${key}:${port}`) ?? this.#addresses.get(key);
  }

  /** The same routes for another control plane. */
  copy(): ServiceRoutes {
    return new ServiceRoutes(this.#addresses);
  }
}
