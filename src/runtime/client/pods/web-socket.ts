/**
 * WebSocket messages over a connection to the API server: binary ones in both directions.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6455
 */
import { createHash, randomBytes } from "node:crypto";
import type { Clock, Timer } from "../../../clock.ts";
import type { UpgradedConnection } from "../../transport/transport.ts";

const ACCEPT_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const FIN = 0x80;
const NORMAL_CLOSURE = 1000;
// Far more than kubelets send in one message.
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
// Proxies close connections without traffic, and a peer that is gone is noticed by its silence.
const PING_MS = 15_000;
const SILENCE_MS = 60_000;

/** Receives the messages of a connection. */
export interface MessageSink {
  /** Called when the connection is open, before the first message. */
  connected(socket: WebSocketConnection): void;
  /** Called with a message; the bytes are valid until the call returns. */
  message(bytes: Buffer): void;
  /** Called after the last message; with an error when the connection broke. */
  closed(error?: Error): void;
}

/** The request headers of a handshake, and the check of its answer. */
export interface Handshake {
  readonly headers: Readonly<Record<string, string>>;
  /** The problem of the answer; `undefined` when there is none. */
  check(headers: Readonly<Record<string, string>>): string | undefined;
}

/** The request headers for a connection in one of the protocols, the first one preferred. */
export function handshake(protocols: readonly string[]): Handshake {
  const key = randomBytes(16).toString("base64");
  const accept = createHash("sha1")
    .update(key + ACCEPT_GUID)
    .digest("base64");
  return {
    headers: {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": key,
      "Sec-WebSocket-Protocol": protocols.join(", "),
    },
    check(headers) {
      if (headers["upgrade"]?.toLowerCase() !== "websocket")
        return "it does not upgrade to a WebSocket";
      if (headers["sec-websocket-accept"] !== accept)
        return "its Sec-WebSocket-Accept does not match the key";
      const protocol = headers["sec-websocket-protocol"] ?? "";
      if (!protocols.includes(protocol)) {
        return `it speaks ${protocol === "" ? "no protocol" : protocol} instead of ${protocols.join(" or ")}`;
      }
      return undefined;
    },
  };
}

export class WebSocketConnection {
  readonly #connection: UpgradedConnection;
  readonly #clock: Clock;
  readonly #sink: MessageSink;
  #rest: Buffer = Buffer.alloc(0);
  // The parts of a message that came in several frames.
  #parts: Buffer[] | undefined;
  #closing = false;
  #over = false;
  #paused = false;
  #heardAtMs: number;
  #timer: Timer | undefined;

  constructor(connection: UpgradedConnection, clock: Clock, sink: MessageSink) {
    this.#connection = connection;
    this.#clock = clock;
    this.#sink = sink;
    this.#heardAtMs = clock.monotonicMs();
  }

