/** One process at a time has a lock, and none for ever. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileLock } from "../src/file-lock.ts";
import { bundled } from "./support/bundled.ts";

/** No process has such a number. */
const GONE = 2 ** 30;

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tsop-lock-"));
  path = join(folder, "below", "lock");
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** Puts a lock there that this test did not take. */
function leave(holder: object | string): void {
  taken().release();
  writeFileSync(path, typeof holder === "string" ? holder : JSON.stringify(holder));
}

function taken(): FileLock {
  const lock = FileLock.tryTake(path);
  if (!(lock instanceof FileLock)) throw new Error(`held by ${lock.holder}`);
  return lock;
}

describe("FileLock", () => {
  it("is had once at a time, and says by whom and since when", () => {
    const lock = taken();
    expect(FileLock.tryTake(path)).toEqual({
      holder: expect.stringMatching(
        new RegExp(`^process ${process.pid} on ${hostname()}, since 20[-\\d]+T[:\\d]+Z$`),
      ) as string,
      localPid: process.pid,
    });
    lock.release();
    expect(existsSync(path)).toBe(false);
    taken().release();
  });

  it.each([
    ["a process that is gone", { pid: GONE, host: hostname(), id: "a" }],
    // The process before this one in a container.
    ["an earlier process with this one's number", { pid: process.pid, host: hostname(), id: "a" }],
  ])("is taken over from %s", (_, holder) => {
    leave(holder);
    const lock = taken();
    expect(FileLock.tryTake(path)).toMatchObject({ localPid: process.pid });
    expect(readdirSync(join(folder, "below"))).toEqual(["lock"]);
    lock.release();
    expect(readdirSync(join(folder, "below"))).toEqual([]);
  });

  it.each([
    [
      "a process of another machine",
      { pid: GONE, host: `not-${hostname()}`, id: "a" },
      `${GONE} on not-`,
    ],
    ["nobody that can be read", "", "process unknown, since "],
    ["what is no lock", "null", "process unknown, since "],
    ["no number of a process", { pid: -1, host: hostname(), id: "a" }, "process unknown, since "],
  ])("is left to %s", (_, holder, said) => {
    leave(holder);
    const before = readFileSync(path, "utf8");
    expect(FileLock.tryTake(path)).toEqual({ holder: expect.stringContaining(said) as string });
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  it("is left to a process of another user, which cannot be signalled", () => {
    leave({ pid: GONE, host: hostname(), id: "a" });
    vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
    });
    expect(FileLock.tryTake(path)).toMatchObject({ localPid: GONE });
  });

  it("does not remove the lock of whoever came after it was deleted by hand", () => {
    const first = taken();
    rmSync(path);
    const second = taken();
    first.release();
    expect(FileLock.tryTake(path)).toMatchObject({ localPid: process.pid });
    second.release();
  });

  it("fails as the file system does where no file can be made", () => {
    writeFileSync(join(folder, "below"), "a file");
    expect(() => FileLock.tryTake(path)).toThrow(/EEXIST|ENOTDIR/);
  });

  it("is had by one process only when many take it over at once", async () => {
    const contender = await bundled("test/support/lock-contender.ts");
    const args = [contender.path, path, "1000"];
    const contenders = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args));
    const counts = (await Promise.all(contenders)).map(({ stdout }) => Number(stdout));
    contender.remove();
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(readdirSync(join(folder, "below")).filter((name) => name !== "lock")).toEqual([]);
  }, 60_000);
});
