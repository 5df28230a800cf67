import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
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
});