  /** Begins to take in messages. */
  start(): void {
    this.#watch();
    this.#sink.connected(this);
    this.#connection.open({
      data: (bytes) => {
        this.#heardAtMs = this.#clock.monotonicMs();
        this.#take(bytes);
      },
      closed: (error) => {
        this.#end(this.#closing ? undefined : error);
      },
    });
  }

  /** Sends one message. @returns whether more may be sent at once */
  send(message: Uint8Array): boolean {
    return this.#connection.write(frame(BINARY, message));
  }

  drained(): Promise<void> {
    return this.#connection.drained();
  }

  pause(): void {
    this.#paused = true;
    this.#connection.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#heardAtMs = this.#clock.monotonicMs();
    this.#connection.resume();
  }

  /** Sends a close frame and closes the connection. */
  close(): void {
    if (this.#over) return;
    this.#closing = true;
    this.#connection.write(closeFrame());
    this.#end(undefined);
  }

  #watch(): void {
    this.#timer = this.#clock.after(
      PING_MS,
      () => {
        // Nothing is read while the reader pauses the connection.
        if (this.#paused) this.#heardAtMs = this.#clock.monotonicMs();
        if (this.#clock.monotonicMs() - this.#heardAtMs > SILENCE_MS) {
          this.#end(
            Object.assign(new Error(`nothing came within ${SILENCE_MS / 1000} s`), {
              code: "ETIMEDOUT",
            }),
          );
          return;
        }
        this.#connection.write(frame(PING, new Uint8Array()));
        this.#watch();
      },
      { unref: true },
    );
  }

  #take(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    try {
      for (let next = readFrame(this.#rest); next && !this.#over; next = readFrame(this.#rest)) {
        this.#rest = this.#rest.subarray(next.length);
        this.#handle(next);
      }
      // A copy, so that the kept bytes do not hold the memory of the whole chunk.
      this.#rest = Buffer.from(this.#rest);
    } catch (error) {
      this.#end(error as Error);
    }
  }

  #handle({ opcode, final, payload }: Frame): void {
    switch (opcode) {
      case TEXT:
      case BINARY:
        if (this.#parts) throw new Error("a message started in the middle of another message");
        if (final) this.#sink.message(payload);
        else this.#parts = [Buffer.from(payload)];
        return;
      case CONTINUATION:
        this.#continue(final, payload);
        return;
      case PING:
        this.#connection.write(frame(PONG, payload));
        return;
      case PONG:
        return;
      case CLOSE:
        this.#closedByPeer(payload);
        return;
      default:
        throw new Error(`a frame has the unknown opcode ${opcode}`);
    }
  }

  #continue(final: boolean, payload: Buffer): void {
    if (!this.#parts)
      throw new Error("a continuation frame came without the beginning of its message");
    this.#parts.push(Buffer.from(payload));
    const size = this.#parts.reduce((sum, { length }) => sum + length, 0);
    if (size > MAX_MESSAGE_BYTES) throw new Error("a message is too long");
    if (!final) return;
    const whole = Buffer.concat(this.#parts);
    this.#parts = undefined;
    this.#sink.message(whole);
  }

  #closedByPeer(payload: Buffer): void {
    const code = payload.length >= 2 ? payload.readUInt16BE(0) : NORMAL_CLOSURE;
    this.#connection.write(closeFrame());
    const why = payload.subarray(2).toString("utf8");
    this.#end(
      code === NORMAL_CLOSURE
        ? undefined
        : new Error(`the server closed the stream with ${code}${why === "" ? "" : `: ${why}`}`),
    );
  }

  #end(error: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#timer?.cancel();
    this.#connection.close();
    this.#sink.closed(error);
  }
}

interface Frame {
  readonly opcode: number;
  readonly final: boolean;
  readonly payload: Buffer;
  /** The length of the whole frame, with its head. */
  readonly length: number;
}

/**
 * The first frame in the bytes; `undefined` while it is incomplete. @throws Error for a frame that
 * no server sends
 */
function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  if ((first & 0x70) !== 0) throw new Error("a frame uses an extension that was not negotiated");
  if ((second & 0x80) !== 0) throw new Error("a frame of the server is masked");
  const short = second & 0x7f;
  const headLength = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < headLength) return undefined;
  const size =
    short === 127
      ? Number(bytes.readBigUInt64BE(2))
      : short === 126
        ? bytes.readUInt16BE(2)
        : short;
  if (size > MAX_MESSAGE_BYTES) throw new Error("a message is too long");
  const length = headLength + size;
  if (bytes.length < length) return undefined;
  const payload = bytes.subarray(headLength, length);
  return { opcode: first & 0x0f, final: (first & FIN) !== 0, payload, length };
}

/** A whole message of a client, masked as the protocol wants it. */
function frame(opcode: number, payload: Uint8Array): Buffer {
  const size = payload.length;
  const extended = size > 0xffff ? 8 : size > 125 ? 2 : 0;
  const bytes = Buffer.allocUnsafe(6 + extended + size);
  bytes[0] = FIN | opcode;
  bytes[1] = 0x80 | (extended === 8 ? 127 : extended === 2 ? 126 : size);
  if (extended === 8) bytes.writeBigUInt64BE(BigInt(size), 2);
  else if (extended === 2) bytes.writeUInt16BE(size, 2);
  const mask = randomBytes(4);
  const start = 6 + extended;
  mask.copy(bytes, start - 4);
  for (let index = 0; index < size; index++) {
    bytes[start + index] = (payload[index] ?? 0) ^ (mask[index & 3] ?? 0);
  }
  return bytes;
}

function closeFrame(): Buffer {
  const code = Buffer.alloc(2);
  code.writeUInt16BE(NORMAL_CLOSURE);
  return frame(CLOSE, code);
}
