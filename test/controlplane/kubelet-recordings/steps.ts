/** The kubectl commands of the recordings, as the requests that kubectl sends. */
import type { ControlPlane } from "../../../src/testing.ts";
import type { Seen } from "./lines.ts";

const ADMIN = { user: "admin", groups: ["system:masters"] };
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";

/** Where the objects of a kind are, within a namespace. */
const PATHS: Readonly<Record<string, string>> = {
  Pod: "api/v1/*/pods",
  ConfigMap: "api/v1/*/configmaps",
  Secret: "api/v1/*/secrets",
  Service: "api/v1/*/services",
  PersistentVolumeClaim: "api/v1/*/persistentvolumeclaims",
  PodDisruptionBudget: "apis/policy/v1/*/poddisruptionbudgets",
  Deployment: "apis/apps/v1/*/deployments",
  ReplicaSet: "apis/apps/v1/*/replicasets",
  StatefulSet: "apis/apps/v1/*/statefulsets",
  DaemonSet: "apis/apps/v1/*/daemonsets",
  Job: "apis/batch/v1/*/jobs",
  CronJob: "apis/batch/v1/*/cronjobs",
};

const SHORT: Readonly<Record<string, string>> = {
  pod: "Pod",
  pods: "Pod",
  deploy: "Deployment",
  deployment: "Deployment",
  sts: "StatefulSet",
  statefulset: "StatefulSet",
  ds: "DaemonSet",
  daemonset: "DaemonSet",
  job: "Job",
  pdb: "PodDisruptionBudget",
  configmap: "ConfigMap",
  secret: "Secret",
};

export class Steps {
  readonly #cluster: ControlPlane;
  readonly #namespace: string;

  constructor(cluster: ControlPlane, namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  /** Sends a request; an answer that refuses is one too. */
  async send(
    method: string,
    path: string,
    body?: object,
    type = "application/json",
  ): Promise<Seen> {
    const { answer } = this.#cluster.request({
      method,
      target: path,
      headers: { "content-type": type, accept: "application/json" },
      certificate: ADMIN,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { body: text } = await answer;
    if (typeof text === "function") throw new Error(`${method} ${path} has no end`);
    const found = typeof text === "string" ? text : new TextDecoder().decode(text);
    return JSON.parse(found) as Seen;
  }

  #path(kind: string, name = ""): string {
    const path = PATHS[kind];
    if (path === undefined) throw new Error(`the path of a ${kind} is not known`);
    return `/${path.replace("*", `namespaces/${this.#namespace}`)}${name === "" ? "" : `/${name}`}`;
  }

  async create(object: Seen): Promise<void> {
    const answer = await this.send("POST", this.#path(object.kind), object);
    if (answer.kind === "Status") throw new Error(`${object.kind}: ${String(answer["message"])}`);
  }

  /** Does what a kubectl command does. @throws Error for a command that is not known */
  async run(command: string): Promise<void> {
    const words = (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, ""));
    const [verb = "", first = "", second = ""] = words;
    const [kind = "", name = ""] = first.includes("/") ? first.split("/") : [first, second];
    const flag = (flagName: string): string | undefined => {
      const at = words.findIndex((word) => word === flagName || word.startsWith(`${flagName}=`));
      if (at === -1) return undefined;
      const word = words[at] ?? "";
      return word.includes("=") ? word.slice(word.indexOf("=") + 1) : words[at + 1];
    };
    if (verb === "delete") {
      const grace = flag("--grace-period");
      const options = grace === undefined ? {} : { gracePeriodSeconds: Number(grace) };
      await this.send("DELETE", this.#path(SHORT[kind] ?? kind, name), options);
    } else if (verb === "create" && first === "--raw") {
      const target = second.replaceAll("NS", this.#namespace);
      const pod = /pods\/([^/]+)\/eviction/.exec(target)?.[1] ?? "";
      await this.send("POST", target, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: pod },
      });
    } else if (verb === "create") {
      const entries = words.filter((word) => word.startsWith("--from-literal="));
      const data = Object.fromEntries(
        entries.map((word) => word.slice("--from-literal=".length).split("=") as [string, string]),
      );
      const object = { apiVersion: "v1", kind: SHORT[kind] ?? kind, metadata: { name } };
      await this.create({ ...object, ...(kind === "secret" ? { stringData: data } : { data }) });
    } else if (verb === "patch") {
      const subresource = flag("--subresource");
      const path = this.#path(SHORT[kind] ?? kind, name) + (subresource ? `/${subresource}` : "");
      const type = flag("--type") === "merge" ? MERGE : STRATEGIC;
      await this.send("PATCH", path, JSON.parse(flag("-p") ?? "{}") as object, type);
    } else if (verb === "scale") {
      const spec = { replicas: Number(flag("--replicas")) };
      await this.send("PATCH", `${this.#path(SHORT[kind] ?? kind, name)}/scale`, { spec }, MERGE);
    } else if (verb === "annotate" || verb === "label") {
      const field = verb === "label" ? "labels" : "annotations";
      const entries = words
        .slice(first.includes("/") ? 2 : 3)
        .filter((word) => !word.startsWith("--"));
      const values = Object.fromEntries(
        entries.map((word) => (word.endsWith("-") ? [word.slice(0, -1), null] : word.split("="))),
      ) as object;
      await this.send(
        "PATCH",
        this.#path(SHORT[kind] ?? kind, name),
        { metadata: { [field]: values } },
        MERGE,
      );
    } else if (verb === "debug") {
      await this.#debug(first, words);
    } else if (verb === "set" || verb === "rollout") {
      await this.#change(verb, first, second, words.slice(3));
    } else throw new Error(`not known: kubectl ${command}`);
  }

  async #debug(name: string, words: readonly string[]): Promise<void> {
    const image = words.find((word) => word.startsWith("--image="))?.slice("--image=".length) ?? "";
    const container = {
      name: words[words.indexOf("-c") + 1],
      image,
      imagePullPolicy: "IfNotPresent",
      command: words.slice(words.indexOf("--") + 1),
      terminationMessagePolicy: "File",
    };
    const body = { spec: { ephemeralContainers: [container] } };
    await this.send("PATCH", `${this.#path("Pod", name)}/ephemeralcontainers`, body, STRATEGIC);
  }

  async #change(
    verb: string,
    what: string,
    target: string,
    rest: readonly string[],
  ): Promise<void> {
    const [kind = "", name = ""] = target.split("/");
    const path = this.#path(SHORT[kind] ?? kind, name);
    if (verb === "rollout") {
      const { items } = (await this.send("GET", this.#path("ReplicaSet"))) as unknown as {
        items: Seen[];
      };
      const [oldest] = items.toSorted((one, other) => revisionOf(one) - revisionOf(other));
      const template = structuredClone(oldest?.spec.template) as Seen;
      delete template.metadata.labels?.["pod-template-hash"];
      const patch = [{ op: "replace", path: "/spec/template", value: template }];
      await this.send("PATCH", path, patch, "application/json-patch+json");
      return;
    }
    const { spec } = await this.send("GET", path);
    const containers: { name: string }[] = spec.template.spec.containers;
    const changes = rest.map((word) => word.split("=") as [string, string]);
    const changed =
      what === "image"
        ? changes.map(([container, image]) => ({ name: container, image }))
        : containers.map((container) => ({
            name: container.name,
            env: changes.map(([key, value]) => ({ name: key, value })),
          }));
    await this.send(
      "PATCH",
      path,
      { spec: { template: { spec: { containers: changed } } } },
      STRATEGIC,
    );
  }
}

const revisionOf = ({ metadata }: Seen): number =>
  Number(metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
