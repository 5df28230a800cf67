import { X509Certificate, generateKeyPairSync } from "node:crypto";
import { type Server, type TLSSocket, connect, createServer } from "node:tls";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock, systemClock } from "../../../src/clock.ts";
import {
  certificatesOf,
  distrustOf,
} from "../../../src/controlplane/admission/webhook-certificate.ts";
import { CertificateAuthority } from "../../../src/controlplane/auth/certificates.ts";
import type { KeyPair } from "../../../src/kube/x509/certificate.ts";

const open: (Server | TLSSocket)[] = [];
afterEach(() => {
  for (const each of open.splice(0)) {
    if ("close" in each) each.close();
    else each.destroy();
  }
});

const DAY_MS = 24 * 3600 * 1000;
const NOW_MS = systemClock.now();
/** RFC 3339, to the second. */
const shown = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

function authority(beganMs = NOW_MS): CertificateAuthority {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return new CertificateAuthority(new VirtualClock({ startMs: beganMs }), privateKey);
}

/** What is said of a server with that certificate when the bundle is trusted. */
async function said(server: KeyPair, bundle: string, host = "localhost"): Promise<string> {
  const listening = createServer({ cert: server.certificate, key: server.key }, (socket) => {
    socket.on("error", () => undefined);
  });
  open.push(listening);
  listening.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const pool = certificatesOf(Buffer.from(bundle).toString("base64"));
  const socket = connect({
    host: "127.0.0.1",
    port: (listening.address() as AddressInfo).port,
    ca: pool.map((certificate) => certificate.toString()),
    rejectUnauthorized: false,
    ...{ allowPartialTrustChain: true },
  });
  open.push(socket);
  await once(socket, "secureConnect");
  return distrustOf(socket, { host, pool, nowMs: NOW_MS }) ?? "trusted";
}

// The words are those of kube-apiserver 1.36, asked with certificates of the same sorts.
describe("a webhook's certificate", () => {
  it("is trusted when its authority is, and when it stands in the bundle itself", async () => {
    const ca = authority();
    const server = ca.server(["localhost", "127.0.0.1"]);
    expect(new X509Certificate(server.certificate).ca).toBe(false);
    for (const bundle of [ca.certificate, server.certificate]) {
      for (const host of ["localhost", "127.0.0.1"]) {
        expect(await said(server, bundle, host)).toBe("trusted");
      }
    }
  });

  it("is of an unknown authority", async () => {
    const other = authority();
    const server = authority().server(["localhost"]);
    const sameName = new X509Certificate(other.certificate);
    expect(sameName.subject).toBe(new X509Certificate(server.certificate).issuer);
    expect(await said(server, other.certificate)).toBe(
      'x509: certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "tsop-ca")',
    );
    const stranger = authority().server(["localhost"]);
    expect(await said(server, stranger.certificate)).toBe(
      "x509: certificate signed by unknown authority",
    );
  });

  it.each([
    [
      ["a.example", "b.example"],
      "localhost",
      "certificate is valid for a.example, b.example, not localhost",
    ],
    [["*.localhost"], "localhost", "certificate is valid for *.localhost, not localhost"],
    [
      ["10.0.0.1", "fe80::1"],
      "127.0.0.1",
      "certificate is valid for 10.0.0.1, fe80::1, not 127.0.0.1",
    ],
    [
      ["localhost"],
      "127.0.0.1",
      "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    ],
    [
      ["127.0.0.1"],
      "localhost",
      "certificate is not valid for any names, but wanted to match localhost",
    ],
  ])("for %j is refused at %s", async (names, host, words) => {
    const ca = authority();
    const server = ca.server(names);
    for (const bundle of [ca.certificate, server.certificate, authority().certificate]) {
      expect(await said(server, bundle, host)).toBe(`x509: ${words}`);
    }
  });

  it("has expired, or is not yet valid, whoever vouches for it", async () => {
    const early = NOW_MS - 4000 * DAY_MS;
    const late = NOW_MS + DAY_MS;
    const expired = authority(early).server(["localhost"]);
    const future = authority(late).server(["localhost"]);
    const end = Date.parse(new X509Certificate(expired.certificate).validTo);
    const begin = Date.parse(new X509Certificate(future.certificate).validFrom);
    const words = "x509: certificate has expired or is not yet valid: current time";
    expect(await said(expired, expired.certificate)).toBe(
      `${words} ${shown(NOW_MS)} is after ${shown(end)}`,
    );
    expect(await said(future, future.certificate, "elsewhere")).toBe(
      `${words} ${shown(NOW_MS)} is before ${shown(begin)}`,
    );
  });

  it("is not for a server", async () => {
    const ca = authority();
    const client = ca.client("somebody");
    // It has no names either, which Go looks at first.
    expect(await said(client, client.certificate)).toBe(
      "x509: certificate is not valid for any names, but wanted to match localhost",
    );
  });
});
