/** Addresses of this machine only. */
import { BlockList, isIP, isIPv4 } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether a host is `localhost` or a loopback address, with or without the brackets of URLs. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (isIP(name) === 0) return name === "localhost";
  return LOOPBACK.check(name, isIPv4(name) ? "ipv4" : "ipv6");
}
