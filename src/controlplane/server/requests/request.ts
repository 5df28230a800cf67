/**
 * A request and its answer, free of sockets: what the HTTP server hands in and writes out.
 *
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import type { Status } from "../../../kube/status.ts";
import type { Credentials } from "../../auth/authenticator.ts";
import type { ServedResource, ServedSubresource, User } from "../../kinds.ts";
import type { ListPage } from "../read/list.ts";

/** A request by somebody who is known. */
export interface ApiRequest {
  readonly method: string;
  /** Still percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly user: User;
  /** Reads the body; once. @throws StatusError 413 */
  body(): Promise<Uint8Array>;
  /** Calls back when the client is gone, or has got its answer. */
  whenGone(listener: () => void): void;
}

/** A request before anybody knows whose it is. */
export type RawRequest = Omit<ApiRequest, "user"> & Credentials;

/** Lines to be written as they come; ends when the promise settles. */
type StreamWriter = (write: (line: string) => void) => Promise<void>;

/** An answer: bytes, or a stream of lines. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array | StreamWriter;
}

/** What came of a request: an object or a page of a list, whose form is the client's choice, or an answer as it is. */
export type Outcome =
  | { readonly code: number; readonly object: SentObject | Status }
  | { readonly page: ListPage }
  | Answer;

/** A request to a resource that is served. */
export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly resource: ServedResource;
  readonly subresource?: ServedSubresource;
  /** Empty when the path names none. */
  readonly namespace: string;
  /** Empty when the path names none. */
  readonly name: string;
  /** What follows the subresource in the path. */
  readonly rest?: string;
  /** The old `/watch/` prefix. */
  readonly watchPrefix: boolean;
  /** Texts for `Warning` headers, in order. */
  readonly warnings: string[];
}

/** The value of a header that is sent once. */
export function headerOf(request: Pick<ApiRequest, "headers">, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? "";
}

/** The field manager of a write: what the query says, else the user agent up to its first slash. */
export function managerOf(request: ApiRequest, fieldManager: string): string {
  if (fieldManager !== "") return fieldManager;
  const agent = headerOf(request, "user-agent").split("/")[0] ?? "";
  return agent.slice(0, 128);
}
