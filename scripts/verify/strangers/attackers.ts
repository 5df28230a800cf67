/** Clients without credentials, each of which sends one hostile request after another. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { gzipSync } from "node:zlib";
import { systemClock } from "../../../src/clock.ts";
import type { Random } from "../../../test/support/random.ts";
import { BODIES } from "./bodies.ts";

export type Ports = Readonly<Record<"webhooks" | "metrics" | "health" | "debug", number>>;

const PATHS = ["/validate", "/mutate", "/slow", "/convert", "/nowhere"];
const NAMES = Object.keys(BODIES);
/** Bodies up to this size are made once. */
const KEPT_BYTES = 1024 * 1024;
const ANSWER_MS = 30_000;
const PIPELINED = 300;

/** The counted outcomes of requests: statuses, or how the connection ended. */
export type Outcomes = Map<string, number>;

export class Attackers {
  readonly outcomes: Outcomes = new Map();
  readonly #ports: Ports;
  readonly #random: Random;
  readonly #maxBytes: number;
  readonly #bodies = new Map<string, Buffer>();
  readonly #held = new Set<Socket>();
  #sent = 0;

  constructor(ports: Ports, random: Random, maxBytes: number) {
    this.#ports = ports;
    this.#random = random;
    this.#maxBytes = maxBytes;
  }

  /** How many requests were sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Sends requests from one address, over one connection after another, until there were `count` of all attackers. */
  async attack(count: number): Promise<void> {
    const address = `127.0.${1 + this.#random.below(3)}.${1 + this.#random.below(250)}`;
    let connection: Connection | undefined;
    while (this.#sent < count) {
      connection = connection?.isOpen
        ? connection
        : await Connection.open(this.#ports.webhooks, address);
      if (!connection) {
        this.#count("no connection");
        continue;
      }
      const kind = this.#random.below(1000);
      if (kind < 2) await this.#pipeline(connection, address);
      else if (kind < 15) await this.#hold(address);
      else if (kind < 60) await this.#otherServers(address);
      else this.#count(await connection.ask(this.#request(kind), kind % 50 === 0 ? 1 : undefined));
    }
    connection?.socket.destroy();
  }

  #count(outcome: string, times = 1): void {
    this.#sent += times;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + times);
  }

