/** Certificates and ports for webhook servers on this machine. */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { CertificateAuthority } from "../../src/controlplane/auth/certificates.ts";
import { createKeys } from "../../src/controlplane/auth/keys.ts";

/** A certificate for 127.0.0.1 in files. */
export interface WebhookFiles {
  readonly files: { readonly certFile: string; readonly keyFile: string };
  /** Its authority, as configurations hold it. */
  readonly caBundle: string;
  remove(): void;
}

/** Issues one. */
export function webhookCertificate(): WebhookFiles {
  const folder = mkdtempSync(join(tmpdir(), "tsop-webhook-"));
  const authority = new CertificateAuthority(systemClock, createKeys(systemClock).authority);
  const { certificate, key } = authority.server(["127.0.0.1"]);
  const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  writeFileSync(files.certFile, certificate);
  writeFileSync(files.keyFile, key);
  return {
    files,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}

/** A port that nobody listens at. */
export async function freePort(): Promise<number> {
  const socket = createServer().listen(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  socket.close();
  await once(socket, "close");
  return port;
}
