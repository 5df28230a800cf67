/**
 * Under which address the server says that it is found: behind the Service `kubernetes`.
 *
 * An address of the loopback is refused there, as by a real server, so one that nobody else can reach is made up.
 *
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ (`--advertise-address`)
 * @module
 */
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { endpointAddressErrors } from "./builtin/shared/addresses/addresses.ts";

/** Of the network of the simulated nodes, and always the same: no node has it. */
const SIMULATED = "10.240.255.254";

/**
 * Where others find a server that listens on `host`: there, or, when it listens everywhere, at this machine's first
 * address; the same made-up one everywhere for a server that only listens to this machine.
 */
export function advertisedAddress(host: string): string {
  const isRefused = (address: string): boolean => endpointAddressErrors("ip", address).length > 0;
  const isEverywhere = host === "0.0.0.0" || host === "::";
  if (isIP(host) !== 0 && !isEverywhere) return isRefused(host) ? SIMULATED : host;
  if (host === "localhost") return SIMULATED;
  const outside = Object.entries(networkInterfaces())
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, addresses = []]) => addresses)
    .find(({ internal, family, address }) => !internal && family === "IPv4" && !isRefused(address));
  return outside?.address ?? SIMULATED;
}
