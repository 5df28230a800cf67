/** Which clients the webhook server answers: judged by Node's own TLS, and by the embedded control plane with a kubeconfig for webhooks. */
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../src/clock.ts";
import { WebhookUsers } from "../../../src/controlplane/admission/webhook-credentials.ts";
import { CertificateAuthority } from "../../../src/controlplane/auth/certificates.ts";
import {
  ConversionWebhook,
  type Converter,
  CustomResource,
  Resource,
  type Sent,
  ValidatingWebhook,
  type Validator,
} from "../../../src/index.ts";
import { ConfigMap, ValidatingWebhookConfiguration } from "../../../src/k8s.ts";
import type { ClientCertificates } from "../../../src/runtime/serving/client-certificates.ts";
import { clientFor, startControlPlane } from "../../../src/testing.ts";
import { NodeRequests } from "../../support/node-requests.ts";
import { eventually } from "../../support/eventually.ts";
import { reviewOf, serveWebhooks, type TestServer } from "./support.ts";

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource<{ size?: number }> {}

@Resource({ group: "shop.example.com", version: "v1alpha1", kind: "Widget" })
class OldWidget extends CustomResource<{ width?: number }> {}

@ValidatingWebhook(Widget, { path: "/validate" })
class WidgetValidator implements Validator<Widget> {
  validateCreate(): void {
    return undefined;
  }
}

@ConversionWebhook(Widget, OldWidget)
class WidgetConversion implements Converter<Widget, OldWidget> {
  toHub({ spec: { width } }: Sent<OldWidget>) {
    return { spec: width === undefined ? {} : { size: width } };
  }

  fromHub({ spec: { size } }: Sent<Widget>) {
    return { spec: size === undefined ? {} : { width: size } };
  }
}

@ValidatingWebhook(ConfigMap, { path: "/validate-configmaps" })
class ConfigMapValidator implements Validator<ConfigMap> {
  validateCreate(): void {
    return undefined;
  }
}

const authorityOf = (): CertificateAuthority =>
  new CertificateAuthority(
    systemClock,
    generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  );

let folder: string;
let running: TestServer | undefined;
const authority = authorityOf();
const other = authorityOf();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tsop-clients-"));
  writeFileSync(join(folder, "ca.crt"), authority.certificate);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function serve(
  clients: Omit<ClientCertificates, "caFile"> = {},
  clock?: VirtualClock,
): Promise<TestServer> {
  const caFile = join(folder, "ca.crt");
  const handlers = [new WidgetValidator(), new ConfigMapValidator(), new WidgetConversion()];
  return (running = await serveWebhooks(handlers, clock, { clients: { caFile, ...clients } }));
}

const object = {
  apiVersion: "shop.example.com/v1",
  kind: "Widget",
  metadata: { name: "w" },
  spec: {},
};

/** Asks with a certificate, on a connection of its own. */
async function ask(server: TestServer, signer?: CertificateAuthority, name = "kube-apiserver") {
  const { certificate: cert, key } = signer?.client(name) ?? {};
  const agent = new Agent({ rejectUnauthorized: false, ...(cert && key ? { cert, key } : {}) });
  return server.ask("/validate", reviewOf({ object }), { agent });
}

/** Asks on a connection of its own, which resumes an earlier one if there is its session. */
function askRaw(port: number, identity: object, session?: Buffer) {
  const body = JSON.stringify(reviewOf({ object }));
  const head = `Host: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  return new Promise<{ answer: string; isReused: boolean; session?: Buffer }>((resolve) => {
    let [answer, isReused, ticket] = ["", false, undefined as Buffer | undefined];
    const options = { port, host: "127.0.0.1", rejectUnauthorized: false, session, ...identity };
    const socket = connect(options, () => {
      isReused = socket.isSessionReused();
      socket.write(`POST /validate HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    });
    socket.on("session", (next: Buffer) => (ticket = next));
    socket.on("data", (part: Buffer) => (answer += part.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      resolve({
        answer: answer.split("\r\n")[0] ?? "",
        isReused,
        ...(ticket && { session: ticket }),
      });
    });
  });
}

