/** The way to the API server with one configuration: address, proxy, certificates, connections. */
import type { Socket } from "node:net";
import type { Clock } from "../../clock.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { ConnectionPool } from "./connection-pool.ts";
import type { Credentials } from "./credentials/credentials.ts";
import { isTrustedBy } from "./peer-trust.ts";
import { proxyUrl } from "./proxy.ts";
import { proxyAuthorization } from "./proxy-tunnel.ts";
import { serverUrl } from "./server-address.ts";

/** A part of a route that can be renewed. */
export type RoutePart = "server" | "certificate-authority" | "client-certificate";

type Certificate = Credentials["certificate"];

export class Route {
  readonly config: ClusterConfig;
  /** The server with its scheme, for messages. */
  readonly server: string;
  readonly url: URL;
  /** What precedes the path of a request: a path, or an origin for a proxy that needs the target. */
  readonly base: string;
  /** For a proxy that reads the requests; a tunnel gets the login when it is opened. */
  readonly proxyLogin: Readonly<Record<string, string>>;
  readonly certificate: Certificate;
  readonly pool: ConnectionPool;

  /**
   * @param earlier - the route before; its connections are used on if nothing about them changes
   * @throws TsopError `server-address`, `proxy-unusable`
   */
  constructor(config: ClusterConfig, certificate: Certificate, clock: Clock, earlier?: Route) {
    this.config = config;
    this.certificate = certificate;
    this.server = config.server.includes("://") ? config.server : `https://${config.server}`;
    this.url = serverUrl(config.server);
    const proxy = config.proxy === undefined ? undefined : proxyUrl(config.proxy);
    // A proxy that gets requests in clear text needs their target.
    const reader =
      this.url.protocol === "http:" && proxy?.protocol.startsWith("http") ? proxy : undefined;
    const path = this.url.pathname.replace(/\/+$/, "");
    this.base = reader ? this.url.origin + path : path;
    const login = reader && proxyAuthorization(reader);
    this.proxyLogin = login === undefined ? {} : { "Proxy-Authorization": login };
    const { ca, serverName, skipTlsVerify } = config;
    const isSame = earlier?.changesTo(config, certificate).length === 0;
    this.pool = isSame
      ? earlier.pool
      : new ConnectionPool(clock, {
          url: this.url,
          ca,
          serverName,
          skipTlsVerify,
          certificate,
          proxy,
        });
  }

  /** The parts that differ, so that other connections are needed; none for an equal configuration. */
  changesTo(config: ClusterConfig, certificate: Certificate): RoutePart[] {
    const { server, proxy, ca, serverName, skipTlsVerify } = this.config;
    const changed: RoutePart[] = [];
    if (server !== config.server || proxy !== config.proxy) changed.push("server");
    const isSameTrust =
      ca === config.ca &&
      serverName === config.serverName &&
      Boolean(skipTlsVerify) === Boolean(config.skipTlsVerify);
    if (!isSameTrust) changed.push("certificate-authority");
    const { cert, key } = this.certificate ?? {};
    if (cert !== certificate?.cert || key !== certificate?.key) changed.push("client-certificate");
    return changed;
  }

  /**
   * Lets the connections end: at once, with their exchange, or after a grace period if the next
   * route would not have made them.
   */
  retireFor(next: Route): void {
    const { server, proxy, serverName, ca, skipTlsVerify } = next.config;
    const isSameServer =
      server === this.config.server &&
      proxy === this.config.proxy &&
      serverName === this.config.serverName;
    const accepts = (socket: Socket): boolean =>
      isSameServer &&
      (skipTlsVerify === true ||
        this.config.ca === ca ||
        (ca !== undefined && isTrustedBy(socket, ca)));
    const why = isSameServer
      ? "the certificate authority was renewed, and no longer has that of this connection"
      : `the configuration now names the server ${next.server}`;
    this.pool.retire({ accepts, why });
  }
}
