/** `tsop run` answers the webhooks of a project for as long as it runs, on the control plane. */
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addressBeside,
  listeningAddress,
  parseWebhookAddress,
} from "../../../src/cli/operator/run/webhook-address.ts";
import { type ControlPlane, startControlPlane } from "../../../src/controlplane/control-plane.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { type Client, mergePatch } from "../../../src/index.ts";
import { clientFor } from "../../../src/testing.ts";
import { type CliResult, projectAfter, runCli } from "../support/run-cli.ts";
import { WaitingClock } from "../support/waiting-clock.ts";

/** An operator that refuses every object, and says so. */
const OPERATOR = `
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
const flag = (name) => process.argv.find((one) => one.startsWith(name + "="))?.slice(name.length + 1);
const folder = flag("--webhook-cert-path");
console.log("arguments", process.argv.length - 2);
const timer = setInterval(() => undefined, 1000);
process.once("SIGTERM", () => process.exit(0));
if (folder !== undefined) {
  const read = (name) => readFileSync(folder + "/" + name);
  const options = { cert: read("tls.crt"), key: read("tls.key") };
  const server = createServer(options, async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { apiVersion, kind, request: asked } = JSON.parse(text);
    const answer = { uid: asked.uid, allowed: false, status: { message: "refused at " + request.url } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion, kind, response: answer }));
  });
  server.listen(Number(flag("--webhook-port")), () => {
    console.log(JSON.stringify({ level: 30, time: 0, msg: "webhooks are served" }));
  });
} else console.log("serves nothing");
`;
const PAGE = { apiVersion: "web.example.com/v1", kind: "Page" };
const CONFIGURATION = "ValidatingWebhookConfiguration";

interface Asking extends KubeObject {
  readonly webhooks?: readonly { readonly clientConfig: { url?: string; service?: object } }[];
  readonly spec?: {
    readonly conversion?: { readonly webhook?: { readonly clientConfig?: object } };
  };
}

it("an operator that is asked at a loopback address listens there only", () => {
  const hosts = ["127.0.0.1", "::1", "192.168.1.20", "laptop.example.com", "localhost"];
  const everywhere = undefined;
  expect(hosts.map(listeningAddress)).toEqual([
    ...["127.0.0.1", "::1"],
    ...[everywhere, everywhere, everywhere],
  ]);
});

describe("parseWebhookAddress", () => {
  it.each([
    ["192.168.1.20", { host: "192.168.1.20" }],
    ["laptop.example.com:9443", { host: "laptop.example.com", port: 9443 }],
    ["[fd00::20]:9443", { host: "fd00::20", port: 9443 }],
    ["fd00::20", { host: "fd00::20" }],
  ])("reads %s", (text, address) => {
    expect(parseWebhookAddress(text)).toEqual(address);
  });

  it.each(["", ":9443", "host:", "host:0", "host:65536", "https://host", "[host]:1", "a b"])(
    "refuses %j",
    (text) => {
      expect(() => parseWebhookAddress(text)).toThrow("is not a host with or without a port");
    },
  );

  it.each([
    ["https://127.0.0.1:6443", true],
    ["https://localhost:6443", true],
    ["https://[::1]:6443", true],
    ["https://10.0.0.1:6443", false],
    ["https://localhost.example.com", false],
  ])("%s is beside the operator: %s", (server, isBeside) => {
    expect(addressBeside(server) !== undefined).toBe(isBeside);
  });
});

