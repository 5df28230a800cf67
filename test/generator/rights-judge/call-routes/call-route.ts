/** A way in which code reaches the place where it calls its client. */
import type { Operation } from "../operations.ts";
import type { Parts } from "../parts.ts";

/** A call that a route places. */
export interface Call {
  readonly operation: Operation;
  /** The expressions of the client and of the kind, in `reconcile`. */
  readonly client: string;
  readonly kind: string;
  /** The type of parameters that stand for the kind. */
  readonly kindType: string;
  /** The same operation on other expressions. */
  code(client: string, kind: string): string;
}

/** A way to a call. */
export interface CallRoute {
  readonly name: string;
  readonly needsClass?: boolean;
  /** Whether the kind is not handed on. */
  readonly isOfClient?: boolean;
  /** Adds what the route needs; returns the statements, which stand in `reconcile`. */
  write(parts: Parts, call: Call): string;
}

export const clientType = ({ operation }: Call): string => (operation.reads ? "Reader" : "Client");
export const params = (call: Call): string =>
  `client: ${clientType(call)}, kind: ${call.kindType}, key: ObjectKey${call.operation.needsPage ? ", page: Page" : ""}`;
export const args = ({ client, kind, operation }: Call): string =>
  `${client}, ${kind}, key${operation.needsPage ? ", page" : ""}`;
export const names = ({ operation }: Call): string =>
  `client, kind, key${operation.needsPage ? ", page" : ""}`;
export const body = (call: Call): string => `{\n${call.code("client", "kind")}\n}`;
export const inner = (call: Call): string => call.code(call.client, call.kind);

export const keyParams = ({ operation }: Call): string =>
  `key: ObjectKey${operation.needsPage ? ", page: Page" : ""}`;
export const keyArgs = ({ operation }: Call): string => `key${operation.needsPage ? ", page" : ""}`;
