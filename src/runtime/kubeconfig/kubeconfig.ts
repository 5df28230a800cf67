/**
 * Reads kubeconfig files into the one cluster and user that a context names.
 *
 * Several files (`KUBECONFIG=a:b`) are merged as kubectl does: the first that names a thing wins. Relative
 * paths count from the file that holds them.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
 */
import { closeSync, openSync, readSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { TsopError } from "../../errors.ts";
import { listed } from "../listed.ts";
import {
  CertificateError,
  readAuthorities,
  readWholeAuthorities,
} from "../transport/credentials/certificates.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { fixedCredentials, type CredentialSource } from "../transport/credentials/credentials.ts";
import { proxyFromEnvironment, readProxy } from "../transport/proxy.ts";
import { readServerAddress } from "../transport/server-address.ts";
import {
  readKubeconfigFile,
  unreadable,
  type ClusterEntry,
  type ContextEntry,
  type KubeconfigFile,
  type KubeconfigSource,
  type UserEntry,
} from "./kubeconfig-file.ts";
import type { Reading } from "./followed-config.ts";
import { readNamedFile, resolveNamed } from "./named-file.ts";
import { KubeconfigMistakes } from "./mistakes.ts";
import { foreignFields } from "./project-folder-rules.ts";
import { checkUser, credentialsOf, hasCredentials, impersonationOf } from "./user.ts";
import { present } from "../../present.ts";

// The maximum size of a kubeconfig; one with a thousand clusters and their certificates has four
// megabytes.
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Merges the kubeconfig files at `paths`; missing ones are skipped, as in kubectl.
 *
 * @throws TsopError `kubeconfig-unreadable` when one exists and cannot be read, or is not YAML;
 *   `kubeconfig-invalid` with all fields of a wrong type; `kubeconfig-missing` when none exists
 */
export function readKubeconfig(paths: readonly string[]): KubeconfigFile {
  const sources = paths.flatMap((path) => readSource(path) ?? []);
  if (sources.length > 0) return mergeKubeconfigs(sources);
  throw new TsopError(
    "kubeconfig-missing",
    `There is no kubeconfig at ${paths.join(" or ")}.`,
    "Check the path.",
  );
}

/**
 * Reads a kubeconfig from its text.
 *
 * @throws TsopError `kubeconfig-unreadable` when it is not YAML; `kubeconfig-invalid` with all fields of a wrong type
 */
export function parseKubeconfig(text: string): KubeconfigFile {
  return mergeKubeconfigs([{ text, folder: undefined, name: "the given kubeconfig" }]);
}

function readSource(path: string): KubeconfigSource | undefined {
  const folder = dirname(resolve(path));
  try {
    return { text: readBounded(path), folder, name: path };
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw unreadable(path, code === "EFBIG" ? "it is larger than 32 MiB" : code, error);
  }
}

/** The text of a file or pipe, up to the size of a kubeconfig. */
function readBounded(path: string): string {
  const file = openSync(path, "r");
  try {
    const parts: Buffer[] = [];
    for (let bytes = 0; bytes <= MAX_BYTES;) {
      const part = Buffer.allocUnsafe(64 * 1024);
      const count = readSync(file, part);
      if (count === 0) return Buffer.concat(parts).toString("utf8");
      bytes += count;
      parts.push(part.subarray(0, count));
    }
    throw Object.assign(new Error("too large"), { code: "EFBIG" });
  } finally {
    closeSync(file);
  }
}

function mergeKubeconfigs(sources: readonly KubeconfigSource[]): KubeconfigFile {
  const mistakes = new KubeconfigMistakes();
  const files = sources.map((source) => {
    const read = readKubeconfigFile(source);
    for (const mistake of read.mistakes) mistakes.add(mistake);
    for (const mistake of foreignFields(source, read.file)) mistakes.add(mistake);
    return read.file;
  });
  mistakes.throwAll();
  return {
    currentContext: files.find(({ currentContext }) => currentContext !== "")?.currentContext ?? "",
    clusters: firstOfEach(files.map(({ clusters }) => clusters)),
    users: firstOfEach(files.map(({ users }) => users)),
    contexts: firstOfEach(files.map(({ contexts }) => contexts)),
  };
}

function firstOfEach<T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  // A later entry of the same name replaces an earlier one.
  return new Map([...maps].reverse().flatMap((map) => [...map]));
}

/**
 * The server and user of a context.
 *
 * @param contextName - the current one when absent
 * @throws TsopError `kubeconfig-incomplete` when a part that is named is missing; `kubeconfig-invalid` with all fields that
 *   cannot be used; `kubeconfig-file-missing`, `auth-provider-unsupported`, `proxy-unusable`
 */
