import { execFileSync, spawnSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect, createServer } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock, VirtualClock } from "../../../../src/clock.ts";
import {
  AUTHORITY_VALIDITY_MS,
  issueAuthority,
  issueServing,
  SERVING_VALIDITY_MS,
  type ServingCertificate,
} from "../../../../src/runtime/webhook/certificates/issue.ts";

const SERVICE = "shop-webhook-service.shop-system.svc";
const NAMES = [SERVICE, `${SERVICE}.cluster.local`, "127.0.0.1", "::1", "::ffff:10.0.0.7"] as const;
const HOUR_MS = 3_600_000;

const isThere = (program: string, argument: string): boolean =>
  spawnSync(program, [argument]).status === 0;
const go = isThere("go", "version");
const openssl = isThere("openssl", "version");

const folder = mkdtempSync(join(tmpdir(), "tsop-issued-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(issued: ServingCertificate): { ca: string; cert: string; key: string } {
  const files = {
    ca: join(folder, "ca.crt"),
    cert: join(folder, "tls.crt"),
    key: join(folder, "tls.key"),
  };
  writeFileSync(files.ca, issued.authority.certificate);
  writeFileSync(files.cert, issued.certificate);
  writeFileSync(files.key, issued.key);
  return files;
}

/** Connects as a client that trusts `ca` alone, by that name. */
async function handshake(issued: ServingCertificate, ca: string, name: string): Promise<void> {
  const server = createServer({ cert: issued.certificate, key: issued.key });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: "127.0.0.1", port, ca, servername: name });
  try {
    await once(client, "secureConnect");
  } finally {
    client.destroy();
    server.close();
  }
}

describe("an issued certificate", () => {
  it("is a server's, for its names alone, and as long as it was asked for", async () => {
    const clock = new VirtualClock({ startMs: Date.UTC(2026, 4, 1) });
    const { authority, certificate, key } = issueServing({ names: NAMES }, clock);
    const leaf = new X509Certificate(certificate);
    const issuer = new X509Certificate(authority.certificate);
    expect(leaf.verify(issuer.publicKey)).toBe(true);
    expect(leaf.checkIssued(issuer)).toBe(true);
    expect([leaf.ca, issuer.ca]).toEqual([false, true]);
    expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(issuer.checkPrivateKey(createPrivateKey(authority.key))).toBe(true);
    expect(leaf.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
    expect(leaf.subjectAltName).toBe(
      `DNS:${SERVICE}, DNS:${SERVICE}.cluster.local, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:0:0:0:0:0:FFFF:A00:7`,
    );
    expect(leaf.checkHost("other.shop-system.svc")).toBeUndefined();
    expect(Date.parse(leaf.validFrom)).toBe(clock.now() - HOUR_MS);
    expect(Date.parse(leaf.validTo)).toBe(clock.now() + SERVING_VALIDITY_MS);
    expect(Date.parse(issuer.validTo)).toBe(clock.now() + AUTHORITY_VALIDITY_MS);
    expect(leaf.serialNumber).toMatch(/^[89A-F][0-9A-F]{31}$/);
  });

  it("never outlives its authority, and is not valid before it", async () => {
    const clock = new VirtualClock();
    const authority = issueAuthority(clock, HOUR_MS);
    const issuer = new X509Certificate(authority.certificate);
    const { certificate } = issueServing({ names: NAMES, authority }, clock);
    const leaf = new X509Certificate(certificate);
    expect([leaf.validFrom, leaf.validTo]).toEqual([issuer.validFrom, issuer.validTo]);
    await clock.advance(HOUR_MS);
    expect(() => issueServing({ names: NAMES, authority }, clock)).toThrow(
      expect.objectContaining({ code: "authority-expired" }),
    );
  });

  it("has a year after 2049 in the form that it takes", async () => {
    const clock = new VirtualClock({ startMs: Date.UTC(2049, 11, 20) });
    const { certificate } = issueServing({ names: NAMES }, clock);
    expect(new X509Certificate(certificate).validTo).toBe("Mar 20 00:00:00 2050 GMT");
  });

  it("is accepted by Node's TLS, from its authority alone and for its names alone", async () => {
    const issued = issueServing({ names: NAMES }, systemClock);
    const other = issueAuthority(systemClock);
    const both = other.certificate + issued.authority.certificate;
    await handshake(issued, issued.authority.certificate, SERVICE);
    await handshake(issued, both, SERVICE);
    await expect(handshake(issued, other.certificate, SERVICE)).rejects.toThrow(
      /unable to (verify|get)/,
    );
    await expect(handshake(issued, both, "other.svc")).rejects.toThrow(/does not match/);
  });

  it.skipIf(!openssl)("is accepted by openssl, in its strict mode", async () => {
    const { ca, cert } = written(issueServing({ names: NAMES }, systemClock));
    const verify = ["verify", "-x509_strict", "-CAfile", ca];
    const asServer = ["-purpose", "sslserver", "-verify_hostname", SERVICE];
    expect(execFileSync("openssl", [...verify, ...asServer, cert], { encoding: "utf8" })).toBe(
      `${cert}: OK\n`,
    );
    const text = execFileSync("openssl", ["x509", "-in", cert, "-noout", "-text"], {
      encoding: "utf8",
    });
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature\n/);
    expect(text).toMatch(/Extended Key Usage:\s+TLS Web Server Authentication\n/);
    expect(text).toMatch(/Authority Key Identifier:\s+\S+/);
  });

  it.skipIf(!go)(
    "is accepted by Go's crypto/x509: chain, name, key usage and the form of all that it says",
    async () => {
      const issued = issueServing({ names: NAMES }, systemClock);
      const { ca, cert, key } = written(issued);
      const source = fileURLToPath(new URL("verify.go", import.meta.url));
      // Compiled once, and not for each question.
      const program = join(folder, "verify");
      execFileSync("go", ["build", "-o", program, source], {
        env: { ...process.env, GOFLAGS: "-mod=mod", GO111MODULE: "off" },
      });
      const verify = (bundle: string, name: string): string =>
        spawnSync(program, [bundle, cert, key, name], { encoding: "utf8" }).stdout.trim();
      for (const name of NAMES) expect(verify(ca, name)).toBe("verified");
      expect(verify(ca, "other.svc")).toMatch(/certificate is valid for .*, not other\.svc/);
      const other = join(folder, "other.crt");
      writeFileSync(other, issueAuthority(systemClock).certificate);
      expect(verify(other, SERVICE)).toContain("certificate signed by unknown authority");
    },
    120_000,
  );
});
