/** Go's crypto/x509 and encoding/pem as readers of certificates. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Whether Go is installed. */
export const hasGo = (): boolean => spawnSync("go", ["version"]).status === 0;

/** What Go reads. */
export interface GoAnswer {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dns?: readonly string[];
  /** In hexadecimal digits. */
  readonly addresses?: readonly string[];
  readonly serial?: string;
  readonly from?: number;
  readonly to?: number;
  readonly ca?: boolean;
  readonly subjectKey?: string;
  readonly authorityKey?: string;
  readonly problem?: string;
  /** The blocks of a text in PEM, their bytes in hexadecimal digits. */
  readonly blocks?: readonly { readonly type: string; hasHeaders: boolean; bytes: string }[];
}

/** Reads certificates or requests in DER, or texts in PEM. */
export function readByGo(
  kind: "certificate" | "request" | "pem",
  all: readonly Uint8Array[],
): GoAnswer[] {
  const folder = mkdtempSync(join(tmpdir(), "tsop-go-"));
  try {
    const program = join(folder, "read");
    const source = fileURLToPath(new URL("read.go", import.meta.url));
    execFileSync("go", ["build", "-o", program, source], {
      env: { ...process.env, GO111MODULE: "off" },
    });
    const input = all.map((der) => `${kind} ${Buffer.from(der).toString("hex")}\n`).join("");
    const output = execFileSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 26 });
    return output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as GoAnswer);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
