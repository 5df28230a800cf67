import { generateKeyPairSync } from "node:crypto";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/clock.ts";
import { CertificateAuthority } from "../../../src/controlplane/auth/certificates.ts";
import { WebhookCaller } from "../../../src/controlplane/admission/webhook-caller.ts";
import { ServiceRoutes } from "../../../src/controlplane/admission/service-routes.ts";

const BODY = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" };

/** What kube-apiserver 1.36.3 does with a webhook that redirects; its words are those of its client. */
describe("A webhook that redirects", () => {
  const seen: string[] = [];
  const servers: Server[] = [];
  let plainPort = 0;
  let ask: (path: string) => Promise<string>;
  let caller: WebhookCaller;

  const answer: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      seen.push(`${request.method} ${request.url} ${body === "" ? "without" : "with"} a body`);
      const [path = ""] = (request.url ?? "").split("?");
      const code = /^\/redirect-(\d+)$/.exec(path)?.[1];
      if (code !== undefined) response.writeHead(Number(code), { location: `/end` });
      else if (path === "/circle") response.writeHead(307, { location: "/circle" });
      else if (path === "/nowhere") response.writeHead(307);
      else if (path === "/plain") {
        response.writeHead(307, { location: `http://127.0.0.1:${plainPort}/end` });
      } else response.writeHead(200, { "content-type": "application/json" });
      response.end(path === "/end" ? "{}" : "");
    });
  };

  beforeAll(async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    const authority = new CertificateAuthority(systemClock, privateKey);
    const { certificate, key } = authority.server(["127.0.0.1"]);
    const secure = createServer({ cert: certificate, key }, answer);
    const plain = createHttpServer(answer);
    servers.push(secure, plain);
    for (const server of servers) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    }
    plainPort = (plain.address() as AddressInfo).port;
    const { port } = secure.address() as AddressInfo;
    const caBundle = Buffer.from(authority.certificate).toString("base64");
    const store = { get: () => undefined };
    caller = new WebhookCaller({ store, clock: systemClock, routes: new ServiceRoutes() });
    ask = async (path) => {
      seen.length = 0;
      const url = `https://127.0.0.1:${port}${path}`;
      return String(await caller.post({ url, caBundle }, BODY, 10));
    };
  });

  afterAll(() => {
    caller.close();
    for (const server of servers) server.close();
  });

  it.each([307, 308])("is asked again with the review after %i", async (code) => {
    expect(await ask(`/redirect-${code}`)).toBe("{}");
    expect(seen).toEqual([
      `POST /redirect-${code}?timeout=10s with a body`,
      "POST /end with a body",
    ]);
  });

  it.each([301, 302, 303])("is read without the review after %i", async (code) => {
    expect(await ask(`/redirect-${code}`)).toBe("{}");
    expect(seen.at(-1)).toBe("GET /end without a body");
  });

  it("is followed to a server without TLS", async () => {
    expect(await ask("/plain")).toBe("{}");
    expect(seen.at(-1)).toBe("POST /end with a body");
  });

  it("is given up after ten requests", async () => {
    await expect(ask("/circle")).rejects.toThrow('Post "/circle": stopped after 10 redirects');
    expect(seen).toHaveLength(10);
  });

  it("fails by its status when it does not say where to", async () => {
    await expect(ask("/nowhere")).rejects.toThrow(
      "the server responded with the status code 307 but did not return more information",
    );
  });
});