export function clusterConfigOf(
  kubeconfig: KubeconfigFile,
  reading: Reading,
  contextName?: string,
): ClusterConfig {
  const { surroundings } = reading;
  const { name, context, cluster, user } = partsOf(kubeconfig, contextName);
  const mistakes = new KubeconfigMistakes();
  checkNamespace(context, mistakes);
  const url = checkCluster(cluster, mistakes);
  if (user) checkUser(user, mistakes);
  mistakes.throwAll();
  const proxy = cluster.proxyUrl ?? proxyFromEnvironment(url, surroundings.environment);
  const ca = authoritiesOf(cluster, reading, mistakes);
  const caFile = authorityFileOf(cluster);
  const impersonate = user && impersonationOf(user);
  const server = addressOf(cluster);
  return {
    server: server.replace(/\/+$/, ""),
    ...present({ ca, caFile, serverName: cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify ? { skipTlsVerify: true } : {}),
    ...present({ proxy }),
    credentials: userCredentials(),
    namespace: context.namespace ?? "default",
    ...present({ impersonate }),
  };

  function userCredentials(): CredentialSource {
    if (url.protocol === "https:") {
      const told = execCluster(cluster, { server, ca, proxy });
      const source = user && credentialsOf(user, told, reading, mistakes);
      mistakes.throwAll();
      return source ?? fixedCredentials({});
    }
    // As client-go: anyone on the network could read the credentials.
    if (user && hasCredentials(user)) {
      surroundings.warn(
        `The API server of the context ${name} is reached without TLS (${server}), so the credentials of its user are not sent.`,
      );
    }
    return fixedCredentials({});
  }
}

interface Parts {
  readonly name: string;
  readonly context: ContextEntry;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry | undefined;
}

function partsOf(kubeconfig: KubeconfigFile, contextName: string | undefined): Parts {
  const { contexts, clusters, users, currentContext } = kubeconfig;
  const name = contextName ?? currentContext;
  if (name === "") throw incomplete("it names no current context");
  const context = contexts.get(name);
  if (!context) throw incomplete(`it has no context ${name}${existing([...contexts.keys()])}`);
  if (context.cluster === undefined) throw incomplete(`its context ${name} names no cluster`);
  const cluster = clusters.get(context.cluster);
  if (!cluster) throw incomplete(`it has no cluster ${context.cluster} (context ${name})`);
  const user = context.user === undefined ? undefined : users.get(context.user);
  // client-go would continue anonymously; a context that names a user does not mean that.
  if (!user && context.user !== undefined) {
    throw incomplete(`it has no user ${context.user} (context ${name})`);
  }
  return { name, context, cluster, user };
}

const LISTED = 10;

const existing = (names: readonly string[]): string =>
  names.length === 0 ? "; it has none" : `; it has ${listed(names, LISTED)}`;

function incomplete(detail: string): TsopError {
  return new TsopError(
    "kubeconfig-incomplete",
    `The kubeconfig cannot be used: ${detail}.`,
    "List its contexts with `kubectl config get-contexts`, and choose one with `kubectl config use-context`.",
  );
}

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function checkNamespace(context: ContextEntry, mistakes: KubeconfigMistakes): void {
  if (context.namespace === undefined || DNS_LABEL.test(context.namespace)) return;
  mistakes.add(`${context.origin.describe("namespace")} is not a valid name of a namespace`);
}

/** The URL of the server; an arbitrary one when there are mistakes. */
function checkCluster(cluster: ClusterEntry, mistakes: KubeconfigMistakes): URL {
  const { origin, certificateAuthority, certificateAuthorityData } = cluster;
  const reject = (field: string, why: string): void => {
    mistakes.add(`${origin.describe(field)} ${why}`);
  };
  const hasAuthority = certificateAuthority !== undefined || certificateAuthorityData !== undefined;
  if (certificateAuthority !== undefined && certificateAuthorityData !== undefined) {
    reject(
      "certificate-authority-data",
      "cannot be combined with certificate-authority; remove one of them",
    );
  }
  if (hasAuthority && cluster.insecureSkipTlsVerify) {
    reject(
      "insecure-skip-tls-verify",
      "is true although there is a certificate authority; remove one of them",
    );
  }
  if (cluster.proxyUrl !== undefined) {
    const proxy = readProxy(cluster.proxyUrl);
    if ("mistake" in proxy) reject("proxy-url", proxy.mistake);
  }
  if (cluster.server === undefined) reject("server", "is missing");
  else {
    const address = readServerAddress(cluster.server);
    if ("url" in address) return address.url;
    reject("server", address.mistake);
  }
  return new URL("https://localhost");
}

/** The address of the server with its scheme. */
function addressOf({ server = "" }: ClusterEntry): string {
  return server.includes("://") ? server : `https://${server}`;
}

function authorityFileOf({ origin, certificateAuthority }: ClusterEntry): string | undefined {
  return certificateAuthority && resolveNamed(certificateAuthority, origin.folder);
}

function authoritiesOf(
  cluster: ClusterEntry,
  { note, isRenewal }: Reading,
  mistakes: KubeconfigMistakes,
): string | undefined {
  const { origin, certificateAuthority: path, certificateAuthorityData: data } = cluster;
  if (path === undefined && data === undefined) return undefined;
  const text = data?.toString("latin1") ?? readNamedFile(path ?? "", origin.folder, note);
  try {
    return isRenewal && !data ? readWholeAuthorities(text) : readAuthorities(text);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    const field = data ? "certificate-authority-data" : "certificate-authority";
    mistakes.add(`${origin.describe(field)} ${error.message}`);
    return undefined;
  }
}

/** The cluster as a credential plugin gets it, where the plugin asks for it. */
function execCluster(
  cluster: ClusterEntry,
  { server, ca, proxy }: { server: string; ca: string | undefined; proxy: string | undefined },
): Record<string, unknown> {
  return {
    server,
    ...present({ "tls-server-name": cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(ca === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...present({ "proxy-url": proxy }),
    ...(cluster.disableCompression ? { "disable-compression": true } : {}),
    ...present({ config: cluster.execConfig }),
  };
}