  #request(kind: number): Buffer {
    const path = this.#random.pick(PATHS);
    const body = this.#body();
    const type = "Host: a\r\nContent-Type: application/json\r\n";
    if (kind < 75) return chunked(`POST ${path} HTTP/1.1\r\n${type}`, body.subarray(0, 20_000));
    if (kind < 130) {
      const zipped = gzipSync(body.subarray(0, 50_000));
      return request(`POST ${path} HTTP/1.1\r\n${type}Content-Encoding: gzip\r\n`, zipped);
    }
    if (kind < 160) {
      const fields = Array.from({ length: this.#random.below(900) }, (_, at) => `X-${at}: y\r\n`);
      return request(`POST ${path} HTTP/1.1\r\n${type}${fields.join("")}`, body);
    }
    return request(`POST ${path}?timeout=30s HTTP/1.1\r\n${type}`, body);
  }

  /** Most are short: each doubling of the size is half as frequent. */
  #body(): Buffer {
    const name = this.#random.pick(NAMES);
    let bytes = 256;
    while (bytes < this.#maxBytes && this.#random.below(100) < 55) bytes *= 2;
    const key = `${name} ${bytes}`;
    const known = this.#bodies.get(key);
    if (known) return known;
    const body = Buffer.from(BODIES[name]?.(bytes) ?? "");
    if (bytes <= KEPT_BYTES) this.#bodies.set(key, body);
    return body;
  }

  /** Many requests at the same time, whose answers nobody reads. */
  async #pipeline({ socket }: Connection, address: string): Promise<void> {
    const other = await Connection.open(this.#ports.webhooks, address);
    socket.destroy();
    if (!other) return;
    const small = Buffer.from("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n");
    other.socket.pause();
    const first = request(
      "POST /convert HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n",
      this.#body(),
    );
    other.socket.write(Buffer.concat([first, ...Array.from({ length: PIPELINED }, () => small)]));
    this.#keep(other.socket);
    this.#count("answers not read", PIPELINED + 1);
  }

  /** Half a request, and nothing more. */
  async #hold(address: string): Promise<void> {
    const connection = await Connection.open(this.#ports.webhooks, address);
    this.#count("half a request");
    if (!connection) return;
    const body = this.#body();
    const all = request(
      `POST ${this.#random.pick(PATHS)} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX: ${"y".repeat(this.#random.below(15_000))}\r\n`,
      body,
    );
    connection.socket.write(all.subarray(0, this.#random.below(all.length)));
    this.#keep(connection.socket);
  }

  #keep(socket: Socket): void {
    this.#held.add(socket);
    socket.once("close", () => this.#held.delete(socket));
  }

  async #otherServers(address: string): Promise<void> {
    const { metrics, health, debug } = this.#ports;
    const token = this.#random.below(2) === 0 ? randomBytes(12).toString("hex") : jsonWebToken();
    const head = `Host: a\r\nAuthorization: Bearer ${token}\r\n`;
    const wanted = this.#random.below(4);
    const connection =
      wanted === 0
        ? await Connection.open(health, address, false)
        : await Connection.open(wanted === 1 ? debug : metrics, address);
    if (!connection) {
      this.#count("no connection");
      return;
    }
    const path =
      wanted === 0
        ? `/readyz?verbose&exclude=${"x".repeat(this.#random.below(2000))}`
        : wanted === 1
          ? "/debug/journal"
          : "/metrics";
    for (let again = 0; again < 5 && connection.isOpen; again++) {
      const asked = Buffer.from(`GET ${path} HTTP/1.1\r\n${head}\r\n`);
      this.#count(
        `${wanted === 0 ? "probes" : wanted === 1 ? "journal" : "metrics"} ${await connection.ask(asked)}`,
      );
    }
    connection.socket.write(request(`POST ${path} HTTP/1.1\r\n${head}`, this.#body()));
    connection.socket.destroySoon();
  }
}

/** A connection, and the answers on it. */
class Connection {
  readonly socket: Socket;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("error", () => undefined);
  }

  static async open(
    port: number,
    localAddress: string,
    isTls = true,
  ): Promise<Connection | undefined> {
    const to = { port, host: "127.0.0.1", localAddress };
    const socket = isTls ? connectTls({ ...to, rejectUnauthorized: false }) : connectPlain(to);
    const connection = new Connection(socket);
    const opened = once(socket, isTls ? "secureConnect" : "connect").then(
      () => true,
      () => false,
    );
    const closed = once(socket, "close").then(
      () => false,
      () => false,
    );
    return (await Promise.race([opened, closed])) ? connection : undefined;
  }

  get isOpen(): boolean {
    return this.socket.writable;
  }

  /** The status of the answer, or what happened instead. */
  ask(bytes: Buffer, chunkBytes?: number): Promise<string> {
    const { socket } = this;
    return new Promise((resolve) => {
      let said = "";
      let missing = -1;
      const settle = (outcome: string, isUsable: boolean): void => {
        socket.off("data", read).off("close", closed);
        timer.cancel();
        if (!isUsable) socket.destroy();
        resolve(outcome);
      };
      const closed = (): void => settle(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? "closed", false);
      const read = (part: Buffer): void => {
        if (missing < 0) {
          said += part.toString("latin1");
          const end = said.indexOf("\r\n\r\n");
          if (end < 0) return;
          const length = /content-length: (\d+)/i.exec(said)?.[1];
          if (length === undefined) return;
          missing = Number(length) - (said.length - end - 4);
        } else missing -= part.length;
        if (missing > 0) return;
        settle(said.slice(9, 12), !/connection: close/i.test(said.slice(0, 500)));
      };
      const timer = systemClock.after(ANSWER_MS, () => settle("no answer within 30 s", false));
      socket.on("data", read).once("close", closed);
      if (chunkBytes === undefined || bytes.length > 4000) socket.write(bytes);
      // Each is a TLS record of its own.
      else
        for (let at = 0; at < bytes.length; at += chunkBytes)
          socket.write(bytes.subarray(at, at + chunkBytes));
    });
  }
}

const request = (head: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]);

/** A chunk for each byte. */
function chunked(head: string, body: Buffer): Buffer {
  const bytes = Buffer.alloc(body.length * 6);
  for (let at = 0; at < body.length; at++) {
    bytes.write("1\r\n", at * 6);
    bytes[at * 6 + 3] = body[at] ?? 0;
    bytes.write("\r\n", at * 6 + 4);
  }
  return Buffer.concat([
    Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`),
    bytes,
    Buffer.from("0\r\n\r\n"),
  ]);
}

function jsonWebToken(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const exp = Math.floor(systemClock.now() / 1000) + 3600;
  return `${part({ alg: "RS256" })}.${part({ sub: "x", exp })}.${randomBytes(256).toString("base64url")}`;
}
