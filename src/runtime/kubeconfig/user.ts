/** The user of a kubeconfig: its mistakes, and its credentials. */
import { isAbsolute } from "node:path";
import { TsopError } from "../../errors.ts";
import { CertificateFiles } from "../transport/credentials/certificate-files.ts";
import { CertificateError, readPair } from "../transport/credentials/certificates.ts";
import type { Impersonation } from "../transport/cluster-config.ts";
import {
  combinedCredentials,
  fixedCredentials,
  type CredentialSource,
  type ExecConfig,
} from "../transport/credentials/credentials.ts";
import { EXEC_API_VERSIONS, ExecCredentials } from "../transport/credentials/exec-credentials.ts";
import { isHeaderValue } from "../header.ts";
import { TokenFile } from "../transport/credentials/token-file.ts";
import type { ExecEntry, UserEntry } from "./kubeconfig-file.ts";
import type { Reading } from "./followed-config.ts";
import type { KubeconfigMistakes } from "./mistakes.ts";
import { readNamedFile, resolveNamed } from "./named-file.ts";
import { present } from "../../present.ts";

/**
 * Collects the mistakes that client-go also refuses, and fields that would be ignored.
 *
 * @throws TsopError `auth-provider-unsupported`
 */
export function checkUser(user: UserEntry, mistakes: KubeconfigMistakes): void {
  if (user.hasAuthProvider) {
    throw new TsopError(
      "auth-provider-unsupported",
      "The kubeconfig's user has an auth-provider, which Kubernetes 1.26 dropped.",
      "Use the credential program (exec) of your cloud instead.",
    );
  }
  const reject = (field: string, why: string): void => {
    mistakes.add(`${user.origin.describe(field)} ${why}`);
  };
  if (user.token !== undefined && hasLogin(user)) {
    reject("token", "cannot be combined with a username or password; remove one of them");
  }
  if (user.tokenFile !== undefined && hasLogin(user)) {
    reject("tokenFile", "cannot be combined with a username or password; remove one of them");
  }
  if (user.password !== undefined && user.username === undefined) {
    reject("password", "needs a username");
  }
  checkCertificate(user, reject);
  const groups = user.asGroups.length > 0;
  if (user.as === undefined && (user.asUid !== undefined || groups || user.asUserExtra.size > 0)) {
    const field = groups ? "as-groups" : user.asUid === undefined ? "as-user-extra" : "as-uid";
    reject(field, "needs the name of a user in `as`");
  }
  for (const [field, values] of headerValues(user)) {
    if (!values.every(isHeaderValue)) reject(field, "has line breaks or control characters");
  }
  if (user.exec) checkExec(user.exec, user, reject);
}

type Reject = (field: string, why: string) => void;

function headerValues(user: UserEntry): [field: string, values: readonly string[]][] {
  return [
    ["token", [user.token ?? ""]],
    ["as", [user.as ?? ""]],
    ["as-uid", [user.asUid ?? ""]],
    ["as-groups", user.asGroups],
    ["as-user-extra", [...user.asUserExtra.values()].flat()],
  ];
}

function hasLogin({ username, password }: UserEntry): boolean {
  return username !== undefined || password !== undefined;
}

function hasCertificate(user: UserEntry): boolean {
  return user.clientCertificate !== undefined || user.clientCertificateData !== undefined;
}

function checkCertificate(user: UserEntry, reject: Reject): void {
  const hasKey = user.clientKey !== undefined || user.clientKeyData !== undefined;
  if (hasCertificate(user) && !hasKey) {
    reject("client-certificate", "needs client-key or client-key-data");
  }
  if (hasKey && !hasCertificate(user)) {
    reject("client-key", "needs client-certificate or client-certificate-data");
  }
  if (user.clientCertificate !== undefined && user.clientCertificateData !== undefined) {
    reject(
      "client-certificate-data",
      "cannot be combined with client-certificate; remove one of them",
    );
  }
  if (user.clientKey !== undefined && user.clientKeyData !== undefined) {
    reject("client-key-data", "cannot be combined with client-key; remove one of them");
  }
}

const MODES: readonly string[] = ["Never", "IfAvailable", "Always"];

function checkExec(exec: ExecEntry, { origin }: UserEntry, reject: Reject): void {
  if (exec.command === undefined) reject("exec.command", "is missing");
  else if (isPath(exec.command) && origin.folder === undefined && !isAbsolute(exec.command)) {
    reject("exec.command", "is a relative path, but this kubeconfig was not read from a folder");
  }
  if (exec.apiVersion === undefined) reject("exec.apiVersion", "is missing");
  else if (!EXEC_API_VERSIONS.includes(exec.apiVersion)) {
    reject("exec.apiVersion", `must be ${EXEC_API_VERSIONS.join(" or ")}`);
  }
  // Only the first version allows it to be absent.
  if (exec.interactiveMode === undefined && exec.apiVersion === EXEC_API_VERSIONS[0]) {
    reject("exec.interactiveMode", `is missing; it must be ${MODES.join(", ")}`);
  } else if (exec.interactiveMode !== undefined && !MODES.includes(exec.interactiveMode)) {
    reject("exec.interactiveMode", `must be ${MODES.join(", ")}`);
  }
  if (exec.env.some(({ name }) => name === "")) reject("exec.env", "has a variable without a name");
}

