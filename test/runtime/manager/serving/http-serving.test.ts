import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { type RunningServer, serveHttp } from "../../../../src/runtime/serving/http-serving.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
let server: RunningServer | undefined;
const clients: Socket[] = [];
const asked: ServerResponse[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  asked.length = 0;
  await server?.stop();
});

/** A connection to a server that keeps the requests. */
async function connected(): Promise<Socket> {
  server ??= await serveHttp({ port: 0, host: "127.0.0.1" }, (_, response) => asked.push(response));
  const client = connect(server.port, "127.0.0.1");
  client.on("error", () => undefined);
  clients.push(client);
  await once(client, "connect");
  return client;
}

describe("a connection of a small server", () => {
  it("is ended by a request that comes before the last one is answered", async () => {
    const client = await connected();
    client.resume().write(REQUEST.repeat(3000));
    await new Promise((resolve) => client.once("close", resolve));
    expect(asked).toHaveLength(1);
  });

  it("stays for any number of requests in turn, however large their answers are", async () => {
    const large = "x".repeat(3_000_000);
    server = await serveHttp({ port: 0, host: "127.0.0.1" }, (_, response) => {
      setImmediate(() => response.end(large));
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<Socket>();
    for (let count = 0; count < 30; count++) {
      const [response] = await once(
        get({ port: server.port, host: "127.0.0.1", agent }),
        "response",
      );
      sockets.add(response.socket as Socket);
      expect((await text(response)).length).toBe(large.length);
    }
    expect(sockets.size).toBe(1);
    agent.destroy();
  });
});
