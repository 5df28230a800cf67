/** A request and its answer, independent of sockets. */
import type { SentObject } from "../../../kube/object.ts";
import type { Status } from "../../../kube/status.ts";
import type { Credentials } from "../../auth/authenticator.ts";
import type { ServedResource, ServedSubresource, User } from "../../kinds.ts";
import type { ListPage } from "../read/list.ts";

/** A request whose user is known. */
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
  /** Calls back when the client is gone, or has its answer. */
  whenGone(listener: () => void): void;
}

/** A request before its user is known, with its credentials. */
export type RawRequest = Omit<ApiRequest, "user"> & Credentials;

/** Writes lines as they come; the stream ends when the promise settles. */
type StreamWriter = (write: (line: string) => void) => Promise<void>;

/** An answer: bytes, or a stream of lines. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array | StreamWriter;
  /** Whether a client that asks for a WebSocket gets each line of the stream as a message. */
  readonly webSocket?: true;
}

/**
 * The outcome of a request: an object or a page of a list, whose form the client chooses, or a
 * finished answer.
 */
export type Outcome =
  | { readonly code: number; readonly object: SentObject | Status }
  | { readonly page: ListPage }
  | Answer;

export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly resource: ServedResource;
  readonly subresource: ServedSubresource | undefined;
  /** Empty when the path has none. */
  readonly namespace: string;
  /** Empty when the path has none. */
  readonly name: string;
  /** The path after the subresource. */
  readonly rest: string | undefined;
  /** Whether the path has the old `/watch/` prefix. */
  readonly watchPrefix: boolean;
  /** The texts of `Warning` headers, in order. */
  readonly warnings: string[];
}

/** The value of a header that is sent once. */
export function headerOf(request: Pick<ApiRequest, "headers">, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? "";
}
