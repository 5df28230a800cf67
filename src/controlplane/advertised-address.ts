/**
 * The address that the server advertises: the endpoint of the Service `kubernetes`.
 *
 * A loopback address is invalid there, as on a real server, so a server on the loopback makes one
 * up.
 *
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
 * (`--advertise-address`)
 */
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { endpointAddressErrors } from "./builtin/shared/addresses/addresses.ts";

/** In the network of the simulated nodes, and always the same; no node has it. */
const SIMULATED = "10.240.255.254";

/**
 * The address of a server that listens on `host`: that one; this machine's first address for a
 * server on all interfaces; the same made-up one everywhere for a server on the loopback.
 */
export function advertisedAddress(host: string): string {
  const isRefused = (address: string): boolean => endpointAddressErrors(address).length > 0;
  const isEverywhere = host === "0.0.0.0" || host === "::";
  if (isIP(host) !== 0 && !isEverywhere) return isRefused(host) ? SIMULATED : host;
  if (host === "localhost") return SIMULATED;
  const outside = Object.entries(networkInterfaces())
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, addresses = []]) => addresses)
    .find(({ internal, family, address }) => !internal && family === "IPv4" && !isRefused(address));
  return outside?.address ?? SIMULATED;
}
