import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { ownClientKey } from "../../../src/cli/project/own-client-key.ts";

it("is an RSA key that only this user can read, created once; a damaged one is replaced", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tsop-"));
  vi.stubEnv("TSOP_STATE_DIR", folder);
  const key = await ownClientKey();
  expect(key.asymmetricKeyType).toBe("rsa");
  const [name = ""] = readdirSync(folder);
  const file = join(folder, name);
  expect(readFileSync(file, "utf8")).toContain("BEGIN RSA PRIVATE KEY");
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await ownClientKey()).equals(key)).toBe(true);
  writeFileSync(file, JSON.stringify({ fact: { pem: "-----BEGIN" } }));
  expect((await ownClientKey()).equals(key)).toBe(false);
  vi.unstubAllEnvs();
});
