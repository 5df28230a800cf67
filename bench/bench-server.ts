/**
 * A cheap HTTPS server for a benchmark, in a process of its own, so that the figures are those of
 * the client.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { systemClock } from "../src/clock.ts";
import { CertificateAuthority } from "../src/controlplane/auth/certificates.ts";
import { createKeys } from "../src/controlplane/auth/keys.ts";

/** The address of a server, which it prints as a line of JSON. */
export interface ServerAddress {
  readonly port: number;
  readonly ca: string;
}

/** Serves until SIGTERM; prints its address and `more` once it listens. */
export function serveBench(
  handle: (request: IncomingMessage, response: ServerResponse, url: URL) => void,
  known: object = {},
): void {
  const keys = createKeys(systemClock);
  const authority = new CertificateAuthority(systemClock, keys.authority, keys.certificate);
  const { certificate, key } = authority.server(["localhost", "127.0.0.1"]);
  const server = createServer({ cert: certificate, key }, (request, response) => {
    response.setHeader("Content-Type", "application/json");
    handle(request, response, new URL(request.url ?? "/", "https://localhost"));
  });
  // Closing a connection just when the client uses it again would count as an error of the client.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    const address: ServerAddress = { port, ca: authority.certificate };
    console.log(JSON.stringify({ ...address, ...known }));
  });
  process.on("SIGTERM", () => {
    server.closeAllConnections();
    server.close();
  });
}

/** The documents of discovery, by path, of a server that has one kind in namespaces. */
export function discoveryOf(
  group: string,
  version: string,
  kind: string,
  plural: string,
): Readonly<Record<string, object>> {
  const groupVersion = group === "" ? version : `${group}/${version}`;
  const served = { groupVersion, version };
  const verbs = ["get", "list", "watch", "patch"];
  const resource = {
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced: true,
    kind,
    verbs,
  };
  const status = { ...resource, name: `${plural}/status`, verbs: ["get", "patch"] };
  const groups =
    group === "" ? [] : [{ name: group, versions: [served], preferredVersion: served }];
  return {
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/apis": { kind: "APIGroupList", apiVersion: "v1", groups },
    [group === "" ? `/api/${version}` : `/apis/${groupVersion}`]: {
      kind: "APIResourceList",
      groupVersion,
      resources: [resource, status],
    },
  };
}
