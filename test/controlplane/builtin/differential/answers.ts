/**
 * Asks a server, and brings its answers into a form that does not depend on when and where they were given.
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { parse } from "yaml";

/** A normalised answer. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
}

interface Kubeconfig {
  readonly clusters: readonly { cluster: Record<string, string> }[];
  readonly users: readonly { user: Record<string, string> }[];
}

const KEPT_SOCKETS = 8;

/** A connection to the server that a kubeconfig names. */
export class Asker {
  readonly #base: URL;
  readonly #agent: Agent;

  constructor(kubeconfig: string) {
    const { clusters, users } = parse(kubeconfig) as Kubeconfig;
    const cluster = clusters[0]?.cluster ?? {};
    const user = users[0]?.user ?? {};
    const read = (from: Record<string, string>, key: string): Buffer => {
      const data = from[`${key}-data`];
      return data === undefined ? readFileSync(from[key] ?? "") : Buffer.from(data, "base64");
    };
    this.#base = new URL(cluster["server"] ?? "");
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: KEPT_SOCKETS,
      ca: read(cluster, "certificate-authority"),
      cert: read(user, "client-certificate"),
      key: read(user, "client-key"),
    });
  }

  /** The answer as it came; status 0 when there was none, as a real server drops a connection when it panics. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    contentType = "application/json",
  ): Promise<Answer> {
    try {
      return await this.#ask(method, path, body, contentType);
    } catch (error) {
      if ((error as { code?: string }).code !== "ECONNRESET") throw error;
      return { status: 0, body: null, warnings: [] };
    }
  }

  #ask(method: string, path: string, body: unknown, contentType: string): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const call = request(
        {
          agent: this.#agent,
          host: this.#base.hostname,
          port: this.#base.port,
          method,
          path,
          headers: {
            accept: "application/json",
            "user-agent": "differential/1",
            ...(text === undefined
              ? {}
              : { "content-type": contentType, "content-length": Buffer.byteLength(text) }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const whole = Buffer.concat(chunks).toString();
            resolve({
              status: response.statusCode ?? 0,
              body: jsonOr(whole),
              warnings: (response.headers.warning ?? "")
                .split(/, (?=299 )/)
                .filter((one) => one !== ""),
            });
          });
        },
      );
      call.on("error", reject);
      call.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const DAY_MS = 86_400_000;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const UID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** What servers choose by chance: addresses of services, ports of nodes, names of token volumes; not those of a dry run. */
const CHOSEN: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\b10\.96\.(?!0\.0\b)\d+\.\d+\b/g, "<address>"],
  [/((?:healthCheckN|n)odePort\\?":)3(?!276[89]|277\d)[0-2]\d{3}\b/gi, '$1"<port>"'],
  [/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-<random>"],
  [/X509SHA256=[0-9a-f]{64}/g, "X509SHA256=<digest>"],
];

/**
 * The answer without what is different each time.
 *
 * @param asked - the request's body: what stands there is not by chance
 * @param version - of the stored object
 */
export function normalise(
  { status, body, warnings }: Answer,
  asked: unknown,
  version: string,
): Answer {
  const given = JSON.stringify(asked);
  const now = Date.now();
  let text = JSON.stringify(body)
    .replace(TIME, (time) => (Math.abs(Date.parse(time) - now) < DAY_MS ? "<now>" : time))
    .replace(UID, (uid) => (given.includes(uid) ? uid : "<uid>"));
  for (const [pattern, replacement] of CHOSEN) {
    text = text.replace(pattern, (found, ...groups: unknown[]) =>
      given.includes(found) ? found : replacement.replace("$1", String(groups[0])),
    );
  }
  if (version !== "") {
    text = text.replace(
      new RegExp(`(resourceVersion\\\\*":\\\\*")${version}(\\\\*")`, "gi"),
      "$1<version>$2",
    );
  }
  return { status, body: comparable(JSON.parse(text) as unknown), warnings };
}

interface Comparable {
  readonly kind?: string;
  readonly metadata?: { managedFields?: { manager?: string }[] };
  status?: unknown;
}

/** Whether an APIService is available is seen by a controller of the real server, some time. */
function comparable(body: unknown): unknown {
  const object = (body ?? {}) as Comparable;
  if (object.kind === "APIService" && object.metadata) {
    delete object.status;
    const { managedFields } = object.metadata;
    if (managedFields) {
      object.metadata.managedFields = managedFields.filter(
        ({ manager, ...rest }) => manager !== "kube-apiserver" && !("subresource" in rest),
      );
    }
  }
  return sortManagers(body);
}

/** The order of managers depends on the second in which each wrote. */
function sortManagers(body: unknown): unknown {
  const { metadata } = (body ?? {}) as { metadata?: { managedFields?: unknown[] } };
  metadata?.managedFields?.sort((one, other) =>
    JSON.stringify(one).localeCompare(JSON.stringify(other)),
  );
  return body;
}
