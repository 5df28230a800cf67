/**
 * Reads kubeconfig files into the one cluster and user that a context names.
 *
 * Several files (`KUBECONFIG=a:b`) are merged as kubectl does: the first that names a thing wins. Relative
 * paths count from the file that holds them.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import type { Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import {
  fixedCredentials,
  type Credentials,
  type CredentialSource,
  type ExecConfig,
} from "./credentials.ts";
import { ExecCredentials } from "./exec-credentials.ts";
import { TokenFile } from "./token-file.ts";

interface Cluster {
  server?: string;
  "certificate-authority"?: string;
  "certificate-authority-data"?: string;
  "insecure-skip-tls-verify"?: boolean;
  "tls-server-name"?: string;
}

interface User {
  token?: string;
  tokenFile?: string;
  username?: string;
  password?: string;
  "client-certificate"?: string;
  "client-certificate-data"?: string;
  "client-key"?: string;
  "client-key-data"?: string;
  exec?: {
    apiVersion?: string;
    command?: string;
    args?: string[] | null;
    env?: { name: string; value: string }[] | null;
    installHint?: string;
    interactiveMode?: ExecConfig["interactiveMode"];
    provideClusterInfo?: boolean;
  };
  "auth-provider"?: unknown;
  as?: string;
  "as-uid"?: string;
  "as-groups"?: string[];
}

interface Context {
  cluster?: string;
  user?: string;
  namespace?: string;
}

interface KubeconfigFile {
  "current-context"?: string;
  clusters?: { name: string; cluster?: Cluster }[] | null;
  users?: { name: string; user?: User }[] | null;
  contexts?: { name: string; context?: Context }[] | null;
}

/** A named part of a file, and the folder that its paths are relative to. */
interface Located<T> {
  readonly value: T;
  readonly folder: string;
}

/** Several kubeconfig files as one. */
export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, Located<Cluster>>;
  readonly users: ReadonlyMap<string, Located<User>>;
  readonly contexts: ReadonlyMap<string, Context>;
}

