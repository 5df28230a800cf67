/** How an address is opened: by the platform's own program, with the address as one argument. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { openInBrowser } from "../../../src/cli/page/browser.ts";
import { emptyFolder, testContext } from "../support/run-cli.ts";

const URL_WITH_SIGNS = "http://127.0.0.1:1/#a;b$(touch harmed)&c";

/** A folder with programs of these names that do `work`. */
function programs(work: string, ...names: string[]): string {
  const folder = emptyFolder();
  for (const name of names) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${work}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const inFolder = (cwd: string): Parameters<typeof openInBrowser>[1] => {
  return { ...testContext(cwd), env: { PATH: `${cwd}:/usr/bin:/bin` } };
};

describe.skipIf(process.platform === "win32")("the browser", () => {
  it.each([
    ["linux", "xdg-open", [URL_WITH_SIGNS]],
    ["freebsd", "xdg-open", [URL_WITH_SIGNS]],
    ["darwin", "open", [URL_WITH_SIGNS]],
    ["win32", "rundll32", ["url.dll,FileProtocolHandler", URL_WITH_SIGNS]],
  ] as const)("is opened on %s by %s, without a shell", async (platform, name, args) => {
    const folder = programs('printf "%s\\n" "$@" > asked', name);
    await openInBrowser(URL_WITH_SIGNS, inFolder(folder), platform);
    expect(readFileSync(join(folder, "asked"), "utf8")).toBe(`${args.join("\n")}\n`);
    expect(existsSync(join(folder, "harmed"))).toBe(false);
  });

  it("is told of when it cannot be opened", async () => {
    const failing = programs("exit 3", "xdg-open");
    // However long it takes: no time passes.
    const context = { ...inFolder(failing), clock: new VirtualClock() };
    await expect(openInBrowser("http://x", context, "linux")).rejects.toMatchObject({
      code: "program-failed",
    });
    const none = { ...testContext(), env: { PATH: emptyFolder() } };
    await expect(openInBrowser("http://x", none, "linux")).rejects.toMatchObject({
      code: "program-not-found",
    });
  });

  it("may go on for longer than anybody waits", async () => {
    const folder = programs("echo $$ > begun && mv begun pid; exec sleep 600", "xdg-open");
    const clock = new VirtualClock();
    const opened = openInBrowser("http://x", { ...inFolder(folder), clock }, "linux");
    const pid = Number(await eventually(() => readFileSync(join(folder, "pid"), "utf8")));
    await clock.advance(10_000);
    await opened;
    expect(process.kill(pid, "SIGTERM")).toBe(true);
  });
});
