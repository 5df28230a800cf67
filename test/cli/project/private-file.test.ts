import {
  chmodSync,
  mkdirSync,
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
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writePrivateFile } from "../../../src/cli/project/private-file.ts";

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
    chmodSync(path, 0o644);
    writePrivateFile(path, "second");
    expect(readFileSync(path, "utf8")).toBe("second");
    if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "deep"))).toEqual(["kubeconfig"]);
  });

  it("is made under a name that nobody can know, and leaves nothing when it fails", () => {
    mkdirSync(join(folder, "taken/full"), { recursive: true });
    const names = [1, 2].map(() => {
      try {
        writePrivateFile(join(folder, "taken"), "text");
      } catch (error) {
        return String(((error as Error).cause as NodeJS.ErrnoException).path);
      }
      return "";
    });
    for (const name of names) expect(name).toMatch(/taken\.[\da-f-]{36}\.tmp$/);
    expect(names[0]).not.toBe(names[1]);
    expect(readdirSync(folder)).toEqual(["taken"]);
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
