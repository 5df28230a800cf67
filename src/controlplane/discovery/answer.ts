/** Answers the discovery paths: the groups, versions and resources that are served. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../kube/object.ts";
import { methodNotAllowed, noSuchResource } from "../failures.ts";
import {
  JSON_TYPE,
  YAML_TYPE,
  chooseMediaType,
  nothingAcceptable,
  requireRepresentation,
} from "../views/accept.ts";
import { encode } from "../views/encode.ts";
import { aggregated, coreVersions, groupDocument, groupList, resourceList } from "./documents.ts";
import { type DiscoveredResource, groupsOf } from "./versions.ts";

export interface DocumentRequest {
  /** The path, without the query and without a trailing slash. */
  readonly path: string;
  readonly accept?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** A document with its headers, ready to be sent. */
export interface DocumentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const AGGREGATED = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const OFFERED = [JSON_TYPE, YAML_TYPE];

/**
 * Answers `/api`, `/apis`, `/api/VERSION`, `/apis/GROUP` or `/apis/GROUP/VERSION`.
 *
 * @param announced - versions of custom groups that are listed even when nothing in them is served
 * @param serverAddress - `host:port`, the address at which clients reach the server
 * @returns `undefined` when the path is none of these, or its group or version is not served
 * @throws StatusError 404 for a version that a built-in group does not have, 405 for a method
 *   other than GET where the method is checked, 406 when no accepted media type can be served
 */
export function answerDiscovery(
  request: DocumentRequest & { readonly method: string },
  resources: readonly DiscoveredResource[],
  announced: readonly Pick<DiscoveredResource, "group" | "version">[],
  serverAddress: string,
): DocumentAnswer | undefined {
  const { path, accept, method } = request;
  const [root, ...names] = path.split("/").slice(1);
  const isCore = root === "api";
  if ((!isCore && root !== "apis") || names.length > (isCore ? 1 : 2)) return undefined;
  // The router in front of these documents checks the method and the accepted media types.
  const requireGet = (): void => {
    if (method !== "GET") throw methodNotAllowed();
    requireRepresentation(accept);
  };
  const groups = groupsOf(resources, announced);
  const core = groups.find(({ name }) => name === "");
  if (names.length === 0) {
    if (isCore) requireGet();
    const mediaType = aggregatedType(accept);
    if (mediaType !== undefined) {
      const shown = groupsOf(resources).filter(({ name }) => (name === "") === isCore);
      return withTag(request, aggregated(shown), mediaType);
    }
    if (!isCore) return plain(accept, groupList(groups));
    return core && plain(accept, coreVersions(core, serverAddress));
  }
  const group = isCore ? core : groups.find(({ name }) => name !== "" && name === names[0]);
  if (!group) return undefined;
  const versionName = names[isCore ? 0 : 1];
  if (versionName === undefined) return plain(accept, groupDocument(group));
  const version = group.versions.find((candidate) => candidate.version === versionName);
  if (group.builtIn) {
    if (!version) throw noSuchResource();
    requireGet();
  }
  return version?.resources.length ? plain(accept, resourceList(group, version)) : undefined;
}

/** The media type of aggregated discovery, when the client accepts it. */
const aggregatedType = (accept: string | undefined): string | undefined =>
  chooseMediaType(accept, OFFERED, ([type, subtype], { g, v, as }) =>
    g === "apidiscovery.k8s.io" && v === "v2" && as === "APIGroupDiscoveryList"
      ? `${type}/${subtype};${AGGREGATED}`
      : undefined,
  );

function plain(accept: string | undefined, document: JsonObject): DocumentAnswer {
  const mediaType = chooseMediaType(accept, OFFERED, (type, { g, v, as }) =>
    g === undefined && v === undefined && as === undefined ? type.join("/") : undefined,
  );
  if (mediaType === undefined) throw nothingAcceptable(accept);
  return answered(document, mediaType);
}

function withTag(
  { ifNoneMatch }: DocumentRequest,
  document: JsonObject,
  mediaType: string,
): DocumentAnswer {
  const digest = createHash("sha512").update(JSON.stringify(document)).digest("hex");
  const etag = `"${digest.toUpperCase()}"`;
  const headers = { etag, vary: "Accept", "cache-control": "public" };
  if (ifNoneMatch === etag) return { status: 304, headers, body: "" };
  return answered(document, mediaType, headers);
}

const answered = (document: JsonObject, mediaType: string, headers = {}): DocumentAnswer => ({
  status: 200,
  headers: { ...headers, "content-type": mediaType },
  body: encode(document, mediaType),
});
