/**
 * A process in a container, over channels of a WebSocket: `v5.channel.k8s.io`, and `v4` of older
 * servers.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#websockets-for-streaming
 */
import { Readable, Writable } from "node:stream";
import { brokenAnswer, isFailedStatus } from "../../rest/answers.ts";
import { StatusError, type Status } from "../../../kube/status.ts";
import { deferred } from "../../deferred.ts";
import type { MessageSink, WebSocketConnection } from "./web-socket.ts";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
const CLOSE = 255;
// What a terminal sends at Ctrl-D, and its line break.
const EOT = 4;
const NEWLINE = 10;
// The size of a message that the API server accepts without complaint.
const CHUNK_BYTES = 32 * 1024;

/** The output of a command. */
export interface ProcessOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command, or the main process of a container, with its streams. */
export interface PodProcess {
  /**
   * The input. Its end signals the program that nothing more comes; with a `tty` as Ctrl-D does in a terminal.
   * Writes fail where no `stdin` was requested.
   */
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The error output; empty with a `tty`. */
  readonly stderr: Readable;
  /**
   * The exit code: 0 is success. Rejects with a StatusError where the process did not start, and
   * with a ConnectionError when the connection broke: whether the process continues is unknown
   * then.
   */
  readonly exitCode: Promise<number>;
  /** Sets the size of the terminal. */
  resize(size: { readonly columns: number; readonly rows: number }): void;
  /** Reads the output to its end, as text. */
  output(): Promise<ProcessOutput>;
  /** Ends the connection. A program that reads its `stdin` notices; others continue. */
  close(): void;
}

/** The streams of one process; it is the sink of its connection. */
export class ChannelProcess implements PodProcess, MessageSink {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly #exit = deferred<number>();
  readonly #failed: (error: Error) => Error;
  #socket: WebSocketConnection | undefined;
  // The streams whose readers have not caught up.
  readonly #full = new Set<Readable>();
  #status: Partial<Status> | undefined;
  #lastByte = NEWLINE;

  /** @param failed - makes the error of a broken connection */
  constructor(
    { stdin: hasStdin, tty }: { readonly stdin: boolean; readonly tty: boolean },
    failed: (error: Error) => Error,
  ) {
    this.#failed = failed;
    const readable = (): Readable => {
      const stream: Readable = new Readable({
        read: () => {
          if (this.#full.delete(stream) && this.#full.size === 0) this.#socket?.resume();
        },
      });
      return stream;
    };
    this.stdout = readable();
    this.stderr = readable();
    this.stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        void this.#write(chunk).then(() => {
          done();
        }, done);
      },
      final: (done) => {
        this.#socket?.send(tty ? this.#endOfTerminal() : Uint8Array.of(CLOSE, STDIN));
        done();
      },
    });
    // A caller that does not write need not listen for errors.
    this.stdin.on("error", () => undefined);
    if (!hasStdin) this.stdin.destroy(new Error("the process was started without `stdin: true`"));
    this.#exit.promise.catch(() => undefined);
  }

  get exitCode(): Promise<number> {
    return this.#exit.promise;
  }

  connected(socket: WebSocketConnection): void {
    this.#socket = socket;
  }

  message(bytes: Buffer): void {
    const [channel] = bytes;
    const payload = bytes.subarray(1);
    if (channel === STDOUT) this.#push(this.stdout, payload);
    else if (channel === STDERR) this.#push(this.stderr, payload);
    else if (channel === ERROR && payload.length > 0) this.#takeStatus(payload.toString("utf8"));
  }

  closed(error?: Error): void {
    this.#socket = undefined;
    for (const stream of [this.stdout, this.stderr]) stream.push(null);
    this.stdin.destroy();
    if (this.#status) this.#settle(this.#status);
    else {
      this.#exit.reject(
        this.#failed(
          error ?? new Error("the stream closed before the exit status of the process arrived"),
        ),
      );
    }
  }

  resize({ columns, rows }: { readonly columns: number; readonly rows: number }): void {
    const size = JSON.stringify({ Width: columns, Height: rows });
    this.#socket?.send(Buffer.concat([Uint8Array.of(RESIZE), Buffer.from(size)]));
  }

  async output(): Promise<ProcessOutput> {
    const [stdout, stderr, exitCode] = await Promise.all([
      streamTextOf(this.stdout),
      streamTextOf(this.stderr),
      this.#exit.promise,
    ]);
    return { exitCode, stdout, stderr };
  }

  close(): void {
    this.#socket?.close();
  }

  #push(stream: Readable, payload: Buffer): void {
    if (payload.length === 0 || stream.destroyed) return;
    if (stream.push(Buffer.from(payload))) return;
    this.#full.add(stream);
    this.#socket?.pause();
  }

  async #write(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += CHUNK_BYTES) {
      const part = chunk.subarray(at, at + CHUNK_BYTES);
      const socket = this.#socket;
      if (!socket) throw new Error("the process has exited");
      if (!socket.send(Buffer.concat([Uint8Array.of(STDIN), part]))) await socket.drained();
      this.#lastByte = part.at(-1) ?? this.#lastByte;
    }
  }

  /**
   * Container runtimes drop the output of a terminal whose input is closed. In the middle of a line, the first Ctrl-D ends
   * the line.
   */
  #endOfTerminal(): Uint8Array {
    return this.#lastByte === NEWLINE ? Uint8Array.of(STDIN, EOT) : Uint8Array.of(STDIN, EOT, EOT);
  }

  #takeStatus(text: string): void {
    try {
      this.#status = JSON.parse(text) as Partial<Status>;
    } catch {
      // Older servers send the status as text.
      this.#exit.reject(brokenAnswer(text));
    }
  }

  #settle(status: Partial<Status>): void {
    const { status: outcome } = status;
    if (!isFailedStatus(status)) {
      // Only a kubelet's word for success is one: anything else would make a failed command look well.
      if (outcome === "Success") this.#exit.resolve(0);
      else
        this.#exit.reject(
          brokenAnswer(`unknown status of the process: ${JSON.stringify(outcome)}`),
        );
      return;
    }
    const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
    const code = Number(cause?.message ?? Number.NaN);
    if (status.reason === "NonZeroExitCode" && Number.isInteger(code)) this.#exit.resolve(code);
    else
      this.#exit.reject(new StatusError({ ...status, kind: "Status", code: status.code || 500 }));
  }
}

async function streamTextOf(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
