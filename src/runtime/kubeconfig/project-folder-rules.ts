/**
 * A kubeconfig in a project's `.tsop` can come from a cloned repository. tsop's control plane writes only inline
 * credentials for an address of this machine there, so nothing else is accepted: above all no programs.
 */
import { isInProjectFolder } from "../../project-folder.ts";
import { isLoopbackHost } from "../loopback.ts";
import { readServerAddress } from "../transport/server-address.ts";
import type {
  ClusterEntry,
  KubeconfigFile,
  KubeconfigSource,
  UserEntry,
} from "./kubeconfig-file.ts";

const WHY = "is not accepted in a kubeconfig in .tsop: the file may come from the repository";

/** The fields of a file that are refused because of its place, each as a sentence without its full stop. */
export function foreignFields(source: KubeconfigSource, file: KubeconfigFile): string[] {
  if (source.folder === undefined || !isInProjectFolder(source.folder)) return [];
  return [
    ...[...file.clusters.values()].flatMap(({ origin, ...cluster }) =>
      clusterFields(cluster).map((field) => `${origin.describe(field)} ${WHY}`),
    ),
    ...[...file.users.values()].flatMap(({ origin, ...user }) =>
      userFields(user).map((field) => `${origin.describe(field)} ${WHY}`),
    ),
  ];
}

function clusterFields(cluster: Omit<ClusterEntry, "origin">): string[] {
  return [
    ...(isLoopback(cluster.server) ? [] : ["server"]),
    ...(cluster.proxyUrl === undefined ? [] : ["proxy-url"]),
    ...(cluster.tlsServerName === undefined ? [] : ["tls-server-name"]),
    ...(cluster.insecureSkipTlsVerify ? ["insecure-skip-tls-verify"] : []),
    ...(cluster.certificateAuthority === undefined ? [] : ["certificate-authority"]),
  ];
}

function userFields(user: Omit<UserEntry, "origin">): string[] {
  return [
    ...(user.exec ? ["exec"] : []),
    ...(user.hasAuthProvider ? ["auth-provider"] : []),
    ...(user.tokenFile === undefined ? [] : ["tokenFile"]),
    ...(user.clientCertificate === undefined ? [] : ["client-certificate"]),
    ...(user.clientKey === undefined ? [] : ["client-key"]),
  ];
}

/** The address of a server on this machine. One that cannot be read is reported elsewhere. */
function isLoopback(server: string | undefined): boolean {
  const address = server === undefined ? undefined : readServerAddress(server);
  if (!address || !("url" in address)) return true;
  return isLoopbackHost(address.url.hostname);
}
