/** A connection to a port in a pod: two channels of a WebSocket, for bytes and errors. */
import { Duplex } from "node:stream";
import type { MessageSink, WebSocketConnection } from "./web-socket.ts";

const DATA = 0;
const ERROR = 1;
// Each channel begins with the port, in two bytes.
const PORT_BYTES = 2;
const CHUNK_BYTES = 32 * 1024;

export class PodConnection extends Duplex {
  #socket: WebSocketConnection | undefined;
  readonly #begun = new Set<number>();
  readonly #failed: (error: Error) => Error;
  /** Takes in the messages of the connection. */
  readonly sink: MessageSink = {
    connected: (socket) => {
      this.#socket = socket;
    },
    message: (bytes) => {
      this.#take(bytes);
    },
    closed: (error) => {
      this.#socket = undefined;
      if (error) this.destroy(this.#failed(error));
      else this.push(null);
    },
  };

  constructor(failed: (error: Error) => Error) {
    super();
    this.#failed = failed;
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    void this.#write(chunk).then(() => {
      done();
    }, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket?.close();
    done(error);
  }

  #take(bytes: Buffer): void {
    const [channel = -1] = bytes;
    const isFirst = !this.#begun.has(channel);
    this.#begun.add(channel);
    const payload = bytes.subarray(isFirst ? 1 + PORT_BYTES : 1);
    if (payload.length === 0) return;
    if (channel === DATA) {
      if (!this.push(Buffer.from(payload))) this.#socket?.pause();
    } else if (channel === ERROR) {
      this.destroy(this.#failed(new Error(payload.toString("utf8").trim())));
    }
  }

  async #write(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += CHUNK_BYTES) {
      const part = chunk.subarray(at, at + CHUNK_BYTES);
      const socket = this.#socket;
      if (!socket) throw new Error("the connection to the pod is closed");
      if (!socket.send(Buffer.concat([Uint8Array.of(DATA), part]))) await socket.drained();
    }
  }
}
