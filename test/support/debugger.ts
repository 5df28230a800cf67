/** A debugger of Node: the protocol of its inspector over a WebSocket, which Node 20 has no client of. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Something that the inspector tells. */
export interface InspectorEvent {
  readonly method: string;
  readonly params: unknown;
}

interface Answer extends Partial<InspectorEvent> {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** One that is attached. */
export class Debugger {
  /** All that was told. */
  readonly events: InspectorEvent[] = [];
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #received = Buffer.alloc(0);
  #last = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      for (let text = this.#nextText(); text !== undefined; text = this.#nextText()) {
        this.#take(JSON.parse(text) as Answer);
      }
    });
    socket.on("error", () => undefined);
  }

  /** @param address - `ws://127.0.0.1:9229/4b...` */
  static async attach(address: string): Promise<Debugger> {
    const { hostname, port, pathname, host } = new URL(address);
    const socket = connect(Number(port), hostname);
    const key = randomBytes(16).toString("base64");
    const headers = `Host: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`;
    const websocket = `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`;
    socket.write(`GET ${pathname} HTTP/1.1\r\n${headers}${websocket}`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    if (!answer.toString().startsWith("HTTP/1.1 101")) throw new Error(answer.toString());
    return new Debugger(socket);
  }

  /** Calls a method. @throws Error with what the inspector says */
  async call(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#last;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#send(JSON.stringify({ id, method, params }));
    const { result = {}, error } = await answered;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  detach(): void {
    this.#socket.destroy();
  }

  #take(answer: Answer): void {
    const { id, method, params = {} } = answer;
    if (id !== undefined) this.#waiting.get(id)?.(answer);
    else if (method !== undefined) this.events.push({ method, params });
  }

  /** A client masks what it sends; zeros are a mask. */
  #send(text: string): void {
    const payload = Buffer.from(text);
    const head = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255]);
    this.#socket.write(Buffer.concat([head, Buffer.alloc(4), payload]));
  }

  /** The text of the next frame, once all of it is here. */
  #nextText(): string | undefined {
    const bytes = this.#received;
    if (bytes.length < 2) return undefined;
    const short = (bytes[1] ?? 0) & 127;
    const start = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (bytes.length < start) return undefined;
    const size =
      short === 127
        ? Number(bytes.readBigUInt64BE(2))
        : short === 126
          ? bytes.readUInt16BE(2)
          : short;
    if (bytes.length < start + size) return undefined;
    this.#received = bytes.subarray(start + size);
    return bytes.toString("utf8", start, start + size);
  }
}
