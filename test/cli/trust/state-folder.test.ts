import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { OwnState } from "../../../src/own-state.ts";
import { emptyFolder } from "../support/run-cli.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.skipIf(process.platform === "win32")("the folder of the state", () => {
  it.each<[string, (folder: string) => void, RegExp]>([
    [
      "others can write to",
      (folder) => {
        mkdirSync(folder);
        chmodSync(folder, 0o777);
      },
      /other users can write/,
    ],
    ["is a link", (folder) => symlinkSync(emptyFolder(), folder), /not a folder/],
    ["is a file", (folder) => writeFileSync(folder, ""), /no-state-folder|not a folder|EEXIST/],
  ])("is not used when it %s", (_what, make, why) => {
    const folder = join(emptyFolder(), "state");
    make(folder);
    vi.stubEnv("TSOP_STATE_DIR", folder);
    const state = OwnState.about("/project", "test");
    expect(() => state.write({})).toThrow(why);
    expect(() => state.read()).toThrow(why);
  });

  it("is not created by a reader", () => {
    const folder = join(emptyFolder(), "state");
    vi.stubEnv("TSOP_STATE_DIR", folder);
    expect(OwnState.about("/project", "test").read()).toBeUndefined();
    OwnState.about("/project", "test").remove();
    expect(() => chmodSync(folder, 0o700)).toThrow("ENOENT");
  });

  it("is not one in the folder of temporary files that others can write to", () => {
    const temporary = emptyFolder();
    const folder = join(temporary, `tsop-${String(process.getuid?.())}`);
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    vi.stubEnv("TSOP_STATE_DIR", undefined);
    vi.stubEnv("TMPDIR", temporary);
    vi.stubEnv("XDG_STATE_HOME", join(emptyFolder(), "state"));
    const state = OwnState.about("/project", "test");
    expect(state.read()).toBeUndefined();
    expect(state.readLive()).toBeUndefined();
    state.remove();
    state.write({ a: 1 });
    expect(state.read()).toEqual({ a: 1 });
    expect(readdirSync(folder)).toEqual([]);
  });
});