/** Whether a command is a path, and not a name to find in PATH. */
function isPath(command: string): boolean {
  return command.includes("/") || (process.platform === "win32" && command.includes("\\"));
}

export function hasCredentials(user: UserEntry): boolean {
  return (
    hasLogin(user) ||
    hasCertificate(user) ||
    [user.token, user.tokenFile, user.exec].some((part) => part !== undefined)
  );
}

/** The user that requests act as. */
export function impersonationOf(user: UserEntry): Impersonation | undefined {
  if (user.as === undefined) return undefined;
  return {
    user: user.as,
    ...(user.asGroups.length > 0 ? { groups: user.asGroups } : {}),
    ...present({ uid: user.asUid }),
    ...(user.asUserExtra.size > 0 ? { extra: Object.fromEntries(user.asUserExtra) } : {}),
  };
}

/**
 * The credentials of a user without mistakes. A plugin is only run for a user without other
 * credentials, as in client-go.
 *
 * @param cluster - the cluster as the plugin gets it
 * @throws TsopError `kubeconfig-file-missing`
 */
export function credentialsOf(
  user: UserEntry,
  cluster: Readonly<Record<string, unknown>>,
  reading: Reading,
  mistakes: KubeconfigMistakes,
): CredentialSource {
  const { clock, environment } = reading.surroundings;
  const { folder } = user.origin;
  const { token, tokenFile, username = "", password = "" } = user;
  const sources: CredentialSource[] = [];
  if (tokenFile !== undefined) {
    sources.push(new TokenFile(resolveNamed(tokenFile, folder), clock, token));
  } else if (token !== undefined) sources.push(fixedCredentials({ token }));
  if (hasLogin(user)) sources.push(fixedCredentials({ basic: { username, password } }));
  if (hasCertificate(user)) sources.push(certificateOf(user, reading, mistakes));
  if (sources.length === 0 && user.exec) {
    const config = execConfigOf(user.exec, folder, cluster);
    return new ExecCredentials(config, clock, environment);
  }
  return sources.length === 0 ? fixedCredentials({}) : combinedCredentials(sources);
}

function certificateOf(
  user: UserEntry,
  { surroundings, note }: Reading,
  mistakes: KubeconfigMistakes,
): CredentialSource {
  const { origin, clientCertificate, clientCertificateData, clientKey, clientKeyData } = user;
  if (clientCertificate !== undefined && clientKey !== undefined) {
    const files = {
      cert: resolveNamed(clientCertificate, origin.folder),
      key: resolveNamed(clientKey, origin.folder),
    };
    // Those files are followed by their own source.
    const read = (path: string): string => readNamedFile(path, undefined, () => undefined);
    checkPair(read(files.cert), read(files.key));
    return new CertificateFiles(files, surroundings.clock);
  }
  const pemTextOf = (data: Buffer | undefined, path = ""): string =>
    data?.toString("latin1") ?? readNamedFile(path, origin.folder, note);
  const certificate = checkPair(
    pemTextOf(clientCertificateData, clientCertificate),
    pemTextOf(clientKeyData, clientKey),
  );
  return fixedCredentials(certificate ? { certificate } : {});

  function checkPair(cert: string, key: string): { cert: string; key: string } | undefined {
    try {
      return readPair(cert, key);
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      const field = clientCertificateData ? "client-certificate-data" : "client-certificate";
      mistakes.add(`${origin.describe(field)} cannot be used: ${error.message}`);
      return undefined;
    }
  }
}

function execConfigOf(
  exec: ExecEntry,
  folder: string | undefined,
  cluster: Readonly<Record<string, unknown>>,
): ExecConfig {
  const { apiVersion = "", command = "", args, env, installHint, interactiveMode } = exec;
  return {
    apiVersion,
    command: isPath(command) ? resolveNamed(command, folder) : command,
    ...(args.length > 0 ? { args } : {}),
    ...(env.length > 0 ? { env } : {}),
    ...present({ installHint }),
    ...(interactiveMode === undefined
      ? {}
      : { interactiveMode: interactiveMode as NonNullable<ExecConfig["interactiveMode"]> }),
    ...(exec.provideClusterInfo ? { cluster } : {}),
  };
}
