/**
 * A server of objects that costs next to nothing: every answer is made before the first request. What is
 * measured against it is the client alone.
 *
 * `COUNT RESOURCE`, such as `10000 pods`. Prints one line: a `BenchServer`.
 *
 * @module
 */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { systemClock } from "../src/clock.ts";
import { CertificateAuthority } from "../src/controlplane/auth/certificates.ts";
import { createKeys } from "../src/controlplane/auth/keys.ts";
import { SHAPES } from "./list-objects.ts";

const COUNT = Number(process.argv[2] ?? 10_000);
const shape = SHAPES[process.argv[3] ?? "configmaps"];
if (!shape) throw new Error(`which of ${Object.keys(SHAPES).join(", ")}?`);
const { kind, plural } = shape;
const VERSION = "1000000";

const objects = Array.from({ length: COUNT }, (_, index) => shape.object(index));
const metadata = { resourceVersion: VERSION };
const list = Buffer.from(
  JSON.stringify({ kind: `${kind}List`, apiVersion: "v1", metadata, items: objects }),
);
const end = {
  kind,
  apiVersion: "v1",
  metadata: { ...metadata, annotations: { "k8s.io/initial-events-end": "true" } },
};
const stream = Buffer.from(
  [...objects.map((object) => ({ type: "ADDED", object })), { type: "BOOKMARK", object: end }]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join(""),
);
const verbs = ["get", "list", "watch"];
const resource = { name: plural, singularName: kind.toLowerCase(), kind, verbs };
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
  else if (!pathname.endsWith(`/${plural}`)) response.writeHead(404).end("{}");
  else if (!searchParams.has("watch")) response.end(list);
  else if (searchParams.has("sendInitialEvents")) response.write(stream);
  else response.flushHeaders();
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ port, ca: authority.certificate, kind, plural }));
});
process.on("SIGTERM", () => {
  server.closeAllConnections();
  server.close();
});
