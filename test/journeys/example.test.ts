/**
 * The examples as they are published: their own checks and tests, the quickstart that shows the first, and webhooks that are
 * deployed and asked.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Clock } from "../../src/clock.ts";
import { builtCheckout } from "../support/built-checkout.ts";
import { copyExampleTo, exampleNames } from "../support/example.ts";
import { type ControlPlane, startControlPlane } from "../../src/testing.ts";
import { fastClock } from "../support/fast-clock.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";
import { lookAtGateways } from "./support/gateway-journey.ts";
import { Newcomer } from "./support/newcomer.ts";

const NODE_MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** How many tests each has. */
const TESTS: Readonly<Record<string, number>> = {
  configmonitor: 5,
  gateway: 13,
  helloworld: 3,
  "mini-cert": 8,
  myapp: 5,
  myweb: 6,
  postgres: 12,
  sampledb: 6,
};

/** All tests in one process, which imports the package once; each in its project's folder, as `npm test` runs them. */
const VITEST_CONFIG = `export default {
  test: { include: ["*/test/**/*.test.ts"], isolate: false, maxWorkers: 1, setupFiles: "in-its-folder.js" },
};
`;
const IN_ITS_FOLDER = `import { relative, sep } from "node:path";
import { chdir } from "node:process";
import { expect } from "vitest";
const home = import.meta.dirname;
chdir(home);
chdir(relative(home, expect.getState().testPath).split(sep)[0]);
`;

interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

describe("the examples, with the package as it is installed", { timeout: 240_000 }, () => {
  let newcomer: Newcomer;
  let folder: string;
  beforeAll(async () => {
    newcomer = await Newcomer.arrive();
    // Below one folder, they share what is installed there.
    for (const name of exampleNames()) copyExampleTo(join(newcomer.home, name), name);
    await newcomer.succeed("npm install");
    const ofMiniCert = ["acme-client", "@peculiar/x509"];
    mkdirSync(join(newcomer.home, "node_modules/@peculiar"));
    for (const name of ofMiniCert) {
      symlinkSync(join(NODE_MODULES, name), join(newcomer.home, "node_modules", name));
    }
    folder = join(newcomer.home, "gateway");
  }, 300_000);
  afterAll(() => newcomer.leave());

  const read = (file: string): string => readFileSync(join(newcomer.home, file), "utf8");

  // They have the same settings: as one project, the declarations of the package are read once.
  describe("as one project", () => {
    let together: string;
    beforeAll(() => {
      together = join(newcomer.home, "together");
      for (const name of exampleNames()) copyExampleTo(join(together, name), name);
      const moveUp = (file: string): string => {
        const paths = exampleNames().map((name) => join(together, name, file));
        const [first, ...others] = paths.map((path) => readFileSync(path, "utf8"));
        for (const other of others) expect(other).toEqual(first);
        for (const path of paths) rmSync(path);
        return first ?? "";
      };
      writeFileSync(join(together, "eslint.config.js"), moveUp("eslint.config.js"));
      const settings = JSON.parse(moveUp("tsconfig.json")) as { include: readonly string[] };
      const include = settings.include.map((path) => `*/${path}`);
      writeFileSync(join(together, "tsconfig.json"), JSON.stringify({ ...settings, include }));
    });

    it("have types", async () => {
      // Projects of TypeScript 6 are checked by newcomer.test.ts and webhooks.test.ts.
      const tsc = join(NODE_MODULES, "typescript-7/bin/tsc");
      expect(await newcomer.succeed(`"${process.execPath}" "${tsc}"`, together)).toBe("");
    });

    it("are linted", async () => {
      expect(await newcomer.succeed("../node_modules/.bin/eslint .", together)).toBe("");
    });
  });

  it("pass their tests", async () => {
    writeFileSync(join(newcomer.home, "package.json"), '{ "type": "module" }\n');
    writeFileSync(join(newcomer.home, "vitest.config.js"), VITEST_CONFIG);
    writeFileSync(join(newcomer.home, "in-its-folder.js"), IN_ITS_FOLDER);
    const line = "node_modules/.bin/vitest run --reporter=json --outputFile=report.json";
    const { err, out } = await newcomer.run(line);
    const report = JSON.parse(read("report.json")) as Report;
    const passed: Record<string, number> = {};
    for (const { name, assertionResults } of report.testResults) {
      const [example = ""] = relative(newcomer.home, name).split(sep);
      const count = assertionResults.filter(({ status }) => status === "passed").length;
      passed[example] = (passed[example] ?? 0) + count;
    }
    expect(passed, out + err).toEqual(TESTS);
    expect(report.success).toBe(true);
  });

  describe.skipIf(!hasKubectl)("examples/gateway, on the control plane", () => {
    let cluster: ControlPlane;
    let kubectl: Kubectl;
    const tsop = (line: string): Promise<string> =>
      newcomer.succeed(`npx tsop ${line} --kubeconfig kubeconfig`, folder);
    const begin = async (clock?: Clock): Promise<void> => {
      cluster = await startControlPlane(clock && { clock });
      kubectl = new Kubectl(cluster.kubeconfig);
      writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
    };
    afterEach(async () => {
      kubectl.close();
      await cluster.stop();
    });

    it("is deployed with its webhooks, and leaves nothing when it is undeployed", async () => {
      // Its webhooks are not called here: no object of its kinds is made.
      await begin(fastClock());
      const names = ["-o", "name", "--all-namespaces"];
      const kinds =
        "crds,validatingwebhookconfigurations,mutatingwebhookconfigurations,clusterroles,clusterrolebindings,deployments,services,secrets,namespaces";
      const before = await kubectl.output(["get", kinds, ...names]);
      await tsop("deploy --image gateway:1");
      expect(await kubectl.output(["get", kinds, ...names])).toContain(
        "validatingwebhookconfiguration.admissionregistration.k8s.io/gateway-validating-webhook-configuration",
      );
      await tsop("undeploy");
      expect(await kubectl.output(["get", kinds, ...names])).toBe(before);
    });

    it("answers reviews and reconciles as a process of this machine", async () => {
      await begin();
      await tsop("install");
      const operator = newcomer.start("npx tsop run --kubeconfig kubeconfig", folder);
      await operator.waitFor(/^webhooks /m);
      await lookAtGateways(kubectl, folder);
      expect((await operator.stop()).code).toBe(0);
    });
  });
});

describe("examples/myweb", { timeout: 240_000 }, () => {
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
