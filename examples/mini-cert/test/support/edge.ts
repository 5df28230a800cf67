/**
 * Port 80 of the cluster, on the loopback interface: what an Ingress controller and the pods behind it would answer. Pods are
 * simulated, so it reads the file of a request from the ConfigMap that a ready pod has there.
 */
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import type { Client } from "tsop";
import { ConfigMap, Ingress, Pod, Service } from "tsop/k8s";

const ROOT = "/usr/share/nginx/html";

/** Answers for all hosts of the cluster's Ingresses until it is stopped. */
export class Edge {
  /** How many requests it answered with a file. */
  answered = 0;
  /** Whether requests come through to the cluster. */
  isUp = true;
  readonly #openClient: () => Client;
  readonly #server: Server;
  #opened: Client | undefined;

  private constructor(openClient: () => Client) {
    this.#openClient = openClient;
    this.#server = createServer((incoming, response) => {
      this.#fileFor(incoming).then(
        (file) => {
          if (file !== undefined) this.answered++;
          response.writeHead(file === undefined ? 404 : 200).end(file);
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  }

  /** @param openClient - called for the first request: the cluster may be started later */
  static async start(openClient: () => Client): Promise<Edge> {
    const edge = new Edge(openClient);
    edge.#server.listen(0, "127.0.0.1");
    await once(edge.#server, "listening");
    return edge;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("it does not listen");
    return address.port;
  }

  get #client(): Client {
    return (this.#opened ??= this.#openClient());
  }

  /** A request of any host comes here. */
  readonly fetch = async (url: string): Promise<Response> => {
    const { host, pathname } = new URL(url);
    const { port } = this;
    const asked = request({ port, host: "127.0.0.1", path: pathname, headers: { host } }).end();
    return new Promise((resolve, reject) => {
      asked.once("error", reject).once("response", (response) => {
        const { statusCode = 500 } = response;
        text(response).then((body) => resolve(new Response(body, { status: statusCode })), reject);
      });
    });
  };

  async #fileFor({ url, headers: { host } }: IncomingMessage): Promise<string | undefined> {
    const ingresses = !this.isUp ? [] : await this.#client.list(Ingress);
    for (const { metadata, spec } of ingresses) {
      const rule = spec?.rules?.find((one) => one.host === host);
      const path = rule?.http?.paths.find((one) => one.pathType === "Exact" && one.path === url);
      const name = path?.backend.service?.name;
      if (name === undefined) continue;
      return this.#fileOf({ namespace: metadata.namespace, name }, `${ROOT}${url}`);
    }
    return undefined;
  }

  /** A file of the first ready pod of a Service. */
  async #fileOf(
    service: { namespace: string | undefined; name: string },
    path: string,
  ): Promise<string | undefined> {
    const { namespace } = service;
    const labels = (await this.#client.get(Service, service)).spec?.selector;
    const pods = labels ? await this.#client.list(Pod, { namespace, labels }) : [];
    const pod = pods.find(({ status }) =>
      status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
    );
    const mount = pod?.spec?.containers[0]?.volumeMounts?.find(({ mountPath }) =>
      path.startsWith(`${mountPath}/`),
    );
    const volume = pod?.spec?.volumes?.find(({ name }) => name === mount?.name);
    const name = volume?.configMap?.name;
    if (!mount || name === undefined) return undefined;
    const { data } = await this.#client.get(ConfigMap, { namespace, name });
    return data?.[path.slice(mount.mountPath.length + 1)];
  }
}
