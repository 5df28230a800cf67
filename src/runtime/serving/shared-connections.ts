/**
 * The connections of a server, shared among the networks and addresses that open them: when there are as many as it may
 * have, the network with the most loses one to a newcomer whose network has fewer, and within a network the address. So a
 * client that holds all connections keeps no other out, and neither do the pods of a node that hold one each.
 *
 * A limit for each address was left: several API servers may come from one address, that of a proxy or a tunnel, and have more
 * requests under way at once than any number that would stop a stranger.
 */
import { isIPv4, type Socket } from "node:net";

/** Of each address in the order in which they came. */
interface Network {
  readonly byAddress: Map<string, Set<Socket>>;
  count: number;
}

const newNetwork = (): Network => ({ byAddress: new Map(), count: 0 });

export class SharedConnections {
  readonly #max: number;
  readonly #networks = new Map<string, Network>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** A connection was opened: it, or one of another address, is ended where there are too many. */
  opened(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const name = networkOf(address);
    const network = this.#networks.get(name) ?? newNetwork();
    this.#networks.set(name, network);
    const own = network.byAddress.get(address) ?? new Set<Socket>();
    network.byAddress.set(address, own.add(socket));
    network.count++;
    this.#count++;
    socket.once("close", () => {
      this.#forget(name, address, socket);
    });
    if (this.#count <= this.#max) return;
    const largest = largestOf(this.#networks.values(), ({ count }) => count) ?? network;
    const isForeign = largest.count > network.count;
    const among = isForeign ? largest : network;
    const most = largestOf(among.byAddress.values(), ({ size }) => size) ?? own;
    const [oldest] = most;
    const ended = isForeign || most.size > own.size ? oldest : socket;
    ended?.destroy();
  }

  #forget(name: string, address: string, socket: Socket): void {
    const network = this.#networks.get(name);
    const sockets = network?.byAddress.get(address);
    if (!network || !sockets?.delete(socket)) return;
    this.#count--;
    network.count--;
    if (sockets.size === 0) network.byAddress.delete(address);
    if (network.count === 0) this.#networks.delete(name);
  }
}

/** The first one of those with the most. */
function largestOf<T>(all: Iterable<T>, sizeOf: (one: T) => number): T | undefined {
  let largest: T | undefined;
  for (const one of all) if (!largest || sizeOf(one) > sizeOf(largest)) largest = one;
  return largest;
}

const IPV6_GROUPS = 8;
const IPV6_NETWORK_GROUPS = 4;

/** The network that one client can have many addresses of: /24 and /64, as pods of a node usually share. */
export function networkOf(address: string): string {
  const v4 = address.replace(/^::ffff:/i, "");
  if (isIPv4(v4)) return v4.slice(0, v4.lastIndexOf("."));
  const [start = "", end] = (address.split("%", 1)[0] ?? "").split("::");
  const groupsOf = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const [first, last] = [groupsOf(start), groupsOf(end ?? "")];
  const missing = Math.max(0, IPV6_GROUPS - first.length - last.length);
  const groups = [...first, ...Array.from({ length: missing }, () => "0"), ...last];
  return groups.slice(0, IPV6_NETWORK_GROUPS).join(":");
}
