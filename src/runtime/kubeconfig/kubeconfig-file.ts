/**
 * One kubeconfig file: its text becomes clusters, users and contexts whose fields have the right types.
 *
 * Unknown fields are skipped, as in client-go.
 *
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
import { TsopError } from "../../errors.ts";
import { Field, formatPath, type FieldPath, type Mistake } from "./field.ts";
import { readYamlText, YamlTextError, type YamlText } from "./yaml-text.ts";

/** The text of a kubeconfig, and its origin. */
export interface KubeconfigSource {
  /** The path of the file, or the user's name for the text. */
  readonly name: string;
  readonly text: string;
  /** The folder of relative paths; `undefined` for a text that is not a file. */
  readonly folder: string | undefined;
}

/** The origin of a part of a kubeconfig, for relative paths and messages. */
interface Origin {
  readonly folder: string | undefined;
  /** `clusters[0].cluster.server of /home/me/.kube/config, line 7` */
  describe(field: string): string;
}

/** The address of an API server. */
export interface ClusterEntry {
  readonly origin: Origin;
  readonly server: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly certificateAuthority: string | undefined;
  readonly certificateAuthorityData: Buffer | undefined;
  readonly proxyUrl: string | undefined;
  readonly disableCompression: boolean;
  /** The content of the extension `client.authentication.k8s.io/exec`. */
  readonly execConfig: unknown;
}

export interface UserEntry {
  readonly origin: Origin;
  readonly clientCertificate: string | undefined;
  readonly clientCertificateData: Buffer | undefined;
  readonly clientKey: string | undefined;
  readonly clientKeyData: Buffer | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly as: string | undefined;
  readonly asUid: string | undefined;
  readonly asGroups: readonly string[];
  readonly asUserExtra: ReadonlyMap<string, readonly string[]>;
  readonly hasAuthProvider: boolean;
  readonly exec: ExecEntry | undefined;
}

/** The program that gives credentials. */
export interface ExecEntry {
  readonly apiVersion: string | undefined;
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint: string | undefined;
  readonly interactiveMode: string | undefined;
  readonly provideClusterInfo: boolean;
}

/** A cluster and a user, by their names. */
export interface ContextEntry {
  readonly origin: Origin;
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

export interface KubeconfigFile {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

/** A file, and all mistakes in it, each as a sentence without its full stop. */
export interface ReadKubeconfig {
  readonly file: KubeconfigFile;
  readonly mistakes: readonly string[];
}

/**
 * Reads a file.
 *
 * @throws TsopError `kubeconfig-unreadable` when it is not YAML
 */
export function readKubeconfigFile(source: KubeconfigSource): ReadKubeconfig {
  const yaml = parse(source);
  const describe = (path: FieldPath): string => {
    const line = yaml.lineOf(path);
    const place = line === undefined ? source.name : `${source.name}, line ${line}`;
    return path.length === 0 ? place : `${formatPath(path)} of ${place}`;
  };
  const mistakes: Mistake[] = [];
  const root = new Field(yaml.value, [], mistakes);
  checkKind(root);
  const originOf = (field: Field): Origin => ({
    folder: source.folder,
    describe: (name) => describe([...field.path, ...name.split(".")]),
  });
  const file = {
    currentContext: root.get("current-context").text() ?? "",
    clusters: named(root.get("clusters"), "cluster", (field) => clusterOf(field, originOf(field))),
    users: named(root.get("users"), "user", (field) => userOf(field, originOf(field))),
    contexts: named(root.get("contexts"), "context", (field) => contextOf(field, originOf(field))),
  };
  return {
    file,
    mistakes: mistakes.map(({ path, message }) => `${describe(path)} ${message}`),
  };
}

function parse(source: KubeconfigSource): YamlText {
  try {
    return readYamlText(source.text);
  } catch (error) {
    if (error instanceof YamlTextError) throw unreadable(source.name, error.message, error);
    throw error;
  }
}

/** The error for a kubeconfig that cannot be read at all. */
export function unreadable(name: string, why: string, cause?: unknown): TsopError {
  return new TsopError(
    "kubeconfig-unreadable",
    `${name} cannot be read as a kubeconfig: ${why}.`,
    "Check it with `kubectl config view`.",
    cause === undefined ? undefined : { cause },
  );
}

function checkKind(root: Field): void {
  const apiVersion = root.get("apiVersion");
  const kind = root.get("kind");
  if ((kind.filledText() ?? "Config") !== "Config") kind.reject("must be Config");
  if ((apiVersion.filledText() ?? "v1") !== "v1") apiVersion.reject("must be v1");
}

/** The entries of a list by their names; as in client-go, none may come twice. */
function named<T>(list: Field, part: string, read: (field: Field) => T): Map<string, T> {
  const entries = new Map<string, T>();
  for (const item of list.items()) {
    if (!item.present) continue;
    const nameField = item.get("name");
    const name = nameField.text() ?? "";
    const entry = read(item.get(part));
    if (entries.has(name)) nameField.reject("is the name of an earlier item of the list");
    else entries.set(name, entry);
  }
  return entries;
}

function clusterOf(field: Field, origin: Origin): ClusterEntry {
  return {
    origin,
    server: field.get("server").filledText(),
    tlsServerName: field.get("tls-server-name").filledText(),
    insecureSkipTlsVerify: field.get("insecure-skip-tls-verify").truth(),
    certificateAuthority: field.get("certificate-authority").filledText(),
    certificateAuthorityData: field.get("certificate-authority-data").bytes(),
    proxyUrl: field.get("proxy-url").filledText(),
    disableCompression: field.get("disable-compression").truth(),
    execConfig: field
      .get("extensions")
      .items()
      .find((extension) => extension.get("name").text() === "client.authentication.k8s.io/exec")
      ?.get("extension")
      .raw(),
  };
}

function userOf(field: Field, origin: Origin): UserEntry {
  const exec = field.get("exec");
  const provider = field.get("auth-provider");
  return {
    origin,
    clientCertificate: field.get("client-certificate").filledText(),
    clientCertificateData: field.get("client-certificate-data").bytes(),
    clientKey: field.get("client-key").filledText(),
    clientKeyData: field.get("client-key-data").bytes(),
    token: field.get("token").filledText(),
    tokenFile: field.get("tokenFile").filledText(),
    username: field.get("username").filledText(),
    password: field.get("password").filledText(),
    as: field.get("as").filledText(),
    asUid: field.get("as-uid").filledText(),
    asGroups: field.get("as-groups").texts(),
    asUserExtra: new Map(
      field
        .get("as-user-extra")
        .entries()
        .map(([name, values]) => [name, values.texts()]),
    ),
    hasAuthProvider: provider.present,
    exec: exec.present ? execOf(exec) : undefined,
  };
}

function execOf(field: Field): ExecEntry {
  return {
    apiVersion: field.get("apiVersion").filledText(),
    command: field.get("command").filledText(),
    args: field.get("args").texts(),
    env: field
      .get("env")
      .items()
      .map((item) => ({
        name: item.get("name").text() ?? "",
        value: item.get("value").text() ?? "",
      })),
    installHint: field.get("installHint").filledText(),
    interactiveMode: field.get("interactiveMode").filledText(),
    provideClusterInfo: field.get("provideClusterInfo").truth(),
  };
}

function contextOf(field: Field, origin: Origin): ContextEntry {
  return {
    origin,
    cluster: field.get("cluster").filledText(),
    user: field.get("user").filledText(),
    namespace: field.get("namespace").filledText(),
  };
}