/** A file that a credential or certificate is to be read from. */
interface Surroundings {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Merges the kubeconfig files at `paths`; missing ones are passed over, as kubectl does.
 *
 * @throws TsopError `kubeconfig-unreadable` when one is there and cannot be read, or is no YAML
 */
export function readKubeconfig(paths: readonly string[]): Kubeconfig {
  const texts: { text: string; folder: string; name: string }[] = [];
  for (const path of paths.filter((path) => existsSync(path))) {
    try {
      texts.push({ text: readFileSync(path, "utf8"), folder: dirname(resolve(path)), name: path });
    } catch (error) {
      throw unreadable(path, error);
    }
  }
  return mergeKubeconfigs(texts);
}

/**
 * Reads a kubeconfig that is at hand as text.
 *
 * @throws TsopError `kubeconfig-unreadable` when it is no YAML
 */
export function parseKubeconfig(text: string): Kubeconfig {
  return mergeKubeconfigs([{ text, folder: process.cwd(), name: "the given kubeconfig" }]);
}

function mergeKubeconfigs(
  files: readonly { text: string; folder: string; name: string }[],
): Kubeconfig {
  let currentContext = "";
  const clusters = new Map<string, Located<Cluster>>();
  const users = new Map<string, Located<User>>();
  const contexts = new Map<string, Context>();
  for (const { text, folder, name } of files) {
    const file = parseFile(text, name);
    currentContext ||= file["current-context"] ?? "";
    for (const entry of file.clusters ?? []) {
      if (!clusters.has(entry.name))
        clusters.set(entry.name, { value: entry.cluster ?? {}, folder });
    }
    for (const entry of file.users ?? []) {
      if (!users.has(entry.name)) users.set(entry.name, { value: entry.user ?? {}, folder });
    }
    for (const entry of file.contexts ?? []) {
      if (!contexts.has(entry.name)) contexts.set(entry.name, entry.context ?? {});
    }
  }
  return { currentContext, clusters, users, contexts };
}

function parseFile(text: string, name: string): KubeconfigFile {
  try {
    const file: unknown = parse(text);
    if (file === null || typeof file !== "object" || Array.isArray(file)) {
      throw new Error("it is not a mapping");
    }
    return file;
  } catch (error) {
    throw unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): TsopError {
  return new TsopError(
    "kubeconfig-unreadable",
    `${name} cannot be read as a kubeconfig: ${messageOf(error)}.`,
    "Check it with `kubectl config view`.",
    { cause: error },
  );
}

/**
 * The server and user of a context.
 *
 * @param contextName - the current one when absent
 * @throws TsopError `kubeconfig-incomplete` when a part that is named is missing
 */
export function clusterConfigOf(
  kubeconfig: Kubeconfig,
  surroundings: Surroundings,
  contextName?: string,
): ClusterConfig {
  const name = contextName ?? kubeconfig.currentContext;
  if (name === "") throw incomplete("it names no current context");
  const context = kubeconfig.contexts.get(name);
  if (!context) throw incomplete(`it has no context ${name}`);
  const cluster = kubeconfig.clusters.get(context.cluster ?? "");
  if (!cluster) throw incomplete(`it has no cluster ${String(context.cluster)} (context ${name})`);
  const user = kubeconfig.users.get(context.user ?? "");
  if (!user && context.user) throw incomplete(`it has no user ${context.user} (context ${name})`);
  const { value, folder } = cluster;
  if (!value.server) throw incomplete(`its cluster ${String(context.cluster)} has no server`);
  const ca = inlineOrFile(
    value["certificate-authority-data"],
    value["certificate-authority"],
    folder,
  );
  const as = user?.value.as;
  return {
    server: value.server.replace(/\/$/, ""),
    ...(ca ? { ca } : {}),
    ...(value["tls-server-name"] ? { serverName: value["tls-server-name"] } : {}),
    ...(value["insecure-skip-tls-verify"] ? { skipTlsVerify: true } : {}),
    credentials: user
      ? credentialsOf(user, surroundings, { ...value, ...(ca ? { ca } : {}) })
      : fixedCredentials({}),
    namespace: context.namespace ?? "default",
    ...(as
      ? {
          impersonate: {
            user: as,
            ...(user.value["as-groups"] ? { groups: user.value["as-groups"] } : {}),
            ...(user.value["as-uid"] ? { uid: user.value["as-uid"] } : {}),
          },
        }
      : {}),
  };
}

function credentialsOf(
  { value: user, folder }: Located<User>,
  { clock, environment }: Surroundings,
  cluster: Cluster & { readonly ca?: string },
): CredentialSource {
  if (user["auth-provider"]) {
    throw new TsopError(
      "auth-provider-unsupported",
      "The kubeconfig's user has an auth-provider, which Kubernetes 1.26 dropped.",
      "Use the credential program (exec) of your cloud instead.",
    );
  }
  if (user.exec) return new ExecCredentials(execConfigOf(user.exec, cluster), clock, environment);
  if (user.tokenFile) return new TokenFile(resolve(folder, user.tokenFile), clock);
  const cert = inlineOrFile(user["client-certificate-data"], user["client-certificate"], folder);
  const key = inlineOrFile(user["client-key-data"], user["client-key"], folder);
  const credentials: Credentials = {
    ...(user.token ? { token: user.token } : {}),
    ...(user.username ? { basic: { username: user.username, password: user.password ?? "" } } : {}),
    ...(cert && key ? { certificate: { cert, key } } : {}),
  };
  return fixedCredentials(credentials);
}

function execConfigOf(
  exec: NonNullable<User["exec"]>,
  cluster: Cluster & { readonly ca?: string },
): ExecConfig {
  if (!exec.command) throw incomplete("its user's exec has no command");
  return {
    apiVersion: exec.apiVersion ?? "client.authentication.k8s.io/v1",
    command: exec.command,
    ...(exec.args ? { args: exec.args } : {}),
    ...(exec.env ? { env: exec.env } : {}),
    ...(exec.installHint ? { installHint: exec.installHint } : {}),
    ...(exec.interactiveMode ? { interactiveMode: exec.interactiveMode } : {}),
    ...(exec.provideClusterInfo
      ? {
          cluster: {
            server: cluster.server,
            ...(cluster["tls-server-name"]
              ? { "tls-server-name": cluster["tls-server-name"] }
              : {}),
            ...(cluster["insecure-skip-tls-verify"] ? { "insecure-skip-tls-verify": true } : {}),
            ...(cluster.ca
              ? { "certificate-authority-data": Buffer.from(cluster.ca).toString("base64") }
              : {}),
          },
        }
      : {}),
  };
}

function inlineOrFile(
  data: string | undefined,
  path: string | undefined,
  folder: string,
): string | undefined {
  if (data) return Buffer.from(data, "base64").toString("utf8");
  if (!path) return undefined;
  try {
    return readFileSync(resolve(folder, path), "utf8");
  } catch (error) {
    throw new TsopError(
      "kubeconfig-file-missing",
      `The kubeconfig names ${resolve(folder, path)}, which cannot be read.`,
      "Check the path; a relative one counts from the kubeconfig's folder.",
      { cause: error },
    );
  }
}

function incomplete(detail: string): TsopError {
  return new TsopError(
    "kubeconfig-incomplete",
    `The kubeconfig cannot be used: ${detail}.`,
    "List what it has with `kubectl config get-contexts`, and choose with `kubectl config use-context`.",
  );
}
