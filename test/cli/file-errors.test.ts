import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TsopError } from "../../src/errors.ts";
import { fileError } from "../../src/cli/file-errors.ts";
import { reportError } from "../../src/cli/output.ts";
import { emptyFolder, runCli, testContext } from "./support/run-cli.ts";

const CODES =
  "EACCES EPERM EROFS ENOSPC EDQUOT EISDIR ENOTDIR ELOOP EMFILE ENFILE ENAMETOOLONG EBUSY EIO".split(
    " ",
  );

/** The error that a system call of that kind throws. */
const systemError = (code: string): Error =>
  Object.assign(new Error(`${code}: failed, open '/x/y'`), {
    code,
    syscall: "open",
    path: "/x/y",
  });

describe("an operation on a file that fails", () => {
  for (const code of CODES) {
    it(`is an error of its own, with the path and the next step: ${code}`, () => {
      const lines: string[] = [];
      const context = { ...testContext(), err: (line: string) => void lines.push(line) };
      expect(reportError(systemError(code), context)).toBe(1);
      expect(lines[0]).toMatch(/^error file-failed: \/x\/y cannot be used: /);
      expect(lines.join(" ")).not.toContain("defect of tsop");
      expect(lines[1]).toMatch(/fix [A-Z]/);
    });
  }

  it("is left alone where it is no operation on a file", () => {
    expect(fileError(Object.assign(new Error("x"), { code: "ECONNREFUSED" }))).toBeUndefined();
    expect(fileError(new TsopError("a", "b", "c"))).toBeUndefined();
    expect(fileError("text")).toBeUndefined();
  });

  it("is told with its path by commands, whatever is in the way", async () => {
    const root = emptyFolder();
    const loop = join(root, "loop");
    symlinkSync("loop", loop);
    expect(() => readFileSync(loop)).toThrow("ELOOP");
    writeFileSync(join(root, "file"), "");
    mkdirSync(join(root, "empty"));
    for (const folder of ["file/below", "x".repeat(300), "loop/below"]) {
      const argv = ["init", folder, "--domain", "example.com", "--project-name", "web"];
      const { code, err } = await runCli(root, [...argv, "--no-install"]);
      expect([folder, code, err]).toEqual([folder, 1, expect.stringContaining("error ")]);
      expect(err).not.toContain("defect of tsop");
    }
  });
});
