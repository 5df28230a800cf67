/**
 * The story of the example, as a user sees it: `tsop dev` in one terminal, a real kubectl in another.
 */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../src/testing.ts";
import type { PageMessage } from "../../src/cli/page/protocol.ts";
import { NOTHING, withMessage, type PageState } from "../../src/page/state.ts";
import { runCli, type CliResult } from "../cli/support/run-cli.ts";
import { exampleOnSources } from "../support/example.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";

/** Against what hangs: real processes on a machine that others use, too. */
const PATIENCE = { timeoutMs: 60_000 };
const SAMPLE = "config/samples/operator_v1_myweb.yaml";

describe.skipIf(!hasKubectl)("the main job", { timeout: 120_000 }, () => {
  const project = exampleOnSources();
  const stop = new AbortController();
  const lines: string[] = [];
  let committed: CliResult;
  let dev: Promise<CliResult>;
  let kubectl: Kubectl;
  let press: (key: string) => void;

  beforeAll(async () => {
    committed = await runCli(project.folder, ["manifests", "--check"]);
    dev = runCli(project.folder, ["dev", "--no-types"], {
      onTerminal: (pressKey) => (press = pressKey),
      signal: stop.signal,
      onLine: (line) => lines.push(line),
    });
    await untilTold(/^operator .* ready in/);
    kubectl = new Kubectl(readFileSync(join(project.folder, ".tsop/kubeconfig"), "utf8"));
  });
  afterAll(async () => {
    stop.abort();
    await dev;
    kubectl.close();
    project.remove();
  });

  /** Waits for a line of `tsop dev` that came after `from`. */
  const untilTold = (pattern: RegExp, from = 0): Promise<string> =>
    eventually(() => {
      const line = lines.slice(from).find((told) => pattern.test(told));
      if (line === undefined)
        throw new Error(`no line like ${pattern.source} in\n${lines.join("\n")}`);
      return line;
    }, PATIENCE);
  const edit = (path: string, change: (text: string) => string): void => {
    const file = join(project.folder, path);
    writeFileSync(file, change(readFileSync(file, "utf8")));
  };
  /** What a page is told until `check` throws no more; it is asked once the page knows all that is so far. */
  const untilStreamed = async (url: string, check: (state: PageState) => void): Promise<void> => {
    const [origin, token] = url.split("#");
    const end = new AbortController();
    let state = NOTHING;
    let isWhole = false;
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${origin}stream`, { headers, signal: end.signal });
    const body = Readable.fromWeb(response.body!);
    // It ends by the signal.
    body.on("error", () => undefined);
    const lines = createInterface({ input: body });
    lines.on("line", (line) => {
      if (line === "") return;
      const message = JSON.parse(line) as PageMessage;
      state = withMessage(state, message);
      // The last of the messages that a new page gets.
      isWhole ||= message.type === "mistakes";
    });
    try {
      const checkWhole = (): void => {
        expect(isWhole).toBe(true);
        check(state);
      };
      await eventually(checkWhole, PATIENCE);
    } finally {
      lines.close();
      end.abort();
    }
  };
  const get = (...args: string[]): Promise<string> => kubectl.output(["get", ...args]);

  it("starts from manifests that are as its code says, with the rights of its role and no more", async () => {
    expect(committed).toMatchObject({ code: 0, out: "  nothing to change" });
    const operator = "system:serviceaccount:myweb-system:myweb-controller-manager";
    const can = (...question: string[]): Promise<{ code: number; stdout: string }> =>
      kubectl.run(["auth", "can-i", ...question, "--as", operator]);
    expect((await can("patch", "deployments.apps")).stdout).toContain("yes");
    expect((await can("delete", "deployments.apps")).stdout).toContain("no");
    expect((await can("get", "secrets")).stdout).toContain("no");
  });

  it("makes the page's objects, and the printed columns say that it is served", async () => {
    const watch = kubectl.start(["get", "mywebs", "-w"]);
    // The line that `tsop dev` prints for another terminal.
    const printed = await untilTold(/kubectl --kubeconfig /);
    const [, folder = ""] = / apply -k (\S+)$/.exec(printed) ?? [];
    await kubectl.output(["apply", "-k", join(project.folder, folder)]);
    await kubectl.output(["wait", "--for=condition=Ready", "myweb/myweb", "--timeout=60s"]);
    await watch.waitFor(/NAME +READY +PORT +AGE\n(.*\n)*myweb +True +30100/);
    await watch.stop();
    expect(await get("web", "-o", "wide")).toMatch(/IMAGE +AGE\nmyweb +True +30100 +nginx/);
    const all = await get("all");
    for (const kind of [
      "pod",
      "service",
      "deployment.apps",
      "replicaset.apps",
      "myweb.operator.k8s-summit.org",
    ]) {
      expect(all).toContain(`${kind}/myweb`);
    }
    expect(await get("myweb", "myweb", "-o", "jsonpath={.status.completed}")).toBe("true");
  });

  it("says why: which change led to which reconcile, and that to which write", async () => {
    const { code, out } = await runCli(project.folder, ["why", "deployment/myweb"]);
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(out).toMatch(/^Deployment default\/myweb\n\n/);
    expect(out).toMatch(/because +create of MyWeb default\/myweb, version \d+\n/);
    expect(out).toMatch(/wrote +apply Deployment default\/myweb, version \d+\n/);
    // What was asked for the operator alone is nothing for its log.
    expect(lines.join("\n")).not.toContain("the debug endpoint is served");
  });

  it("serves a page with objects, reconciles and rights, and tsop why --page serves the same", async () => {
    const [, url = ""] = /^page +(\S+)$/.exec(await untilTold(/^page +http/)) ?? [];
    await untilStreamed(url, (state) => {
      const kinds = [...state.objects.values()].map(({ kind }) => kind);
      expect(kinds).toEqual(expect.arrayContaining(["MyWeb", "Deployment", "Pod"]));
      expect(state.reconciles.length).toBeGreaterThan(0);
      const applied = state.rights.find(
        ({ verb, resource }) => verb === "patch" && resource === "deployments.apps",
      );
      expect(applied).toMatchObject({ granted: "everywhere", refused: 0 });
      expect(applied?.used).toBeGreaterThan(0);
    });
    const told: string[] = [];
    const end = new AbortController();
    const why = runCli(project.folder, ["why", "--page"], {
      signal: end.signal,
      onLine: (line) => told.push(line),
    });
    const address = await eventually(() => {
      const found = told.find((line) => line.startsWith("page  http"));
      if (found === undefined) throw new Error(told.join("\n"));
      return found.slice(6);
    }, PATIENCE);
    await untilStreamed(address, ({ objects, title }) => {
      expect(objects.size).toBeGreaterThan(3);
      expect(title).toMatchObject({ name: "myweb", place: "tsop dev" });
    });
    end.abort();
    expect(await why).toMatchObject({ code: 0 });
  });

  it("rolls the pods when the page is edited", async () => {
    const podsBefore = await get("pods", "-o", "name");
    const patch = '{"spec":{"pageContentHtml":"<h1>Hello, tsop!</h1>"}}';
    await kubectl.output(["patch", "web", "myweb", "--type=merge", "-p", patch]);
    await eventually(async () => {
      const pods = (await get("pods", "-o", "name")).trim().split("\n");
      expect(pods).toHaveLength(1);
      expect(pods).not.toContain(podsBefore.trim());
    }, PATIENCE);
    await kubectl.output(["rollout", "status", "deployment/myweb", "--timeout=60s"]);
    expect(await get("configmap", "myweb", "-o", "jsonpath={.data.index\\.html}")).toBe(
      "<h1>Hello, tsop!</h1>",
    );
  });

  it("says in a condition that a port is taken, and does not loop", async () => {
    const second = readFileSync(join(project.folder, SAMPLE), "utf8").replace(
      "name: myweb",
      "name: second",
    );
    await kubectl.output(["apply", "-f", "-"], second);
    await kubectl.output(["wait", "--for=condition=Ready=False", "myweb/second", "--timeout=60s"]);
    expect(await kubectl.output(["describe", "myweb", "second"])).toContain(
      "provided port is already allocated",
    );
    await eventually(async () => {
      expect(await get("myweb", "second", "-o", "jsonpath={.status.readyReplicas}")).toBe("1");
    }, PATIENCE);
    expect(lines.filter((line) => / error /.test(line))).toEqual([]);
    const version = ["myweb", "second", "-o", "jsonpath={.metadata.resourceVersion}"];
    const before = await get(...version);
    await kubectl.output(["delete", "pod", "-l", "app.kubernetes.io/instance=myweb"]);
    expect(await get(...version)).toBe(before);
  });

  it("leaves nothing behind when everything is deleted", async () => {
    await kubectl.output(["delete", "mywebs", "--all", "--timeout=60s"]);
    await eventually(async () => {
      const left = await get("configmaps,deployments,replicasets,pods,services", "-o", "name");
      expect(left).not.toMatch(/\/(myweb|second)/);
    }, PATIENCE);
  });

  it("applies the samples, says why, and deletes the objects of its kinds at a key", async () => {
    expect(lines.join("\n")).toContain(
      "a apply samples, t run tests, w why: the last change, f filter the log, o open the page, r reset: delete all objects of your kinds, q quit",
    );
    let from = lines.length;
    press("a");
    await untilTold(/^ +created +mywebs.operator.k8s-summit.org default\/myweb/, from);
    await kubectl.output(["wait", "--for=condition=Ready", "myweb/myweb", "--timeout=60s"]);
    press("w");
    await untilTold(/wrote +patch MyWeb default\/myweb \(status\)/, from);
    from = lines.length;
    press("r");
    await untilTold(/^deleted 1 object of your kinds$/, from);
    await kubectl.output(["wait", "--for=delete", "myweb/myweb", "--timeout=60s"]);
  });

  it("shows the log of one controller, of errors, and all of it again at a key", async () => {
    const from = lines.length;
    press("f");
    await untilTold(/^log: only the controller myweb$/, from);
    press("f");
    await untilTold(/^log: only errors/, from);
    press("f");
    await untilTold(/^log: everything/, from);
    expect(lines.find((line) => line.includes("controller started"))).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} info {2}myweb {2}controller started/,
    );
  });

  it("takes over what is saved: code, kinds and roles", async () => {
    const from = lines.length;
    edit("src/api/v1/myweb.ts", (text) =>
      text.replace("@MinLength(1) image", "@MinLength(3) image"),
    );
    await untilTold(/^operator .* reloaded in/, from);
    expect(lines.slice(from)).toContainEqual(
      expect.stringContaining("configured customresourcedefinitions"),
    );
    const tooShort = readFileSync(join(project.folder, SAMPLE), "utf8").replace(
      /image: .*/,
      "image: a",
    );
    const { code, stderr } = await kubectl.run(["apply", "-f", "-"], tooShort);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("spec.image in body should be at least 3 chars long"),
    ]);
  });

  it("tells on the page, too, that what was saved does not run, until it does", async () => {
    const [, url = ""] = /^page +(\S+)$/.exec(await untilTold(/^page +http/)) ?? [];
    const from = lines.length;
    edit("src/main.ts", (text) => `${text}const = 5;\n`);
    await untilStreamed(url, ({ mistakes }) => {
      expect(mistakes.join("\n")).toMatch(/^src\/main\.ts:\d+:\d+ error syntax-error/m);
      expect(mistakes.at(-1)).toContain("The previous build keeps running");
    });
    // The same words as in the terminal.
    await untilTold(/^src\/main\.ts:\d+:\d+/, from);
    edit("src/main.ts", (text) => text.replace("const = 5;\n", ""));
    await untilStreamed(url, ({ mistakes }) => expect(mistakes).toEqual([]));
  });

  it("starts an operator that crashes again and again, ever later, and at once when it is mended", async () => {
    let from = lines.length;
    const [good, bad] = ["setUpMyWeb(manager);", "throw new Error('broken'); setUpMyWeb(manager);"];
    edit("src/main.ts", (text) => text.replace(good, bad));
    await untilTold(/^the operator exited with code 1; it restarts in 1 s/, from);
    await untilTold(/^the operator exited with code 1; it restarts in 2 s/, from);
    from = lines.length;
    edit("src/main.ts", (text) => text.replace(bad, good));
    await untilTold(/^operator .* reloaded in/, from);
  });

  it("ends cleanly at q, and leaves nothing for `tsop why` to ask", async () => {
    press("q");
    expect((await dev).code).toBe(0);
    expect((await runCli(project.folder, ["why", "myweb/myweb"])).err).toContain(
      "no-operator-to-ask",
    );
  });

  it("hands the operator what comes after --", async () => {
    const once = await runCli(project.folder, ["dev", "--once", "--", "--nonsense"]);
    expect(once.code).toBe(1);
    expect(once.out).toContain("There is no flag --nonsense.");
  });
});
