/**
 * The example as it is published: its own checks and tests, and the quickstart that shows it.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtCheckout } from "../support/built-checkout.ts";
import { copyExampleTo } from "../support/example.ts";
import { Newcomer } from "./support/newcomer.ts";

describe("examples/myweb", { timeout: 240_000 }, () => {
  let newcomer: Newcomer;
  beforeAll(async () => {
    newcomer = await Newcomer.arrive();
  }, 300_000);
  afterAll(() => newcomer.leave());

  it("passes its checks and its tests", async () => {
    const folder = join(newcomer.home, "myweb");
    copyExampleTo(folder);
    await newcomer.succeed("npm install", folder);
    await newcomer.succeed("npm run check", folder);
    expect(await newcomer.succeed("npm test", folder)).toMatch(/Tests .*5 passed/);
  });

  it("is shown by the quickstart, from its code to nothing left", async () => {
    const checkout = await builtCheckout();
    const folder = join(checkout, "examples/myweb");
    if (!existsSync(folder)) copyExampleTo(folder);
    const { stdout } = await promisify(execFile)(process.execPath, ["scripts/quickstart.mjs"], {
      cwd: checkout,
    });
    for (const told of [
      "MyWeb/myweb is completed, served on port 30100",
      "made way for Pod/myweb-",
      "MyWeb, ConfigMap, Deployment, Service and pods are gone",
      "Next: an operator of your own",
    ]) {
      expect(stdout).toContain(told);
    }
  });
});
