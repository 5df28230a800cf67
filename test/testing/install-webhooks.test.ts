/** `installWebhooks`: a control plane asks the webhooks that a test serves. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type Content,
  ConversionWebhook,
  type Converter,
  createManager,
  CustomResource,
  type Defaulter,
  MutatingWebhook,
  Resource,
  ValidatingWebhook,
  type ValidationReview,
  type Sent,
  type Unstored,
  type Validator,
} from "../../src/index.ts";
import {
  checkConversion,
  clientFor,
  type ControlPlane,
  installOperator,
  installWebhooks,
  silentLogger,
  startControlPlane,
} from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { emptyFolder, runCli } from "../cli/support/run-cli.ts";

interface OldSpec {
  size?: number;
  color?: string;
}
@Resource({ group: "web.example.com", version: "v1alpha1", kind: "Widget" })
class OldWidget extends CustomResource<OldSpec> {}

interface Spec {
  size?: number;
  weight?: number;
}
@Resource({ group: "web.example.com", version: "v1", storage: true })
class Widget extends CustomResource<Spec> {}

@MutatingWebhook(Widget)
class WidgetDefaulter implements Defaulter<Widget> {
  default(widget: Sent<Widget>): void {
    widget.spec.weight ??= 7;
  }
}

@ValidatingWebhook(Widget)
class WidgetValidator implements Validator<Widget> {
  validateCreate(widget: Unstored<Widget>, review: ValidationReview<Widget>): void {
    if (widget.spec.size === 13) review.invalid(({ spec }) => spec.size, "brings bad luck");
  }
}

@ValidatingWebhook(Widget, { path: "/nobody-knows" })
class UnknownValidator implements Validator<Widget> {
  validateCreate(): void {
    throw new Error("nobody asks");
  }
}

@ConversionWebhook(Widget, OldWidget)
class WidgetConversion implements Converter<Widget, OldWidget> {
  toHub({ spec }: Sent<OldWidget>): Content<Widget> {
    return { spec: { ...(spec.size !== undefined && { size: spec.size }) } };
  }
  fromHub({ spec }: Sent<Widget>): Content<OldWidget> {
    return { spec: { ...(spec.size !== undefined && { size: spec.size }) } };
  }
}

/** The same, but the size of the old version is cut to two digits. */
@ConversionWebhook(Widget, OldWidget)
class LossyConversion implements Converter<Widget, OldWidget> {
  toHub({ spec }: Sent<OldWidget>): Content<Widget> {
    return { spec: { size: (spec.size ?? 0) % 100 } };
  }
  fromHub(widget: Sent<Widget>): Content<OldWidget> {
    return new WidgetConversion().fromHub(widget);
  }
}

const key = (name: string) => ({ namespace: "default", name });

