/**
 * Objects of a kind with a status, which can be listed, watched and patched at next to no cost:
 * `COUNT`. Each text is put together from parts, and a patch replaces one of them; of JSON only the
 * patch is parsed. Watches get the event at once.
 */
import type { ServerResponse } from "node:http";
import { discoveryOf, serveBench } from "./bench-server.ts";
import { GROUP, KIND, NAMESPACE, nameOf, PLURAL, VERSION, webOf } from "./reconcile-objects.ts";

const COUNT = Number(process.argv[2]);
const COLLECTION = `/apis/${GROUP}/${VERSION}/namespaces/${NAMESPACE}/${PLURAL}`;

/** The text of an object, split at the parts that change. */
interface Stored {
  readonly beforeVersion: string;
  readonly beforeAt: string;
  readonly beforeStatus: string;
  version: number;
  at: string;
  status: string;
}

interface MergePatch {
  readonly status?: object;
  readonly spec?: { readonly at: string };
}

const PLACE = "@@";
let version = 1_000_000;
const objects = new Map<string, Stored>();
for (let index = 0; index < COUNT; index++) {
  const text = JSON.stringify(webOf(index, PLACE));
  const [beforeVersion = "", beforeAt = "", beforeStatus = ""] = text.split(`"${PLACE}"`);
  const parts = { beforeVersion, beforeAt, beforeStatus };
  objects.set(nameOf(index), { ...parts, version: version++, at: '""', status: "{}" });
}

const textOf = (object: Stored): string =>
  `${object.beforeVersion}"${object.version}"${object.beforeAt}${object.at}${object.beforeStatus}${object.status}}`;

const documents = discoveryOf(GROUP, VERSION, KIND, PLURAL);
const watches = new Set<ServerResponse>();

function watch(response: ServerResponse, initial: boolean): void {
  response.flushHeaders();
  if (initial) {
    for (const object of objects.values()) {
      response.write(`{"type":"ADDED","object":${textOf(object)}}\n`);
    }
    const annotations = { "k8s.io/initial-events-end": "true" };
    const metadata = { resourceVersion: String(version), annotations };
    const object = { apiVersion: `${GROUP}/${VERSION}`, kind: KIND, metadata };
    response.write(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
  }
  watches.add(response);
  response.on("close", () => watches.delete(response));
}

function list(): string {
  const items = [...objects.values()].map(textOf).join(",");
  return `{"apiVersion":"${GROUP}/${VERSION}","kind":"${KIND}List","metadata":{"resourceVersion":"${version}"},"items":[${items}]}`;
}

function change(object: Stored, text: string): string {
  const patch = JSON.parse(text) as MergePatch | readonly [{ readonly value: object }];
  // A JSON patch always replaces the whole status.
  const { status, spec } = "0" in patch ? { status: patch[0].value, spec: undefined } : patch;
  if (status) object.status = JSON.stringify(status);
  if (spec) object.at = JSON.stringify(spec.at);
  object.version = ++version;
  const changed = textOf(object);
  for (const response of watches) response.write(`{"type":"MODIFIED","object":${changed}}\n`);
  return changed;
}

serveBench(
  (request, response, { pathname, searchParams }) => {
    const document = documents[pathname];
    const object = objects.get(pathname.split("/")[7] ?? "");
    if (document) response.end(JSON.stringify(document));
    else if (object && request.method === "PATCH") {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => response.end(change(object, body)));
    } else if (object) response.end(textOf(object));
    else if (!pathname.endsWith(`/${PLURAL}`)) response.writeHead(404).end("{}");
    else if (searchParams.has("watch")) watch(response, searchParams.has("sendInitialEvents"));
    else response.end(list());
  },
  { collection: COLLECTION },
);
