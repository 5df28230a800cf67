/**
 * A server of objects that costs next to nothing: every answer is made before the first request, so
 * that the figures are those of the client.
 *
 * `COUNT RESOURCE`, such as `10000 pods`. Prints one line: a `BenchServer`.
 */
import { discoveryOf, serveBench } from "./bench-server.ts";
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
const documents = discoveryOf("", "v1", kind, plural);

serveBench(
  (_, response, { pathname, searchParams }) => {
    const document = documents[pathname];
    if (document) response.end(JSON.stringify(document));
    else if (!pathname.endsWith(`/${plural}`)) response.writeHead(404).end("{}");
    else if (!searchParams.has("watch")) response.end(list);
    else if (searchParams.has("sendInitialEvents")) response.write(stream);
    else response.flushHeaders();
  },
  { kind, plural },
);
