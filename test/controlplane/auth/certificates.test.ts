import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { CertificateAuthority } from "../../../src/controlplane/auth/certificates.ts";
import type { KeyPair } from "../../../src/kube/x509/certificate.ts";
import { createKeys } from "../../../src/controlplane/auth/keys.ts";

const YEAR_MS = 365 * 24 * 3600 * 1000;

describe("The certificate authority", () => {
  const clock = new VirtualClock();
  const authority = new CertificateAuthority(clock, createKeys(clock).authority);
  const trusts = ({ certificate }: KeyPair): boolean =>
    authority.vouchesFor(new X509Certificate(certificate));

  it("vouches for the clients' certificates that it issued", () => {
    expect(trusts(authority.client("ada", ["engines"]))).toBe(true);
  });

  it("writes keys in the forms that clients read most: SEC1 and PKCS#1", () => {
    expect(authority.client("ada").key).toMatch(/^-----BEGIN EC PRIVATE KEY-----/);
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const pair = authority.client("ada", [], rsa);
    expect(pair.key).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
    expect(trusts(pair)).toBe(true);
    expect(new X509Certificate(pair.certificate).checkPrivateKey(rsa)).toBe(true);
  });

  it("does not vouch for a server's certificate, which is no client's", () => {
    expect(trusts(authority.server(["localhost"]))).toBe(false);
  });

  it("does not vouch for what an authority of the same name issued", () => {
    const other = new CertificateAuthority(clock, createKeys(clock).authority);
    expect(other.vouchesFor(new X509Certificate(other.client("ada").certificate))).toBe(true);
    expect(trusts(other.client("ada"))).toBe(false);
  });

  it("does not vouch for a certificate that its own key did not sign, whatever it says of its issuer", () => {
    const { certificate } = authority.client("ada");
    const bytes = new X509Certificate(certificate).raw;
    const name = bytes.indexOf("ada");
    bytes.write("eve", name);
    expect(authority.vouchesFor(new X509Certificate(bytes))).toBe(false);
  });

  it("of an earlier control plane goes on: its clients keep access, and new certificates are its own", () => {
    const file = new URL("../../kube/x509/earlier.data.json", import.meta.url);
    const { controlPlane } = JSON.parse(readFileSync(file, "utf8")) as {
      controlPlane: { authority: KeyPair; client: string };
    };
    const { certificate, key } = controlPlane.authority;
    const earlier = new CertificateAuthority(clock, createPrivateKey(key), certificate);
    expect(earlier.vouchesFor(new X509Certificate(controlPlane.client))).toBe(true);
    const issued = new X509Certificate(earlier.client("ada").certificate);
    expect(earlier.vouchesFor(issued)).toBe(true);
    expect(issued.checkIssued(new X509Certificate(certificate))).toBe(true);
  });

  it("vouches from when a certificate begins until it ends", async () => {
    const issued = authority.client("ada");
    await clock.advance(10 * YEAR_MS - 1000);
    expect(trusts(issued)).toBe(true);
    await clock.advance(2000);
    expect(trusts(issued)).toBe(false);
    const { authority: key } = createKeys(clock);
    const [early, late] = [new VirtualClock(), clock].map(
      (time) => new CertificateAuthority(time, key),
    ) as [CertificateAuthority, CertificateAuthority];
    expect(early.vouchesFor(new X509Certificate(late.client("ada").certificate))).toBe(false);
  });
});
