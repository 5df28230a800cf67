import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { fixedCredentials } from "../../../src/runtime/transport/credentials/credentials.ts";
import { HttpsTransport } from "../../../src/runtime/transport/https-transport.ts";
import { ConnectionError } from "../../../src/runtime/transport/transport.ts";

let server: Server;

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function serve(listener: RequestListener): Promise<HttpsTransport> {
  server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return transportTo((server.address() as AddressInfo).port);
}

function transportTo(port: number): HttpsTransport {
  const credentials = fixedCredentials({ token: "secret" });
  const config = { server: `http://127.0.0.1:${port}/base`, namespace: "default", credentials };
  return new HttpsTransport(config, "test-agent");
}

describe("HttpsTransport", () => {
  it("sends who it is below the server's path, over one connection", async () => {
    const sockets = new Set<Socket>();
    const transport = await serve((request, response) => {
      sockets.add(request.socket);
      const { authorization, "user-agent": agent } = request.headers;
      response.end(JSON.stringify({ url: request.url, authorization, agent }));
    });
    const rest = new RestClient(transport, systemClock);
    for (let count = 0; count < 3; count++) {
      expect(await rest.request({ method: "GET", path: "/api", query: { a: "b c" } })).toEqual({
        url: "/base/api?a=b%20c",
        authorization: "Bearer secret",
        agent: "test-agent",
      });
    }
    expect(sockets.size).toBe(1);
  });

  it("names the server and the next step when nobody answers", async () => {
    const transport = await serve(() => undefined);
    const { port } = server.address() as AddressInfo;
    server.close();
    await expect(transport.request({ method: "GET", path: "/" })).rejects.toMatchObject({
      code: "connection-refused",
      message: expect.stringContaining(`http://127.0.0.1:${port}`),
    });
  });

  it("ends a request that is aborted with the signal's reason", async () => {
    const stop = new AbortController();
    const transport = await serve(() => {
      stop.abort(new Error("enough"));
    });
    const { signal } = stop;
    await expect(transport.request({ method: "GET", path: "/", signal })).rejects.toThrow("enough");
  });

  it("tries a GET again at once when a kept connection turns out to be closed", async () => {
    let requests = 0;
    const transport = await serve((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else response.end("{}");
    });
    // On a clock that stands still a pause before the second try would never end.
    const rest = new RestClient(transport, new VirtualClock());
    await rest.request({ method: "GET", path: "/" });
    await rest.request({ method: "GET", path: "/" });
    expect(requests).toBe(3);
  });

  it("never repeats a POST, which may have been carried out", async () => {
    let requests = 0;
    const transport = await serve((request) => {
      requests += 1;
      request.socket.destroy();
    });
    const rest = new RestClient(transport, systemClock);
    const post = rest.request({ method: "POST", path: "/", body: {} });
    await expect(post).rejects.toMatchObject({ failure: "reset" });
    expect(requests).toBe(1);
  });

  it.each(["read ECONNRESET", "wrong version number.\n", "not in the cert's list: ."])(
    "says %j with one full stop",
    (detail) => {
      const { message } = new ConnectionError("tls", "https://example.com", detail);
      expect(message).toMatch(/[A-Za-z]\.$/);
    },
  );
});
