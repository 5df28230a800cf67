/**
 * Parses an HTTP/1.1 answer from the bytes of its connection. It is strict where a lenient parser
 * could take one answer for another: the answer ends where its head says, or the connection is not
 * used again.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112
 */

/** The status and the headers: names in lower case, equal ones joined by commas. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface AnswerSink {
  head(head: AnswerHead): void;
  /** A part of the body, not empty. It is valid until the call returns. */
  data(part: Buffer): void;
  end(): void;
}

/** The received bytes are not an HTTP/1.1 answer. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
}

// Far more than an API server sends; without a limit a broken server could fill the memory.
const MAX_HEAD_BYTES = 256 * 1024;
const MAX_LINE_BYTES = 16 * 1024;
// The number of informational answers that Go's client accepts, such as 100 Continue.
const MAX_EARLY_ANSWERS = 5;
// oxlint-disable-next-line no-control-regex -- those are what no header has, as for Go and for Node
const CONTROL_CHARACTER = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const NEWLINE = 0x0a;
const BEGINNING = Buffer.from("HTTP/1.");
const CR = 0x0d;
const MAX_SHOWN = 80;
// What Go's client accepts of bytes between chunks beyond those that they need.
const MAX_EXCESS_BYTES = 16 * 1024;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/;
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
const CHUNK_SIZE = /^([\da-fA-F]{1,13})[ \t]*(?:;|$)/;

type State =
  | "head"
  /** A body of a known length, or up to the end of the connection. */
  | "body"
  | "chunk-size"
  | "chunk"
  | "chunk-end"
  | "trailer"
  | "done";

export class AnswerParser {
  readonly #sink: AnswerSink;
  readonly #method: string;
  #state: State = "head";
  // The beginning of an incomplete head or line.
  #rest: Buffer | undefined;
  // The missing bytes of the body, or of the chunk.
  #leftBytes = 0;
  #earlyAnswers = 0;
  #trailerBytes = 0;
  #excessBytes = 0;
  #keepsAlive = false;

  /** @param method - of the request: an answer to HEAD has no body, whatever it says */
  constructor(method: string, sink: AnswerSink) {
    this.#method = method;
    this.#sink = sink;
  }

  get done(): boolean {
    return this.#state === "done";
  }

  /** Whether the connection can be used again after the answer. */
  get keepsAlive(): boolean {
    return this.#keepsAlive;
  }

  /**
   * Parses the next bytes, and keeps none of their memory.
   *
   * @throws AnswerError when they are not an answer, or more than one
   */
  push(bytes: Buffer): void {
    let at = 0;
    let chunk = bytes;
    if (this.#rest) {
      chunk = Buffer.concat([this.#rest, bytes]);
      this.#rest = undefined;
    }
    while (at < chunk.length) {
      const next = this.#step(chunk, at);
      if (next < 0) {
        this.#rest = Buffer.from(chunk.subarray(at));
        return;
      }
      at = next;
    }
  }

  /** The part of the answer that is missing; `undefined` before it began. */
  get missing(): string | undefined {
    switch (this.#state) {
      case "head":
        return this.#rest && "its head is incomplete";
      case "body":
        return `${this.#leftBytes} bytes of its Content-Length are missing`;
      case "done":
        return undefined;
      default:
        return "its last chunk is missing";
    }
  }

  /** Takes the end of the connection. @returns whether the answer is complete */
  ended(): boolean {
    if (this.#state === "body" && this.#leftBytes === Infinity) this.#finish();
    return this.done;
  }

  /**
   * Parses from `at` on; returns the position where it stopped, or a negative number when more
   * bytes are needed.
   */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#readHead(bytes, at);
      case "body":
      case "chunk":
        return this.#readBody(bytes, at);
      case "chunk-size":
      case "chunk-end":
      case "trailer":
        return this.#readLine(bytes, at);
      case "done":
        throw new AnswerError("the server sent more than one answer");
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    assertBeginning(bytes, at);
    const end = bytes.indexOf(END_OF_HEAD, at);
    if (end < 0) this.#assertLines(bytes, at);
    if ((end < 0 ? bytes.length : end) - at > MAX_HEAD_BYTES) {
      throw new AnswerError("the answer's headers are too large");
    }
    if (end < 0) return end;
    const [statusLine = "", ...fields] = bytes.toString("latin1", at, end).split("\r\n");
    const [, minor, code] = STATUS_LINE.exec(statusLine) ?? [];
    if (code === undefined || CONTROL_CHARACTER.test(statusLine)) {
      throw new AnswerError(`it begins with ${shown(statusLine)}, which is not a status line`);
    }
    const status = Number(code);
    const after = end + END_OF_HEAD.length;
    // An informational answer before the final one, such as 100 Continue.
    if (status < 200 && status !== 101) {
      headersOf(fields);
      if (++this.#earlyAnswers <= MAX_EARLY_ANSWERS) return after;
      throw new AnswerError("too many informational answers come before the final one");
    }
    if (status === 101)
      throw new AnswerError("the server changed the protocol without being asked");
    const headers = headersOf(fields);
    this.#expectBody(status, minor === "1", headers);
    this.#sink.head({ status, headers });
    // Without a body, the answer ends with its head.
    if (this.#state === "body" && this.#leftBytes === 0) this.#finish();
    return after;
  }

  /** Lines that end without CR have no end of the head to wait for. */
  #assertLines(bytes: Buffer, at: number): void {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline < 0) return;
    if (bytes[newline - 1] !== CR || bytes.indexOf("\n\n", newline) >= 0) {
      const line = bytes.toString("latin1", at, newline);
      throw new AnswerError(`a line of its head ends without CR: ${shown(line)}`);
    }
  }

  #expectBody(status: number, persistent: boolean, headers: AnswerHead["headers"]): void {
    const connection = wordsOf(headers["connection"]);
    this.#keepsAlive = persistent
      ? !connection.includes("close")
      : connection.includes("keep-alive");
    this.#state = "body";
    const coding = headers["transfer-encoding"];
    const said = headers["content-length"];
    const length = said === undefined ? undefined : lengthOf(said);
    if (this.#method === "HEAD" || status === 204 || status === 304) this.#leftBytes = 0;
    else if (coding !== undefined) {
      if (coding.toLowerCase() !== "chunked") {
        throw new AnswerError(`the answer's transfer encoding is ${shown(coding)}`);
      }
      // Both say where the answer ends, and a proxy may have believed the other one.
      if (length !== undefined)
        throw new AnswerError("the answer has both Transfer-Encoding and Content-Length");
      this.#state = "chunk-size";
    } else if (length !== undefined) this.#leftBytes = length;
    else {
      this.#leftBytes = Infinity;
      this.#keepsAlive = false;
    }
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#leftBytes);
    this.#leftBytes -= end - at;
    this.#sink.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (this.#leftBytes === 0) {
      if (this.#state === "chunk") this.#state = "chunk-end";
      else this.#finish();
    }
    return end;
  }

  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(NEWLINE, at);
    if ((end < 0 ? bytes.length : end) - at > MAX_LINE_BYTES) {
      throw new AnswerError("a line between the answer's chunks is too long");
    }
    if (end < 0) return end;
    const line = bytes.toString("latin1", at, end);
    if (!line.endsWith("\r")) throw new AnswerError("a line of the response ends without CR");
    const text = line.slice(0, -1);
    if (CONTROL_CHARACTER.test(text)) {
      throw new AnswerError("a control character between the answer's chunks");
    }
    this.#take(text);
    return end + 1;
  }

  #take(line: string): void {
    if (this.#state === "chunk-size") {
      const [, size] = CHUNK_SIZE.exec(line) ?? [];
      if (size === undefined) throw new AnswerError(`not the size of a chunk: ${shown(line)}`);
      this.#leftBytes = parseInt(size, 16);
      this.#excessBytes = Math.max(0, this.#excessBytes + line.length - 16 - 2 * this.#leftBytes);
      if (this.#excessBytes > MAX_EXCESS_BYTES) {
        throw new AnswerError("there is more between its chunks than in them");
      }
      this.#state = this.#leftBytes === 0 ? "trailer" : "chunk";
    } else if (this.#state === "chunk-end") {
      if (line !== "") throw new AnswerError("a chunk of the response is longer than declared");
      this.#state = "chunk-size";
    } else if (line === "") this.#finish();
    else {
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > MAX_HEAD_BYTES) {
        throw new AnswerError("the answer's trailers are too large");
      }
      headersOf([line]);
    }
  }