describe("a webhook server with authorities of clients", () => {
  it("answers who has a certificate of them, in front of node:http", async () => {
    const server = await serve();
    const requests = new NodeRequests();
    const answer = await ask(server, authority);
    requests.stop();
    expect(answer.body.response.allowed).toBe(true);
  });

  it("answers all others with what is missing, and says so in the log once", async () => {
    const server = await serve();
    for (const signer of [undefined, other, undefined]) {
      expect(await ask(server, signer)).toMatchObject({
        status: 401,
        body: {
          kind: "Status",
          reason: "Unauthorized",
          message: `the client has no certificate that an authority in ${join(folder, "ca.crt")} signed`,
        },
      });
    }
    expect(server.lines.filter((line) => line.startsWith("warn"))).toEqual([
      expect.stringMatching(
        /^warn A request to \/validate was refused: the client has no certificate/,
      ),
    ]);
  });

  it.each(["TLSv1.3", "TLSv1.2"] as const)(
    "judges a resumed connection by the certificate of the first one, in %s",
    async (maxVersion) => {
      const server = await serve();
      for (const [signer, status] of [
        [undefined, 401],
        [other, 401],
        [authority, 200],
      ] as const) {
        const { certificate: cert, key } = signer?.client("kube-apiserver") ?? {};
        const identity = { maxVersion, ...(cert && key ? { cert, key } : {}) };
        const first = await askRaw(server.port, identity);
        const resumed = await askRaw(server.port, identity, first.session);
        expect(resumed.isReused).toBe(true);
        expect([first.answer, resumed.answer].map((line) => line.split(" ")[1])).toEqual([
          String(status),
          String(status),
        ]);
      }
    },
  );

  it("answers no more on an open connection once the certificate has expired", async () => {
    const nowMs = Date.now();
    // Its certificates are valid for ten years.
    const issued = new VirtualClock({ startMs: nowMs - 3650 * 86_400_000 + 60_000 });
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const short = new CertificateAuthority(issued, privateKey);
    const caFile = join(folder, "short.crt");
    writeFileSync(caFile, short.certificate);
    const clock = new VirtualClock({ startMs: nowMs });
    running = await serveWebhooks([new WidgetValidator()], clock, { clients: { caFile } });
    const { certificate: cert, key } = short.client("kube-apiserver");
    const agent = new Agent({
      keepAlive: true,
      maxSockets: 1,
      rejectUnauthorized: false,
      cert,
      key,
    });
    const review = reviewOf({ object });
    expect((await running.ask("/validate", review, { agent })).status).toBe(200);
    await clock.advance(61_000);
    expect(await running.ask("/validate", review, { agent })).toMatchObject({
      status: 401,
      body: {
        message: expect.stringMatching(/^the certificate of the client expired on /) as string,
      },
    });
    agent.destroy();
  });

  it("answers only the names that it is given", async () => {
    const server = await serve({ names: ["front-proxy-client", "kube-apiserver"] });
    expect((await ask(server, authority)).status).toBe(200);
    expect(await ask(server, authority, "jo")).toMatchObject({
      status: 401,
      body: {
        message: `the certificate of the client is of "jo", not of front-proxy-client or kube-apiserver`,
      },
    });
  });

  it("converts for all: API servers have no certificate for that", async () => {
    const server = await serve();
    const objects = [{ ...object, apiVersion: "shop.example.com/v1alpha1", spec: { width: 1 } }];
    const request = { uid: "u", desiredAPIVersion: "shop.example.com/v1", objects };
    const review = { kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1", request };
    const { body } = await server.ask("/convert", review);
    expect(body.response.convertedObjects).toMatchObject([{ spec: { size: 1 } }]);
  });

  it("reads the file again when it changes, and keeps what it has when that cannot be used", async () => {
    const clock = new VirtualClock({ startMs: Date.now() });
    const server = await serve({}, clock);
    expect((await ask(server, other)).status).toBe(401);
    const file = join(folder, "ca.crt");
    const halfWritten = authority.certificate + other.certificate.slice(0, 200);
    for (const [text, problem] of [
      ["garbage", "readable PEM certificate"],
      [halfWritten, "ends in the middle of a PEM block"],
    ] as const) {
      writeFileSync(file, text);
      await eventually(async () => {
        await clock.advance(2000);
        expect(server.lines.at(-1)).toMatch(/^warn the old authorities stay in use: /);
        expect(server.lines.at(-1)).toContain(problem);
      });
    }
    expect((await ask(server, authority)).status).toBe(200);
    writeFileSync(file, other.certificate);
    await eventually(async () => {
      await clock.advance(2000);
      expect((await ask(server, other)).status).toBe(200);
    });
    expect((await ask(server, authority)).status).toBe(401);
    writeFileSync(file, authority.certificate);
  });

  it("does not start without a readable file", async () => {
    const caFile = join(folder, "missing.crt");
    const serving = serveWebhooks([new WidgetValidator()], undefined, { clients: { caFile } });
    await expect(serving).rejects.toMatchObject({
      code: "certificate-unreadable",
      message: expect.stringContaining("missing.crt") as string,
    });
  });
});

describe("a control plane with a kubeconfig for webhooks", () => {
  async function createdWith(users: Readonly<Record<string, CertificateAuthority>>) {
    const server = await serve();
    const path = join(folder, "webhooks.kubeconfig");
    const config = {
      apiVersion: "v1",
      kind: "Config",
      users: Object.entries(users).map(([name, signer]) => {
        const { certificate, key } = signer.client("kube-apiserver");
        const base64 = (text: string): string => Buffer.from(text).toString("base64");
        const user = {
          "client-certificate-data": base64(certificate),
          "client-key-data": base64(key),
        };
        return { name: name.replace("PORT", String(server.port)), user };
      }),
    };
    writeFileSync(path, JSON.stringify(config));
    await using cluster = await startControlPlane({
      listen: false,
      controllers: "off",
      webhookKubeconfig: path,
    });
    const client = clientFor(cluster);
    await client.create(ValidatingWebhookConfiguration, {
      metadata: { name: "configmaps" },
      webhooks: [
        {
          name: "configmaps.example.com",
          clientConfig: {
            url: `https://localhost:${server.port}/validate-configmaps`,
            caBundle: readFileSync(server.files.certFile).toString("base64"),
          },
          rules: [
            {
              apiGroups: [""],
              apiVersions: ["v1"],
              operations: ["CREATE"],
              resources: ["configmaps"],
            },
          ],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    return await client.create(ConfigMap, { metadata: { namespace: "default", name: "one" } });
  }

  it.each(["localhost:PORT", "*"])("shows the certificate of the user %s", async (name) => {
    expect(await createdWith({ [name]: authority })).toMatchObject({ kind: "ConfigMap" });
  });

  it("shows none without a user for the server, and tells what the webhook answered", async () => {
    await expect(createdWith({ "shop.default.svc": authority })).rejects.toMatchObject({
      code: 500,
      message: expect.stringMatching(
        /failed calling webhook "configmaps.example.com".*the client has no certificate that an authority in/,
      ) as string,
    });
  });

  it("does not start with a kubeconfig that cannot be read", async () => {
    const webhookKubeconfig = join(folder, "missing");
    await expect(startControlPlane({ webhookKubeconfig })).rejects.toMatchObject({
      code: "webhook-kubeconfig-unreadable",
      message: expect.stringContaining("missing") as string,
    });
  });
});

it("finds the user of a webhook as kube-apiserver does", () => {
  const names = ["a.b.svc:443", "a.b.svc", "*.b.svc", "*.svc:8443", "*"];
  const users = (...chosen: string[]) =>
    new WebhookUsers(new Map(chosen.map((name) => [name, { authorization: name }])));
  const found = (target: string, ...chosen: string[]) => users(...chosen).of(target).authorization;
  expect(found("a.b.svc:443", ...names)).toBe("a.b.svc:443");
  expect(found("a.b.svc:443", ...names.slice(1))).toBe("a.b.svc");
  expect(found("a.b.svc:443", ...names.slice(2))).toBe("*.b.svc");
  expect(found("a.b.svc:8443", ...names)).toBe("*.svc:8443");
  expect(found("a.c.svc:443", ...names)).toBe("*");
  expect(found("a.c.svc:443", ...names.slice(0, 4))).toBeUndefined();
});
