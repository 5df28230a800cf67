/**
 * Requests to upgrade a connection. Only watches become WebSockets; any other request with an `Upgrade` header is an
 * ordinary one, as for Go's server.
 */
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { protocolsOf, offered, wantsWebSocket } from "../../auth/web-socket-token.ts";
import type { Answer } from "../requests/request.ts";
import { WatchSocket, handshakeAnswer } from "./web-socket.ts";

/** A request that Node's parser took for an upgrade, on its way through the parser once more. */
export interface Returned {
  readonly upgrade: string;
  /** The answer, if the request has been handled. */
  readonly answer?: Answer;
}

/** Whether the request asks for a WebSocket; its answer decides whether it gets one. */
export const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && wantsWebSocket(headers);

/** Has the socket hold back its bytes: after an upgrade nothing reads them. */
export function holdBack(socket: TLSSocket): void {
  socket.removeAllListeners("data");
  socket.pause();
  // Reported by the end of the connection.
  socket.on("error", () => undefined);
}

/**
 * The bytes of a request without its `Upgrade` header, so that the parser takes it for an ordinary one.
 */
export function plainHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.toLowerCase() !== "upgrade") lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  return Buffer.from([...lines, "", ""].join("\r\n"), "latin1");
}

/**
 * Answers a request for a WebSocket.
 *
 * @param byCertificate - whether a certificate has the client's name: then a token is one protocol more
 * @returns the accepted WebSocket; `undefined` after a refusal, which ends the connection
 */
export function acceptWebSocket(
  { headers }: IncomingMessage,
  socket: TLSSocket,
  byCertificate: boolean,
): WatchSocket | undefined {
  const protocols = byCertificate ? offered(headers) : protocolsOf(headers);
  const { accepted, head } = handshakeAnswer(headers, protocols);
  if (!accepted) {
    socket.end(head);
    return undefined;
  }
  socket.write(head);
  return new WatchSocket(socket);
}
