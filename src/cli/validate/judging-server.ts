/** An API server in this process that judges objects and keeps none: its answers are those of the control plane. */
import { type ControlPlane, startWithoutWebhooks } from "../../controlplane/control-plane.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { Status } from "../../kube/status.ts";
import { listAt, objectAt, textAt } from "../doctor/values.ts";

export interface ServerAnswer {
  readonly accepted: boolean;
  /** The object as it would be stored, or a Status. */
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

/** A kind as it is served. */
export interface ServedKind {
  readonly namespaced: boolean;
  /** The path of the objects of a namespace, or of the cluster. */
  collection(namespace: string): string;
}

export interface SendOptions {
  /** Stores the object, since others need it. */
  readonly keep?: boolean;
  /** Ignores fields that the kind does not have, without a word. */
  readonly lenient?: boolean;
}

const CERTIFICATE = { user: "admin", groups: ["system:masters"] };

export class JudgingServer {
  readonly #cluster: ControlPlane;
  readonly #resources = new Map<string, Promise<readonly unknown[]>>();
  readonly #documents = new Map<string, Promise<JsonObject>>();

  private constructor(cluster: ControlPlane) {
    this.#cluster = cluster;
  }

  /**
   * Starts a server, without a port and with nothing simulated. It calls no webhook: the manifests to judge may come from anywhere, and their hosts
   * would get the user's objects.
   */
  static async start(): Promise<JudgingServer> {
    return new JudgingServer(await startWithoutWebhooks({ listen: false, controllers: "off" }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster.stop();
  }

  /** The kind as it is served; `undefined` where it is not. */
  async kind(apiVersion: string, kind: string): Promise<ServedKind | undefined> {
    const path = pathOfGroup(apiVersion);
    if (!this.#resources.has(path)) {
      this.#resources.set(
        path,
        this.#ask("GET", path).then(({ body }) => listAt(body, ["resources"])),
      );
    }
    const resources = (await this.#resources.get(path)) ?? [];
    const found = resources
      .filter(isJsonObject)
      .find((one) => one["kind"] === kind && !textAt(one, ["name"]).includes("/"));
    if (!found) return undefined;
    const plural = textAt(found, ["name"]);
    const namespaced = found["namespaced"] === true;
    return {
      namespaced,
      collection: (namespace) =>
        namespaced
          ? `${path}/namespaces/${encodeURIComponent(namespace)}/${plural}`
          : `${path}/${plural}`,
    };
  }

  /** Creates the object, or applies it where there is one of its name; nothing is stored unless it is kept. */
  async send(
    collection: string,
    object: JsonObject,
    { keep = false, lenient = false }: SendOptions = {},
  ): Promise<ServerAnswer> {
    const query = new URLSearchParams({
      fieldManager: "tsop-validate",
      fieldValidation: lenient ? "Ignore" : "Strict",
      ...(!keep && { dryRun: "All" }),
    });
    const created = await this.#ask("POST", `${collection}?${query.toString()}`, object);
    if (textAt(created.body, ["reason"]) !== "AlreadyExists") return created;
    const name = encodeURIComponent(textAt(object, ["metadata", "name"]));
    query.set("force", "true");
    return this.#ask("PATCH", `${collection}/${name}?${query.toString()}`, object);
  }

  /** Waits until all stored objects take effect. */
  async settle(): Promise<void> {
    await this.#cluster.settle();
    this.#resources.clear();
  }

  /** The names of the fields at a path of a kind, from its OpenAPI document. */
  async fieldsAt(
    { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
    path: readonly (string | number)[],
  ): Promise<readonly string[]> {
    const group = pathOfGroup(apiVersion);
    if (!this.#documents.has(group)) {
      this.#documents.set(
        group,
        this.#ask("GET", `/openapi/v3${group}`).then(({ body }) => body),
      );
    }
    const schemas = objectAt(await this.#documents.get(group), ["components", "schemas"]);
    const root = Object.values(schemas).find((schema) =>
      listAt(schema, ["x-kubernetes-group-version-kind"]).some((one) =>
        isSameKind(one, apiVersion, kind),
      ),
    );
    let now = resolved(root, schemas);
    for (const step of path) {
      const inside =
        typeof step === "number"
          ? now["items"]
          : (objectAt(now, ["properties"])[step] ?? now["additionalProperties"]);
      now = resolved(inside, schemas);
    }
    return Object.keys(objectAt(now, ["properties"]));
  }

  async #ask(method: string, target: string, body?: JsonObject): Promise<ServerAnswer> {
    const type = method === "PATCH" ? "application/apply-patch+yaml" : "application/json";
    const exchange = this.#cluster.request({
      method,
      target,
      headers: { accept: "application/json", ...(body && { "content-type": type }) },
      ...(body && { body: JSON.stringify(body) }),
      certificate: CERTIFICATE,
    });
    const { status, headers, body: sent } = await exchange.answer;
    exchange.leave();
    const text =
      typeof sent === "string"
        ? sent
        : sent instanceof Uint8Array
          ? new TextDecoder().decode(sent)
          : "";
    const read: unknown = text.startsWith("{") ? JSON.parse(text) : {};
    return {
      accepted: status < 400,
      body: isJsonObject(read) ? read : {},
      warnings: warningsIn(headers["warning"] ?? ""),
    };
  }
}

/** The Status in a refusal. */
export const statusOf = ({ body }: ServerAnswer): Partial<Status> => body;

const pathOfGroup = (apiVersion: string): string =>
  (apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`)
    .split("/")
    .map(encodeURIComponent)
    .join("/");

function isSameKind(one: unknown, apiVersion: string, kind: string): boolean {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return (
    textAt(one, ["group"]) === group &&
    textAt(one, ["version"]) === version &&
    textAt(one, ["kind"]) === kind
  );
}

/** The schema behind references. */
function resolved(schema: unknown, schemas: JsonObject): JsonObject {
  if (!isJsonObject(schema)) return {};
  const [wrapped] = listAt(schema, ["allOf"]);
  const reference = textAt(wrapped ?? schema, ["$ref"]);
  return reference === ""
    ? schema
    : resolved(schemas[reference.slice(reference.lastIndexOf("/") + 1)], schemas);
}

const warningsIn = (header: string): string[] =>
  [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) =>
    text.replaceAll(/\\(.)/g, "$1"),
  );
