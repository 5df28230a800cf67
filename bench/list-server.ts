/**
 * A server of 10,000 ConfigMaps that costs next to nothing: every answer is made before the first request. What is
 * measured against it is the client alone.
 *
 * Prints one line: `{ "port", "ca" }`.
 *
 * @module
 */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { systemClock } from "../src/clock.ts";
import { CertificateAuthority } from "../src/controlplane/auth/certificates.ts";
import { createKeys } from "../src/controlplane/auth/keys.ts";

const COUNT = Number(process.argv[2] ?? 10_000);
const VERSION = "1000000";

/** About 1.5 kB, a third of them managedFields, as objects of an operator are. */
function configMap(index: number): object {
  const name = `settings-${String(index).padStart(6, "0")}`;
  const data = Object.fromEntries(
    Array.from({ length: 8 }, (_, line) => [`option-${line}`, `value ${index} ${"x".repeat(60)}`]),
  );
  const fields = Object.fromEntries(Object.keys(data).map((key) => [`f:${key}`, {}]));
  return {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: {
      name,
      namespace: "bench",
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
      resourceVersion: String(100_000 + index),
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { "app.kubernetes.io/name": "bench", "app.kubernetes.io/instance": name },
      managedFields: [
        {
          manager: "bench",
          operation: "Apply",
          apiVersion: "v1",
          time: "2026-01-01T00:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": fields, "f:metadata": { "f:labels": { "f:app": {} } } },
        },
      ],
    },
    data,
  };
}

const objects = Array.from({ length: COUNT }, (_, index) => configMap(index));
const metadata = { resourceVersion: VERSION };
const list = Buffer.from(
  JSON.stringify({ kind: "ConfigMapList", apiVersion: "v1", metadata, items: objects }),
);
const end = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { ...metadata, annotations: { "k8s.io/initial-events-end": "true" } },
};
const stream = Buffer.from(
  [...objects.map((object) => ({ type: "ADDED", object })), { type: "BOOKMARK", object: end }]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join(""),
);
const verbs = ["get", "list", "watch"];
const resource = { name: "configmaps", singularName: "configmap", kind: "ConfigMap", verbs };
const documents: Readonly<Record<string, object>> = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [] },
  "/api/v1": {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [{ ...resource, namespaced: true }],
  },
};

const keys = createKeys();
const authority = new CertificateAuthority(systemClock, keys.authority, keys.certificate);
const { certificate, key } = authority.server(["localhost", "127.0.0.1"]);
const server = createServer({ cert: certificate, key }, (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
  response.setHeader("Content-Type", "application/json");
  const document = documents[pathname];
  if (document) response.end(JSON.stringify(document));
  else if (!pathname.endsWith("/configmaps")) response.writeHead(404).end("{}");
  else if (!searchParams.has("watch")) response.end(list);
  else if (searchParams.has("sendInitialEvents")) response.write(stream);
  else response.flushHeaders();
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ port, ca: authority.certificate }));
});
process.on("SIGTERM", () => {
  server.closeAllConnections();
  server.close();
});