describe("tsop run with webhooks", { timeout: 60_000 }, () => {
  // Of the cluster and the commands that wait for it; an operator is a process, and has the machine's time.
  const clock = new WaitingClock();
  let cluster: ControlPlane;
  let client: Client;
  let folder: string;

  beforeAll(async () => {
    cluster = await startControlPlane({ clock });
    client = clientFor(cluster);
  });
  afterAll(() => cluster.stop());

  beforeEach(async () => {
    const kind = ["--group", "web", "--kind", "Page"];
    const types = ["--defaulting", "--validation", "--conversion", "--spoke", "v1alpha1"];
    folder = await projectAfter([
      ...["v1alpha1", "v1"].map((version) => [
        ...["create", "api", ...kind, "--version", version, "--no-controller"],
      ]),
      ["create", "webhook", ...kind, "--version", "v1", ...types],
      ["manifests"],
    ]);
    writeFileSync(join(folder, "src/main.ts"), OPERATOR);
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
    return async () => {
      await tsop("undeploy");
    };
  });

  const tsop = (...argv: string[]): Promise<CliResult> =>
    runCli(folder, [...argv, "--kubeconfig", join(folder, "kubeconfig")], { clock });
  const tsopRun = (...flags: string[]): Promise<CliResult> =>
    running(/^$/, () => Promise.resolve(), flags);

  /** Runs the operator until a line is printed and `meanwhile` is over. */
  async function running(
    line: RegExp,
    meanwhile: () => Promise<void>,
    flags: readonly string[] = [],
  ): Promise<CliResult> {
    const stop = new AbortController();
    let done: Promise<void> | undefined;
    const argv = ["run", "--kubeconfig", join(folder, "kubeconfig"), ...flags];
    const result = await runCli(folder, argv, {
      signal: stop.signal,
      onLine: (told) => {
        if (!line.test(told)) return;
        done ??= meanwhile().finally(() => stop.abort());
        done.catch(() => undefined);
      },
    });
    await done;
    return result;
  }

  const find = async (kind: string, name: string): Promise<Asking | undefined> => {
    const group = kind === CRD ? "apiextensions.k8s.io/v1" : "admissionregistration.k8s.io/v1";
    const resource = await client.dynamic(group, kind);
    return client.find(resource, { name });
  };
  const CRD = "CustomResourceDefinition";
  const validating = () => find(CONFIGURATION, "shop-validating-webhook-configuration");
  const crd = () => find(CRD, "pages.web.example.com");
  /** What a user wrote, without what each write of the server changes. */
  const contentOf = (object: Asking | undefined): object | undefined => {
    if (!object) return undefined;
    const content = structuredClone(object) as Asking & { status?: object };
    for (const field of ["managedFields", "resourceVersion", "generation"] as const) {
      delete content.metadata[field];
    }
    delete content.status;
    return content;
  };
  const createPage = async (): Promise<string> => {
    const resource = await client.dynamic(PAGE.apiVersion, PAGE.kind);
    const page = { ...PAGE, metadata: { namespace: "default", name: "one" }, spec: {} };
    return client.create(resource, page).then(
      () => "created",
      (error: unknown) => String(error),
    );
  };

  it("is asked from when it serves until it ends; then everything is as before", async () => {
    await tsop("install");
    const before = contentOf(await crd());
    const result = await running(/^webhooks /, async () => {
      expect(await createPage()).toContain("refused at /mutate-web-example-com-v1-page");
      const { url } = (await validating())?.webhooks?.[0]?.clientConfig ?? {};
      expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/validate-web-example-com-v1-page$/);
      expect((await crd())?.spec?.conversion?.webhook?.clientConfig).toMatchObject({
        url: url?.replace(/[^/]*$/, ""),
      });
    });
    expect(result.code).toBe(0);
    expect(result.out).toMatch(
      /webhooks https:\/\/127\.0\.0\.1:\d+ answers pages\.web\.example\.com, /,
    );
    expect(await validating()).toBeUndefined();
    expect(contentOf(await crd())).toEqual(before);
    expect(await createPage()).toBe("created");
    const pages = await client.dynamic(PAGE.apiVersion, PAGE.kind);
    await client.delete(pages, { namespace: "default", name: "one" });
  });

  it("answers in place of a deployed operator, and gives everything back, cert-manager's annotation and authority too", async () => {
    await runCli(folder, ["edit", "--certificates", "cert-manager"]);
    await runCli(folder, ["edit", "--certificates", "self-managed"]);
    await tsop("deploy", "--image", "shop:1", "--no-wait");
    const live = await validating();
    const [webhook] = live?.webhooks ?? [];
    const caBundle = Buffer.from(cluster.caCertificate).toString("base64");
    const clientConfig = { ...webhook?.clientConfig, caBundle };
    const resource = await client.dynamic("admissionregistration.k8s.io/v1", CONFIGURATION);
    await client.patch(
      resource,
      { name: live?.metadata.name ?? "" },
      mergePatch({
        metadata: { annotations: { "cert-manager.io/inject-ca-from": "a/b" } },
        webhooks: [{ ...webhook, clientConfig }],
      }),
    );
    const before = [contentOf(await validating()), contentOf(await crd())];
    await running(/^webhooks /, async () => {
      const answered = await validating();
      expect(answered?.metadata.annotations).not.toHaveProperty(["cert-manager.io/inject-ca-from"]);
      expect(answered?.webhooks?.[0]?.clientConfig.service).toBeUndefined();
    });
    expect([contentOf(await validating()), contentOf(await crd())]).toEqual(before);
  });

  it("repairs what a run that was killed left behind", async () => {
    await tsop("deploy", "--image", "shop:1", "--no-wait");
    const before = [contentOf(await validating()), contentOf(await crd())];
    let left: readonly (Asking | undefined)[] = [];
    await running(/^webhooks /, async () => {
      left = [await validating(), await crd()];
    });
    const leaveBehind = async (): Promise<void> => {
      for (const object of left) {
        const resource = await client.dynamic(object?.apiVersion ?? "", object?.kind ?? "");
        const { annotations } = object?.metadata ?? {};
        const { webhooks, spec } = object ?? {};
        const conversion = spec && { spec: { conversion: withoutService(spec.conversion) } };
        const patch = mergePatch({
          metadata: { annotations },
          ...(webhooks && { webhooks }),
          ...conversion,
        });
        await client.patch(resource, { name: object?.metadata.name ?? "" }, patch);
      }
    };
    await leaveBehind();
    expect((await validating())?.webhooks?.[0]?.clientConfig.url).toBeDefined();
    const next = await running(/^webhooks /, async () => undefined);
    expect(next.err).toContain(`was served by \`tsop run\` on ${hostname()}`);
    expect([contentOf(await validating()), contentOf(await crd())]).toEqual(before);

    await leaveBehind();
    const dry = await tsop("deploy", "--image", "shop:1", "--no-wait", "--dry-run");
    expect([dry.code, dry.out]).toEqual([0, expect.stringMatching(/to change .*pages\.web/)]);
    const deployed = await tsop("deploy", "--image", "shop:1", "--no-wait");
    expect([deployed.code, deployed.err]).toEqual([0, expect.stringContaining("no longer is")]);
    expect([contentOf(await validating()), contentOf(await crd())]).toEqual(before);
  });

  it("leaves alone what a deployment took back meanwhile", async () => {
    await tsop("install");
    const { err } = await running(/^webhooks /, async () => {
      await tsop("deploy", "--image", "shop:1", "--no-wait");
    });
    expect(err).not.toContain("not put back");
    expect((await validating())?.webhooks?.[0]?.clientConfig.service).toMatchObject({
      name: "shop-webhook-service",
    });
  });

  it("puts everything back when the operator ends by itself", async () => {
    await tsop("install");
    const before = contentOf(await crd());
    writeFileSync(
      join(folder, "src/main.ts"),
      OPERATOR.replace("response: answer })", "response: answer }), () => process.exit(7)"),
    );
    let asked: Promise<string> | undefined;
    const result = await runCli(folder, ["run", "--kubeconfig", join(folder, "kubeconfig")], {
      onLine: (line) => {
        if (/^webhooks /.test(line)) asked ??= createPage();
      },
    });
    expect(await asked).not.toBe("created");
    expect([result.code, result.err]).toEqual([1, expect.stringContaining("operator-ended")]);
    expect(result.out).toMatch(/^webhooks https/m);
    expect(await validating()).toBeUndefined();
    expect(contentOf(await crd())).toEqual(before);
  });

  it("ends without touching a configuration that somebody else made", async () => {
    await tsop("install");
    const resource = await client.dynamic("admissionregistration.k8s.io/v1", CONFIGURATION);
    const name = "shop-validating-webhook-configuration";
    const foreign = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: CONFIGURATION,
      metadata: { name },
      webhooks: [],
    };
    await client.create(resource, foreign);
    const result = await tsopRun();
    expect([result.code, result.err]).toEqual([1, expect.stringContaining("not-ours")]);
    expect((await validating())?.metadata.annotations).toBeUndefined();
    expect(
      await find("MutatingWebhookConfiguration", "shop-mutating-webhook-configuration"),
    ).toBeUndefined();
    await client.delete(resource, { name });
  });

  it("says that nobody asks it, where it cannot be reached or need not be", async () => {
    await tsop("install");
    const none = await running(/serves nothing/, async () => undefined, ["--no-webhooks"]);
    expect([none.code, none.err]).toEqual([0, expect.stringContaining("--no-webhooks leaves")]);
    expect(none.out).toContain("arguments 0");
    const elsewhere = cluster.kubeconfig.replaceAll("127.0.0.1", "192.0.2.1");
    writeFileSync(join(folder, "elsewhere"), elsewhere);
    const far = await running(/serves nothing/, async () => undefined, [
      "--kubeconfig",
      join(folder, "elsewhere"),
    ]);
    expect(far.err).toContain("is on another machine");
    expect(far.err).toContain("--webhook-address HOST[:PORT]");
    const unreached = await tsopRun("--webhook-address", "nowhere.invalid:9999");
    expect([unreached.code, unreached.err]).toEqual([
      1,
      expect.stringContaining("webhooks-not-reached"),
    ]);
    expect(unreached.err).toContain("https://nowhere.invalid:9999");
    expect(unreached.out).not.toContain("arguments");
    expect(await validating()).toBeUndefined();
    expect(await find(CONFIGURATION, "shop.example.com-run-reach")).toBeUndefined();
  });

  it("needs the rights to change configurations, or --no-webhooks", async () => {
    await tsop("install");
    writeFileSync(join(folder, "user"), cluster.kubeconfigFor({ user: "jane", groups: [] }));
    const result = await runCli(folder, ["run", "--kubeconfig", join(folder, "user")]);
    expect([result.code, result.err]).toEqual([1, expect.stringContaining("no-rights")]);
    expect(result.err).toContain("--no-webhooks");
  });
});

/** As a merge patch: what stands beside the URL goes. */
function withoutService(conversion: object | undefined): object {
  const { webhook } = conversion as { webhook?: { clientConfig?: object } };
  return {
    ...conversion,
    webhook: { ...webhook, clientConfig: { service: null, ...webhook?.clientConfig } },
  };
}
