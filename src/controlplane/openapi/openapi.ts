/**
 * Answers the paths of OpenAPI v3, as kubectl needs them for apply, explain and validation.
 *
 * Documents are JSON only; a client that takes nothing but protobuf is refused. Version 2 is not served:
 * kubectl falls back on version 3.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3
 * @module
 */
import { createHash } from "node:crypto";
import type { DocumentAnswer, DocumentRequest } from "../discovery/answer.ts";
import { groupsOf } from "../discovery/versions.ts";
import type { ServedResource } from "../kinds.ts";
import { JSON_TYPE, chooseMediaType } from "../views/accept.ts";
import { documentsOf } from "./documents.ts";

/** A GET below `/openapi/v3`. */
export interface OpenApiRequest extends DocumentRequest {
  /** The parameter `hash`, when there is one. */
  readonly hash?: string | undefined;
  /** Wall time, for `Expires`. */
  readonly nowMs: number;
}

interface BuiltDocument {
  readonly body: string;
  readonly hash: string;
}

const ROOT = "/openapi/v3";
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** The documents of the resources that are served now; each is made once, when it is first asked for. */
export class OpenApi {
  #resources: readonly ServedResource[] | undefined;
  #documents = new Map<string, () => BuiltDocument>();
  // Documents of groups that did not change outlive the changes of others.
  readonly #known = new Map<string, { readonly key: string; readonly built: BuiltDocument }>();
  readonly #identities = new WeakMap<ServedResource, number>();
  #lastIdentity = 0;

  /**
   * Answers a GET of `/openapi/v3` or of a document below it; an unknown one is a 404 without a body.
   *
   * @param resources - an array that is another one as soon as anything is served otherwise
   */
  answer(request: OpenApiRequest, resources: readonly ServedResource[]): DocumentAnswer {
    this.#follow(resources);
    if (request.path === ROOT) return this.#index();
    const name = request.path.slice(ROOT.length + 1);
    const build = this.#documents.get(name);
    if (!build) return { status: 404, headers: {}, body: "" };
    const type = chooseMediaType(request.accept, [JSON_TYPE], () => "application/json");
    if (type === undefined) return { status: 406, headers: { vary: "Accept" }, body: "" };
    return documentAnswer(name, build(), request);
  }

  #index(): DocumentAnswer {
    const paths = Object.fromEntries(
      [...this.#documents].map(([name, build]) => [
        name,
        { serverRelativeURL: urlOf(name, build().hash) },
      ]),
    );
    return {
      status: 200,
      headers: { "content-type": "text/plain; charset=utf-8" },
      body: JSON.stringify({ paths }),
    };
  }

  #follow(resources: readonly ServedResource[]): void {
    if (this.#resources === resources) return;
    this.#resources = resources;
    const groups = groupsOf(resources);
    this.#documents = new Map(
      documentsOf(groups)
        .map(({ name, build }) => {
          const key = resources
            .filter(({ group, version }) => name === `apis/${group}/${version}`)
            .map((resource) => this.#identityOf(resource))
            .join();
          return [name, () => this.#built(name, key, build)] as const;
        })
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    );
    for (const name of this.#known.keys()) {
      if (!this.#documents.has(name)) this.#known.delete(name);
    }
  }

  #built(name: string, key: string, build: () => object): BuiltDocument {
    const known = this.#known.get(name);
    if (known?.key === key) return known.built;
    const body = JSON.stringify(build());
    const hash = createHash("sha512").update(body).digest("hex").toUpperCase();
    const built = { body, hash };
    this.#known.set(name, { key, built });
    return built;
  }

  #identityOf(resource: ServedResource): number {
    const known = this.#identities.get(resource);
    if (known !== undefined) return known;
    this.#lastIdentity += 1;
    this.#identities.set(resource, this.#lastIdentity);
    return this.#lastIdentity;
  }
}

const urlOf = (name: string, hash: string): string => `${ROOT}/${name}?hash=${hash}`;

function documentAnswer(
  name: string,
  { body, hash }: BuiltDocument,
  { hash: asked, ifNoneMatch, nowMs }: OpenApiRequest,
): DocumentAnswer {
  const etag = `"${hash}"`;
  if (asked !== undefined && asked !== "" && asked !== hash) {
    return {
      status: 301,
      headers: { vary: "Accept", etag, location: urlOf(name, hash) },
      body: "",
    };
  }
  const headers = {
    vary: "Accept",
    etag,
    // A hashed address never changes its content.
    ...(asked === hash
      ? {
          "cache-control": "public, immutable",
          expires: new Date(nowMs + YEAR_MS).toUTCString(),
        }
      : {}),
  };
  const tags = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim());
  if (tags.includes(etag) || tags.includes("*")) return { status: 304, headers, body: "" };
  return { status: 200, headers: { ...headers, "content-type": "application/json" }, body };
}
