/**
 * The servers for the example mini-cert: an ACME server, and the hosts that it checks, served by
 * the cluster.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AcmeServer } from "../../examples/mini-cert/test/support/acme-server.ts";
import { Edge } from "../../examples/mini-cert/test/support/edge.ts";
import { systemClock } from "../../src/clock.ts";
import { createClient, loadClusterConfig } from "../../src/index.ts";

const DAYS_90_MS = 90 * 24 * 3_600_000;
/**
 * A module that is loaded into the operator: it sends requests for the example's hosts to the
 * loopback interface.
 */
const HOSTS = `import { request } from "node:http";
const { fetch } = globalThis;
globalThis.fetch = (url, init) => {
  const { host, hostname, pathname } = new URL(url);
  if (!hostname.endsWith(".example.com")) return fetch(url, init);
  return new Promise((resolve, reject) => {
    request({ port: EDGE_PORT, host: "127.0.0.1", path: pathname, headers: { host } })
      .once("error", reject)
      .once("response", async (response) => {
        const body = (await response.toArray()).join("");
        resolve(new Response(body, { status: response.statusCode }));
      })
      .end();
  });
};
`;

/** An ACME server and port 80 of a cluster, on the loopback interface. */
export class AcmeWorld {
  readonly #edge: Edge;
  readonly #acme: AcmeServer;
  /** The environment of the operator's process. */
  readonly environment: Readonly<Record<string, string>>;

  private constructor(edge: Edge, acme: AcmeServer, hosts: string) {
    this.#edge = edge;
    this.#acme = acme;
    this.environment = { NODE_OPTIONS: `--import=${hosts}` };
  }

  /**
   * Starts both.
   *
   * @param folder - gets a file that the operator loads
   * @param readKubeconfig - of the cluster, which may be started later
   */
  static async start(folder: string, readKubeconfig: () => string): Promise<AcmeWorld> {
    const edge = await Edge.start(() =>
      createClient(loadClusterConfig({ kubeconfigText: readKubeconfig() }), { name: "edge" }),
    );
    const acme = await AcmeServer.start({
      clock: systemClock,
      fetch: edge.fetch,
      lifetimeMs: () => DAYS_90_MS,
    });
    const hosts = join(folder, "hosts.mjs");
    writeFileSync(hosts, HOSTS.replace("EDGE_PORT", String(edge.port)));
    return new AcmeWorld(edge, acme, hosts);
  }

  get directoryUrl(): string {
    return this.#acme.directoryUrl;
  }

  async stop(): Promise<void> {
    await this.#acme.stop();
    await this.#edge.stop();
  }
}
