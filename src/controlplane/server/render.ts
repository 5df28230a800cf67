/**
 * Objects, lists and failures as bytes.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { type Status, type StatusError } from "../../kube/status.ts";
import type { ServedResource } from "../kinds.ts";
import type { ListPage } from "./list.ts";
import type { Answer } from "./request.ts";

const NO_CACHE = { "cache-control": "no-cache, private" };

/** JSON with the status. */
export function jsonAnswer(
  status: number,
  body: object,
  headers: Readonly<Record<string, string | string[]>> = {},
): Answer {
  return {
    status,
    headers: { ...NO_CACHE, "content-type": "application/json", ...headers },
    body: `${JSON.stringify(body)}\n`,
  };
}

/** A failure as its `Status`. */
export function failureAnswer(error: StatusError): Answer {
  const { status } = error;
  const seconds = status.details?.retryAfterSeconds;
  return jsonAnswer(
    status.code,
    status,
    seconds === undefined ? {} : { "retry-after": String(seconds) },
  );
}

/** `404 page not found`: what a path gets that nobody serves. */
export function pageNotFound(): Answer {
  return {
    status: 404,
    headers: {
      ...NO_CACHE,
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    },
    body: "404 page not found\n",
  };
}

/** A page of a list as the list kind. Items of built-in kinds leave out what the list's kind says. */
export function listObject(resource: ServedResource, page: ListPage): KubeObject | object {
  return {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource),
    metadata: page.metadata,
    items: resource.builtIn ? page.items.map(withoutType) : page.items,
  };
}

function withoutType(object: KubeObject): object {
  const { kind, apiVersion, ...rest } = object;
  void [kind, apiVersion];
  return rest;
}

/** The parts of `Warning` headers for these texts, each once. */
export function warningHeader(warnings: readonly string[]): Record<string, string[]> {
  const texts = [...new Set(warnings)].filter((text) => text !== "");
  if (texts.length === 0) return {};
  return { warning: texts.map((text) => `299 - "${text.replace(/[\\"]/g, "\\$&")}"`) };
}

/** Whether an answer's body is a `Status`. */
export function isStatus(body: object): body is Status {
  return (body as { kind?: unknown }).kind === "Status";
}