  #finish(): void {
    this.#state = "done";
    this.#sink.end();
  }
}

function headersOf(fields: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const colon = field.indexOf(":");
    const name = field.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!FIELD_NAME.test(name)) {
      throw new AnswerError(`not a header: ${shown(field)}`);
    }
    const value = field.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "");
    if (CONTROL_CHARACTER.test(value))
      throw new AnswerError(`a control character in header ${name}`);
    // No header has these names, but every object has such properties.
    if (name === "__proto__" || name === "constructor") continue;
    const known = headers[name];
    headers[name] = known === undefined ? value : `${known}, ${value}`;
  }
  return headers;
}

/** The words of a list, in lower case. */
function wordsOf(value: string | undefined): string[] {
  return value === undefined ? [] : value.toLowerCase().split(/[\t ]*,[\t ]*/);
}

/** Several equal lengths are one; different ones are an attack. */
function lengthOf(value: string): number {
  const [first = "", ...others] = wordsOf(value);
  if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first)) {
    throw new AnswerError(`the answer's length is ${shown(value)}`);
  }
  return Number(first);
}

/** @throws AnswerError as soon as the bytes cannot become an HTTP/1 answer any more */
function assertBeginning(bytes: Buffer, at: number): void {
  const length = Math.min(BEGINNING.length, bytes.length - at);
  if (bytes.compare(BEGINNING, 0, length, at, at + length) === 0) return;
  const begins = shown(bytes.toString("latin1", at, at + 2 * MAX_SHOWN));
  throw new AnswerError(`it is not HTTP: it begins with ${begins}${protocolOf(bytes, at)}`);
}

// The first bytes of a TLS record: its type, and its version.
const TLS_ALERT = 0x15;
const TLS_HANDSHAKE = 0x16;

function protocolOf(bytes: Buffer, at: number): string {
  const [type, version] = [bytes[at], bytes[at + 1]];
  const isTls = (type === TLS_ALERT || type === TLS_HANDSHAKE) && version === 3;
  return isTls ? ", which is TLS; the address needs https://" : "";
}

/** Text of a server for messages: quoted, in printable ASCII, and not longer than a line. */
function shown(text: string): string {
  const cut = text.slice(0, MAX_SHOWN);
  const escaped = cut.replace(
    /[^\x20-\x7e]|["\\]/g,
    (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return `"${escaped}"${text.length > MAX_SHOWN ? "..." : ""}`;
}
