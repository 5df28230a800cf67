import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readRegularFile, readRegularFileSync } from "../src/regular-file.ts";
import { newProject, runCli } from "./cli/support/run-cli.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "tsop-regular-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

const refused = { code: "ENOTREG" };

describe.runIf(process.platform !== "win32")("files of projects", () => {
  it("are read, also through links", async () => {
    const root = folder();
    writeFileSync(join(root, "file"), "text");
    symlinkSync("file", join(root, "link"));
    expect(readRegularFileSync(join(root, "link")).toString()).toBe("text");
    expect((await readRegularFile(join(root, "link"))).toString()).toBe("text");
    expect(() => readRegularFileSync(root)).toThrow("EISDIR");
    await expect(readRegularFile(join(root, "none"))).rejects.toThrow("ENOENT");
  });

  it("are no devices without an end, and no pipes without a writer", async () => {
    const root = folder();
    symlinkSync("/dev/zero", join(root, "device"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    for (const name of ["device", "pipe"]) {
      expect(() => readRegularFileSync(join(root, name))).toThrow(expect.objectContaining(refused));
      await expect(readRegularFile(join(root, name))).rejects.toMatchObject(refused);
    }
  });

  it.each([
    ["PROJECT", ["list"]],
    ["config/default/kustomization.yaml", ["deploy", "--render", "--image", "shop:1"]],
    ["src/main.ts", ["manifests"]],
  ])("%s as a link to a device is an error of %j", async (file, argv) => {
    const root = await newProject();
    unlinkSync(join(root, file));
    symlinkSync("/dev/zero", join(root, file));
    const { code, err } = await runCli(root, argv);
    expect(code).not.toBe(0);
    expect(err).toMatch(/device|not a regular file|cannot be read/);
  });
});