describe("installWebhooks", { timeout: 60_000 }, () => {
  let project: string;
  let folder: string;
  let root: ControlPlane;
  let cluster: ControlPlane;
  const stops: (() => Promise<void>)[] = [];

  // The project is only read.
  beforeAll(async () => {
    root = await startControlPlane();
    await root.settle();
    project = mkdtempSync(join(tmpdir(), "tsop-webhooks-"));
    folder = await widgets(project);
  });
  afterAll(async () => {
    rmSync(project, { recursive: true, force: true });
    await root.stop();
  });
  beforeEach(async () => {
    cluster = await root.fork();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await cluster.stop();
  });

  /** Serves the handlers as a scaffolded test does. */
  async function serve(
    handlers: readonly (WidgetDefaulter | WidgetValidator | WidgetConversion)[],
  ): Promise<void> {
    const config = await installOperator(cluster, folder);
    const webhooks = await installWebhooks(cluster, handlers, folder);
    const manager = createManager({ config, webhooks, log: silentLogger });
    for (const handler of handlers) manager.webhooks.add(handler);
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    stops.push(async () => {
      stop.abort();
      await running;
    });
  }

  it("has defaults, refusals with field and reason, and both versions, before the server listens even", async () => {
    await serve([new WidgetDefaulter(), new WidgetValidator(), new WidgetConversion()]);
    const client = clientFor(cluster);
    const made = await client.create(OldWidget, {
      metadata: key("one"),
      spec: { size: 3, color: "red" },
    });
    expect(made.spec).toEqual({ size: 3, color: "red" });
    expect((await client.get(Widget, key("one"))).spec).toEqual({ size: 3, weight: 7 });
    expect((await client.get(OldWidget, key("one"))).spec).toEqual({ size: 3, color: "red" });
    for (const kind of [Widget, OldWidget]) {
      await expect(
        client.create(kind, { metadata: key("bad"), spec: { size: 13 } }),
      ).rejects.toThrow(/spec\.size: Invalid value: 13: brings bad luck/);
    }
  });

  it("has nobody asked but what the test serves", async () => {
    await serve([new WidgetValidator()]);
    const client = clientFor(cluster);
    const { spec } = await client.create(Widget, { metadata: key("one"), spec: { size: 3 } });
    expect(spec).toEqual({ size: 3 });
  });

  it("says what to add where a test serves no conversion and needs one", async () => {
    await installOperator(cluster, folder);
    const made = clientFor(cluster).create(OldWidget, { metadata: key("one"), spec: { size: 3 } });
    await expect(made).rejects.toThrow(
      "this test serves no conversion of widgets.web.example.com: add `const webhooks = await installWebhooks(",
    );
  });

  it("refuses a webhook that no manifest asks, and a project without manifests", async () => {
    await installOperator(cluster, folder);
    await expect(installWebhooks(cluster, [new UnknownValidator()], folder)).rejects.toThrow(
      "No manifest of config/default asks UnknownValidator.",
    );
    await expect(
      installWebhooks(cluster, [new WidgetValidator()], emptyFolder()),
    ).rejects.toMatchObject({ code: "no-manifests" });
  });

  it("is routed as the control plane is told: to an address, to one that is known soon, to none", async () => {
    await serve([new WidgetValidator()]);
    const client = clientFor(cluster);
    const service = "shop-system/shop-webhook-service";
    const create = (name: string): Promise<unknown> =>
      client.create(Widget, { metadata: key(name), spec: { size: 13 } });
    await expect(create("one")).rejects.toThrow("brings bad luck");

    cluster.routeService(service, "127.0.0.1:1");
    await expect(create("two")).rejects.toThrow("connect: connection refused");
    cluster.routeService(service, undefined);
    await expect(create("three")).rejects.toThrow('service "shop-webhook-service" not found');

    let open: (address: string) => void = () => undefined;
    cluster.routeService(service, new Promise((resolve) => (open = resolve)));
    let ended = false;
    const waiting = create("four").catch((error: unknown) => String(error));
    void waiting.then(() => (ended = true));
    await eventually(async () => {
      await client.list(Widget);
    });
    expect(ended).toBe(false);
    open("127.0.0.1:1");
    expect(await waiting).toContain("connection refused");
  });

  describe("and checkConversion", () => {
    it("finds that 10,000 random objects come back as they were, and names what only one version says", async () => {
      const { objects, kept } = await checkConversion(new WidgetConversion(), {
        folder,
        runs: 5000,
      });
      expect(objects).toBe(10_000);
      expect(kept.spoke).toContain("spec.color");
      expect(kept.hub).toContain("spec.weight");
    });

    it("names the field that a lossy converter loses", async () => {
      await expect(
        checkConversion(new LossyConversion(), { folder, lossless: false }),
      ).rejects.toThrow(/spec\.(size|color)/);
    });
  });
});

/** The `config` folder of a project with that kind, its webhooks, and nothing else. */
async function widgets(root: string): Promise<string> {
  const tsop = async (...argv: string[]): Promise<void> => {
    const { code, err } = await runCli(root, argv);
    if (code !== 0) throw new Error(err);
  };
  await tsop("init", "--domain", "example.com", "--project-name", "shop", "--no-install");
  const kind = ["--group", "web", "--kind", "Widget"];
  const old = ["--field", "size:int32?", "--field", "color:string?"];
  await tsop("create", "api", ...kind, "--version", "v1alpha1", "--no-controller", ...old);
  const fields = ["--field", "size:int32?", "--field", "weight:int32?"];
  await tsop("create", "api", ...kind, "--version", "v1", "--no-controller", ...fields);
  const types = ["--defaulting", "--validation", "--conversion", "--spoke", "v1alpha1"];
  await tsop("create", "webhook", ...kind, "--version", "v1", ...types);
  await tsop("manifests");
  return join(root, "config");
}
