import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as fs from "node:fs";
import { writePrivateFile } from "../../../src/cli/project/private-file.ts";

vi.mock("node:fs", async (original) => {
  const real = await original<typeof fs>();
  return { ...real, writeFileSync: vi.fn(real.writeFileSync) };
});

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "private-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("A private file", () => {
  it("is readable for its owner alone, also where another one was", () => {
    const path = join(folder, "deep/kubeconfig");
    writePrivateFile(path, "first");
    fs.chmodSync(path, 0o644);
    writePrivateFile(path, "second");
    expect(readFileSync(path, "utf8")).toBe("second");
    if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "deep"))).toEqual(["kubeconfig"]);
  });

  it("is made under a name that nobody can know, and only if that is not taken", () => {
    const calls = vi.mocked(fs.writeFileSync).mock.calls;
    calls.length = 0;
    writePrivateFile(join(folder, "a"), "text");
    writePrivateFile(join(folder, "a"), "text");
    const made = calls.map(([path, , options]) => ({ path: String(path), options }));
    expect(made).toHaveLength(2);
    expect(made[0]?.path).not.toBe(made[1]?.path);
    for (const { path, options } of made) {
      expect(path).toMatch(/\/a\.[\da-f-]{36}\.tmp$/);
      expect(options).toEqual({ mode: 0o600, flag: "wx" });
    }
  });

  it("replaces a link instead of writing through it", () => {
    const elsewhere = join(folder, "elsewhere");
    writeFileSync(elsewhere, "kept");
    symlinkSync(elsewhere, join(folder, "link"));
    writePrivateFile(join(folder, "link"), "secret");
    expect(readFileSync(elsewhere, "utf8")).toBe("kept");
    expect(readFileSync(join(folder, "link"), "utf8")).toBe("secret");
  });
});
