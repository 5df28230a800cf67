/**
 * Answers the paths of OpenAPI v3, which kubectl needs for apply, explain and validation, and that
 * of version 2.
 *
 * Documents of version 3 are JSON only; a client that accepts only protobuf is refused. Version 2
 * is also available in protobuf: older versions of kubectl, and helm, read no other form.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3
 */
import { createHash } from "node:crypto";
import type { DocumentAnswer, DocumentRequest } from "../discovery/answer.ts";
import { groupsOf } from "../discovery/versions.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { ServedResource } from "../kinds.ts";
import { JSON_TYPE, chooseMediaType } from "../views/accept.ts";
import { type LazyDocument, documentsOf } from "./documents.ts";
import { swaggerBytes } from "./swagger-protobuf.ts";
import { swaggerOf } from "./swagger.ts";

/** A GET of `/openapi/v2`, or below `/openapi/v3`. */
export interface OpenApiRequest extends DocumentRequest {
  /** The query parameter `hash`, if present. */
  readonly hash?: string | undefined;
  /** Wall time in milliseconds, for `Expires`. */
  readonly nowMs: number;
}

/** A document as it is sent, with the hash of its text. */
interface BuiltDocument {
  readonly body: string;
  readonly hash: string;
}

/** A document of version 3, built on first request. */
type KnownDocument = LazyDocument & { built?: BuiltDocument };

/** A document with its headers, ready to be sent; that of version 2 may be bytes. */
type OpenApiAnswer = Omit<DocumentAnswer, "body"> & { readonly body: string | Uint8Array };

/** The document of version 2; its protobuf form is built on first request. */
interface BuiltSwagger extends BuiltDocument {
  readonly document: JsonObject;
  bytes?: Uint8Array;
}

const PROTOBUF_V2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The media types offered for version 2, of which those with `@` are older spellings. */
const OFFERED_V2 = [
  JSON_TYPE,
  ["application", "com.github.proto-openapi.spec.v2@v1.0+protobuf"],
  ["application", "com.github.proto-openapi.spec.v2.v1.0+protobuf"],
] as const;

const ROOT = "/openapi/v3";
const ROOT_V2 = "/openapi/v2";
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** The documents of the resources that are served now; each is built on first request. */
export class OpenApi {
  #resources: readonly ServedResource[] | undefined;
  #documents: ReadonlyMap<string, KnownDocument> = new Map();
  readonly #gitVersion: string;
  #swagger: BuiltSwagger | undefined;

  /** @param gitVersion - the version that the server reports */
  constructor(gitVersion: string) {
    this.#gitVersion = gitVersion;
  }

  /**
   * Answers a GET of `/openapi/v2`, `/openapi/v3` or a document below it; an unknown one is a 404
   * without a body.
   *
   * @param resources - an array that is replaced whenever the served resources change
   */
  answer(request: OpenApiRequest, resources: readonly ServedResource[]): OpenApiAnswer {
    this.#follow(resources);
    if (request.path === ROOT) return this.#index();
    if (request.path === ROOT_V2) return this.#answerV2(request, resources);
    const name = request.path.slice(ROOT.length + 1);
    const document = this.#documents.get(name);
    if (!document) return { status: 404, headers: {}, body: "" };
    const type = chooseMediaType(request.accept, [JSON_TYPE], () => "application/json");
    if (type === undefined) return { status: 406, headers: { vary: "Accept" }, body: "" };
    return documentAnswer(name, builtOf(document), request);
  }

  #answerV2(request: OpenApiRequest, resources: readonly ServedResource[]): OpenApiAnswer {
    const type = chooseMediaType(request.accept, OFFERED_V2, ([, subtype]) =>
      subtype === "json" ? "application/json" : PROTOBUF_V2,
    );
    if (type === undefined) return { status: 406, headers: { vary: "Accept" }, body: "" };
    if (!this.#swagger) {
      const document = swaggerOf(groupsOf(resources), this.#gitVersion);
      this.#swagger = { ...built(document), document };
    }
    const { body, document, hash } = this.#swagger;
    const etag = `"${hash}"`;
    const headers = { vary: "Accept-Encoding, Accept", etag };
    if (matches(request.ifNoneMatch, etag)) return { status: 304, headers, body: "" };
    return {
      status: 200,
      headers: { ...headers, "content-type": type },
      body: type === PROTOBUF_V2 ? (this.#swagger.bytes ??= swaggerBytes(document)) : body,
    };
  }

  #index(): DocumentAnswer {
    const paths = Object.fromEntries(
      [...this.#documents].map(([name, document]) => [
        name,
        { serverRelativeURL: urlOf(name, builtOf(document).hash) },
      ]),
    );
    return {
      status: 200,
      headers: { "content-type": "text/plain; charset=utf-8" },
      body: JSON.stringify({ paths }),
    };
  }

  /** Documents of unchanged resources are kept when others change. */
  #follow(resources: readonly ServedResource[]): void {
    if (this.#resources === resources) return;
    this.#resources = resources;
    this.#swagger = undefined;
    const before = this.#documents;
    this.#documents = new Map(
      documentsOf(groupsOf(resources))
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        .map((document) => {
          const known = before.get(document.name);
          const isSame =
            known?.resources.length === document.resources.length &&
            known.resources.every((resource, at) => resource === document.resources[at]);
          return [document.name, isSame ? known : { ...document }];
        }),
    );
  }
}

const builtOf = (document: KnownDocument): BuiltDocument =>
  (document.built ??= built(document.build()));

function built(document: object): BuiltDocument {
  const body = JSON.stringify(document);
  return { body, hash: createHash("sha512").update(body).digest("hex").toUpperCase() };
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim());
  return tags.includes(etag) || tags.includes("*");
}

const urlOf = (name: string, hash: string): string => `${ROOT}/${name}?hash=${hash}`;

function documentAnswer(
  name: string,
  { body, hash }: BuiltDocument,
  { hash: asked, ifNoneMatch, nowMs }: OpenApiRequest,
): DocumentAnswer {
  const etag = `"${hash}"`;
  if (asked !== undefined && asked !== "" && asked !== hash) {
    const headers = { vary: "Accept", etag, location: urlOf(name, hash) };
    return { status: 301, headers, body: "" };
  }
  // The content at a hashed address never changes.
  const expires = new Date(nowMs + YEAR_MS).toUTCString();
  const lasting = asked === hash ? { "cache-control": "public, immutable", expires } : {};
  const headers = { vary: "Accept", etag, ...lasting };
  if (matches(ifNoneMatch, etag)) return { status: 304, headers, body: "" };
  return { status: 200, headers: { ...headers, "content-type": "application/json" }, body };
}
