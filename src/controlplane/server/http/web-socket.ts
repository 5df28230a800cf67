/**
 * The server's side of a WebSocket that carries a watch: text messages to the client. The messages of the client are
 * ignored, except pings and its farewell.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455
 */
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";

const ACCEPT_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const VERSION = "13";
const FIN = 0x80;
const MASKED = 0x80;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const NORMAL_CLOSURE = 1000;
const PROTOCOL_ERROR = 1002;
/** The longest payload of a control frame; the rest of a longer ping is dropped. */
const CONTROL_MAX_BYTES = 125;
/** The longest message that a client can send. */
const MESSAGE_MAX_BYTES = 32 * 1024 * 1024;

/**
 * The bytes that answer a request for a WebSocket.
 *
 * @param protocols - the protocols that the client offers, a token excepted
 */
export function handshakeAnswer(
  headers: IncomingHttpHeaders,
  protocols: readonly string[],
): { readonly accepted: boolean; readonly head: string } {
  const refused = (line: string, ...rest: readonly string[]) => ({
    accepted: false,
    head: [`HTTP/1.1 ${line}`, ...rest].join("\r\n"),
  });
  const key = headers["sec-websocket-key"] ?? "";
  if (key === "") return refused("400 Bad Request", "", "mismatch challenge/response");
  if (headers["sec-websocket-version"] !== VERSION) {
    const supported = `Sec-WebSocket-Version: ${VERSION}`;
    return refused("400 Bad Request", supported, "", "missing or bad WebSocket Version");
  }
  if (!isOrigin(headers.origin ?? "")) return refused("403 Forbidden", "", "");
  const [protocol, ...others] = protocols;
  if (others.length > 0) return refused("400 Bad Request", "", "");
  const accept = createHash("sha1")
    .update(key + ACCEPT_GUID)
    .digest("base64");
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ];
  return { accepted: true, head: [...lines, "", ""].join("\r\n") };
}

/** Whether Go accepts the value as the target of a request: absolute, a path or a URL. */
const isOrigin = (text: string): boolean =>
  text.startsWith("/") || (/^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text));

/** An accepted WebSocket. */
export class WatchSocket {
  readonly #socket: Duplex;
  #head = Buffer.alloc(0);
  /** The bytes of the current frame's payload that have not come yet. */
  #left = 0;
  #ping: Ping | undefined;
  #over = false;

  /** Takes in frames from now on, and closes the connection after the client's farewell. */
  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.on("end", () => this.close());
    socket.resume();
  }

  /** Sends a message. */
  send(text: string): void {
    if (!this.#over) this.#socket.write(frame(TEXT, Buffer.from(text, "utf8")));
  }

  /** Says farewell, and ends the connection. */
  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#socket.end(closeFrame(NORMAL_CLOSURE));
    // The client's answer, or anything else, would keep the connection open.
    this.#socket.once("finish", () => this.#socket.destroy());
  }

  #take(received: Buffer): void {
    let bytes = received;
    while (bytes.length > 0 && !this.#over) {
      bytes = this.#left > 0 ? this.#takePayload(bytes) : this.#takeHead(bytes);
    }
  }

  #takePayload(bytes: Buffer): Buffer {
    const part = bytes.subarray(0, this.#left);
    this.#left -= part.length;
    this.#ping?.add(part);
    if (this.#left === 0) this.#answerPing();
    return bytes.subarray(part.length);
  }

  #takeHead(bytes: Buffer): Buffer {
    this.#head = Buffer.concat([this.#head, bytes]);
    const size = headSize(this.#head);
    if (this.#head.length < size) return Buffer.alloc(0);
    const rest = this.#head.subarray(size);
    this.#begin(this.#head.subarray(0, size));
    this.#head = Buffer.alloc(0);
    return rest;
  }

  /** Begins a frame. The kinds of messages are not told apart: none of them means anything here. */
  #begin(head: Buffer): void {
    const opcode = head.readUInt8(0) & 0x0f;
    if ((head.readUInt8(1) & MASKED) === 0) {
      this.#socket.write(closeFrame(PROTOCOL_ERROR));
      this.close();
      return;
    }
    const length = payloadSize(head);
    if (opcode === CLOSE || length > MESSAGE_MAX_BYTES) {
      this.close();
      return;
    }
    this.#left = length;
    this.#ping = opcode === PING ? new Ping(Buffer.from(head.subarray(-4))) : undefined;
    if (length === 0) this.#answerPing();
  }

  #answerPing(): void {
    if (this.#ping) this.#socket.write(frame(PONG, this.#ping.payload()));
    this.#ping = undefined;
  }
}

/** The beginning of a ping's payload. */
class Ping {
  readonly #mask: Buffer;
  #masked = Buffer.alloc(0);

  constructor(mask: Buffer) {
    this.#mask = mask;
  }

  add(part: Buffer): void {
    this.#masked = Buffer.concat([this.#masked, part]).subarray(0, CONTROL_MAX_BYTES);
  }

  payload(): Buffer {
    return Buffer.from(this.#masked.map((byte, index) => byte ^ (this.#mask[index & 3] ?? 0)));
  }
}

/** The length of the head that begins with these bytes; too long while its length is unknown. */
function headSize(bytes: Buffer): number {
  if (bytes.length < 2) return 2;
  const second = bytes.readUInt8(1);
  const short = second & 0x7f;
  return 2 + (short === 127 ? 8 : short === 126 ? 2 : 0) + ((second & MASKED) === 0 ? 0 : 4);
}

function payloadSize(head: Buffer): number {
  const short = head.readUInt8(1) & 0x7f;
  if (short < 126) return short;
  return short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
}

function frame(opcode: number, payload: Uint8Array): Buffer {
  const size = payload.length;
  const extended = size > 0xffff ? 8 : size > 125 ? 2 : 0;
  const bytes = Buffer.allocUnsafe(2 + extended + size);
  bytes[0] = FIN | opcode;
  bytes[1] = extended === 8 ? 127 : extended === 2 ? 126 : size;
  if (extended === 8) bytes.writeBigUInt64BE(BigInt(size), 2);
  else if (extended === 2) bytes.writeUInt16BE(size, 2);
  bytes.set(payload, 2 + extended);
  return bytes;
}

function closeFrame(code: number): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return frame(CLOSE, payload);
}
