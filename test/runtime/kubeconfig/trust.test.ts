import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { loadClusterConfig } from "../../../src/runtime/kubeconfig/load-config.ts";
import { HttpsTransport } from "../../../src/runtime/transport/https-transport.ts";
import chains from "./client-go/trust.json" with { type: "json" };

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

// OpenSSL wants a server's key to be for signatures or agreements; Go does not look.
const STRICTER = new Set(["a self-signed server certificate whose key may only sign certificates"]);

// Written by client-go/main.go: what a Go client with that pool said of that server.
describe("The certificate authority of a kubeconfig", () => {
  it.each(chains)("is trusted as in Go: $name", async ({ pool, chain, key, trusted, name }) => {
    server = createServer({ cert: chain, key }, (_request, response) => response.end("{}"));
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const config = loadClusterConfig({
      environment: {},
      kubeconfigText: JSON.stringify({
        "current-context": "main",
        contexts: [{ name: "main", context: { cluster: "c", user: "u" } }],
        users: [{ name: "u", user: { token: "secret" } }],
        clusters: [
          {
            name: "c",
            cluster: {
              server: `https://127.0.0.1:${port}`,
              "certificate-authority-data": Buffer.from(pool).toString("base64"),
            },
          },
        ],
      }),
    });
    const transport = new HttpsTransport(config, "test");
    const asked = transport.request({ method: "GET", path: "/" });
    const outcome = await asked.then(
      ({ status }) => status,
      (error: unknown) => (error as { code: string }).code,
    );
    expect(outcome).toBe(trusted && !STRICTER.has(name) ? 200 : "connection-tls");
    transport.close();
  });
});
