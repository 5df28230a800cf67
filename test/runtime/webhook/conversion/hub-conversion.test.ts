import { beforeEach, describe, expect, it } from "vitest";
import { CustomResource, Resource } from "../../../../src/index.ts";
import type { Content, Converter } from "../../../../src/kube/webhooks/conversion.ts";
import { validateAnnotations } from "../../../../src/kube/metadata.ts";
import type { JsonObject, KubeObject, Sent } from "../../../../src/kube/object.ts";
import { systemClock } from "../../../../src/clock.ts";
import { silentLogger } from "../../../../src/log.ts";
import { ConversionWebhook } from "../../../../src/markers/webhook.ts";
import type { AnyConverter } from "../../../../src/runtime/webhook/conversion/conversion-registry.ts";
import { HubConversion } from "../../../../src/runtime/webhook/conversion/hub-conversion.ts";

const GROUP = "shop.example.com";

interface Port {
  name: string;
  port: number;
  protocol?: string;
}

@Resource({ group: GROUP, version: "v1", plural: "widgets", kind: "Widget" })
class Widget extends CustomResource<
  { replicas?: number; ports?: Port[]; color?: string; big?: number | bigint },
  { ready?: number; phase?: string }
> {}

@Resource({ group: GROUP, version: "v1alpha1", plural: "widgets", kind: "Widget" })
class OldWidget extends CustomResource<
  { size?: number; ports?: { name: string; port: number }[]; legacy?: JsonObject; big?: number },
  { ready?: number }
> {}

@Resource({ group: GROUP, version: "v1beta1", plural: "widgets", kind: "Widget" })
class BetaWidget extends CustomResource<{ replicas?: number; hint?: string }> {}

/** Leaves out `color`, `protocol` and `phase` of the hub, and `legacy` of the spoke. */
@ConversionWebhook(Widget, OldWidget)
class OldConversion implements Converter<Widget, OldWidget> {
  toHub({ spec, status }: Sent<OldWidget>): Content<Widget> {
    const { size, ports, big } = spec;
    return { spec: { replicas: size, ports, big }, status } as Content<Widget>;
  }

  fromHub({ spec, status }: Sent<Widget>): Content<OldWidget> {
    const { replicas, ports, big } = spec;
    return {
      spec: { size: replicas, ports: ports?.map(({ name, port }) => ({ name, port })), big },
      status: status && { ready: status.ready },
    } as Content<OldWidget>;
  }
}

@ConversionWebhook(Widget, BetaWidget)
class BetaConversion implements Converter<Widget, BetaWidget> {
  toHub({ spec }: Sent<BetaWidget>): Content<Widget> {
    return { spec: { replicas: spec.replicas } } as Content<Widget>;
  }

  fromHub({ spec }: Sent<Widget>): Content<BetaWidget> {
    return { spec: { replicas: spec.replicas } } as Content<BetaWidget>;
  }
}

function conversion(...converters: object[]): HubConversion {
  const registry = new HubConversion();
  for (const one of converters) registry.add(one as AnyConverter);
  return registry;
}

const registry = conversion(new OldConversion(), new BetaConversion());
const V1 = `${GROUP}/v1`;
const OLD = `${GROUP}/v1alpha1`;
const BETA = `${GROUP}/v1beta1`;
const STASH = "conversion.tsop.dev";

const widget = (apiVersion: string, content: object, annotations?: object): KubeObject =>
  ({
    apiVersion,
    kind: "Widget",
    metadata: {
      name: "blue",
      namespace: "team",
      uid: "u",
      ...(annotations ? { annotations } : {}),
    },
    ...content,
  }) as unknown as KubeObject;

const full = widget(V1, {
  spec: {
    replicas: 2,
    ports: [
      { name: "http", port: 80, protocol: "TCP" },
      { name: "dns", port: 53, protocol: "UDP" },
    ],
    color: "red",
    big: 9007199254740993n,
  },
  status: { ready: 1, phase: "Up" },
});

type Loose = KubeObject & { spec: Record<string, unknown>; status?: Record<string, unknown> };
const convert = (object: KubeObject, to: string): Loose => registry.convertOne(object, to) as Loose;

describe("the conversion of an object", () => {
  it("keeps in an annotation what the other version cannot say, and gives it back", () => {
    const old = convert(full, OLD);
    expect(old.spec).toEqual({
      size: 2,
      ports: [
        { name: "http", port: 80 },
        { name: "dns", port: 53 },
      ],
      big: 9007199254740993n,
    });
    expect(Object.keys(old.metadata.annotations ?? {})).toEqual([`${STASH}/v1`]);
    expect(convert(old, V1)).toEqual(full);
  });

  it("writes no annotation when nothing is lost", () => {
    const plain = widget(V1, { spec: { replicas: 1 } }, { mine: "x" });
    expect(convert(plain, OLD)).toEqual(widget(OLD, { spec: { size: 1 } }, { mine: "x" }));
  });

  it("keeps what the hub cannot say, where it is stored, and across other spokes", () => {
    const legacy = { deep: [{ __proto__: null, a: 1 }], big: 9007199254740993n, none: null };
    const old = widget(OLD, { spec: { size: 1, legacy } });
    const hub = convert(old, V1);
    expect(hub.spec).toEqual({ replicas: 1 });
    expect(convert(hub, OLD)).toEqual(old);
    const beta = convert(old, BETA);
    expect(beta.spec).toEqual({ replicas: 1 });
    expect(convert(beta, OLD)).toEqual(old);
    expect(convert(convert(convert(full, BETA), OLD), V1)).toEqual(full);
  });

  it("lets what the user of the other version changed win, and gives the rest back", () => {
    const old = convert(full, OLD);
    old.spec["size"] = 5;
    old.spec["ports"] = [
      { name: "dns", port: 5353 },
      { name: "new", port: 1 },
    ];
    expect(convert(old, V1)).toEqual({
      ...full,
      spec: {
        replicas: 5,
        ports: [
          { name: "dns", port: 5353, protocol: "UDP" },
          { name: "new", port: 1 },
        ],
        color: "red",
        big: 9007199254740993n,
      },
    });
  });

  it("is not misled by an annotation of the version that the object is in", () => {
    const stale = widget(
      V1,
      { spec: { replicas: 1 } },
      {
        [`${STASH}/v1`]: '{"fields":{"spec":{"fields":{"color":{"value":"stale"}}}}}',
      },
    );
    const old = convert(stale, OLD);
    expect(old).toEqual(widget(OLD, { spec: { size: 1 } }));
  });

  it("shows converters nothing of the annotations, and lets them change nothing", () => {
    const seen: unknown[] = [];
    @ConversionWebhook(Widget, OldWidget)
    class Greedy extends OldConversion {
      override fromHub(hub: Sent<Widget>): Content<OldWidget> {
        seen.push(hub.metadata.annotations);
        const content = super.fromHub(hub);
        hub.spec.replicas = 99;
        hub.metadata.name = "other";
        return content;
      }
    }
    const hub = Object.freeze(
      widget(V1, { spec: Object.freeze({ replicas: 1 }) }, { mine: "x", [`${STASH}/v9`]: "{}" }),
    );
    const old = conversion(new Greedy()).convertOne(hub, OLD) as Loose;
    expect(seen).toEqual([{ mine: "x" }]);
    expect(old.spec).toEqual({ size: 1 });
    expect(old.metadata).toEqual(hub.metadata);
  });

  it("bears parts of objects, as the API server converts them while it applies", () => {
    @ConversionWebhook(Widget, OldWidget)
    class Careful implements Converter<Widget, OldWidget> {
      toHub(old: Partial<Sent<OldWidget>>): Content<Widget> {
        return { spec: { replicas: old.spec?.size } } as Content<Widget>;
      }
      fromHub(hub: Partial<Sent<Widget>>): Content<OldWidget> {
        return { spec: { size: hub.spec?.replicas } } as Content<OldWidget>;
      }
    }
    const part = { apiVersion: V1, kind: "Widget" } as KubeObject;
    const careful = conversion(new Careful());
    const old = careful.convertOne(part, OLD) as Loose;
    expect(old).toMatchObject({ apiVersion: OLD, metadata: {}, spec: {} });
    expect(careful.convertOne(old, V1)).toEqual({ ...part, metadata: {} });
  });

  it("keeps the order of a list of objects in several versions", async () => {
    const objects = Array.from({ length: 500 }, (_, index) =>
      index % 2 === 0
        ? widget(V1, { spec: { replicas: index } })
        : widget(OLD, { spec: { size: index } }),
    );
    const converted = (await registry.convert(objects, V1)) as Loose[];
    expect(converted.map(({ spec }) => spec["replicas"])).toEqual(Array.from(objects.keys()));
    expect(converted[0]).toBe(objects[0]);
  });

  it("ends when the API server stops waiting", async () => {
    const objects = Array.from({ length: 500 }, () => full);
    const gone = AbortSignal.abort(new Error("gone"));
    await expect(registry.convert(objects, OLD, gone)).rejects.toThrow("gone");
  });
});

describe("an annotation that somebody else wrote", () => {
  const warnings: object[] = [];
  let logged: HubConversion;
  beforeEach(() => {
    warnings.length = 0;
    logged = new HubConversion({
      log: {
        ...silentLogger,
        warn: (fields: object | string) => warnings.push(Object(fields) as object),
      },
    });
    logged.add(new OldConversion());
  });

  it.each([
    "",
    "no JSON",
    "null",
    '{"value":{"spec":{}}}',
    '{"fields":{"metadata":{"value":{"name":"stolen"}}}}',
    '{"fields":{"kind":{"value":"Secret"}}}',
    '{"fields":{"spec":{"list":{"length":9,"came":{"0":"{}"},"lost":"x"}}}}',
  ])("is ignored and told once when it is %s", (text) => {
    const object = widget(V1, { spec: { replicas: 1 } }, { [`${STASH}/v1alpha1`]: text });
    object.metadata.uid = text;
    for (let time = 0; time < 3; time++) {
      expect(logged.convertOne(object, OLD).metadata).toMatchObject({ name: "blue" });
      expect(logged.convertOne(object, OLD)).toMatchObject({ kind: "Widget", spec: { size: 1 } });
    }
    expect(warnings).toEqual([
      { annotation: `${STASH}/v1alpha1`, kind: "Widget", name: "blue", namespace: "team" },
    ]);
  });

  it("is told a few times a minute, for any number of objects", () => {
    for (let at = 0; at < 20; at++) {
      const object = widget(V1, { spec: {} }, { [`${STASH}/v1alpha1`]: "no JSON" });
      object.metadata.uid = `invented-${at}`;
      logged.convertOne(object, OLD);
    }
    expect(warnings.length).toBe(5);
  });

  it("does not touch prototypes", () => {
    const text =
      '{"fields":{"__proto__":{"fields":{"polluted":{"value":1}}},"spec":{"fields":{"__proto__":{"value":{"polluted":1}},"constructor":{"value":{}}}}}}';
    const object = widget(V1, { spec: { replicas: 1 } }, { [`${STASH}/v1alpha1`]: text });
    const old = logged.convertOne(object, OLD) as Loose;
    expect(({} as JsonObject)["polluted"]).toBeUndefined();
    expect(Object.getPrototypeOf(old.spec)).toBe(Object.prototype);
  });
});

describe("what cannot be converted", () => {
  it.each([
    [widget(V1, {}), `${GROUP}/v7`, `no converter was added for ${GROUP}/v7; there are`],
    [widget(`${GROUP}/v7`, {}), V1, `no converter was added for ${GROUP}/v7; there are`],
    [{ ...full, kind: "Gadget" }, OLD, `no converter was added for the kind Gadget of ${GROUP}`],
    [full, "other.example.com/v1", "no converter was added for other.example.com/v1"],
  ])("is told with the object's name", (object, to, message) => {
    expect(() => registry.convertOne(object, to)).toThrow(message);
    expect(() => registry.convertOne(object, to)).toThrow(
      `${object.kind} team/blue cannot be converted from ${object.apiVersion} to ${to}: `,
    );
  });

  const cyclic: JsonObject = {};
  cyclic["self"] = cyclic;

  it.each([
    [
      "Bad.fromHub returned `metadata`, which a converter cannot change",
      () => ({ metadata: {}, spec: {} }),
    ],
    ["Bad.fromHub returned `kind`, which a converter cannot change", () => ({ kind: "x" })],
    ["Bad.fromHub returned undefined instead of an object", () => undefined],
    ["Bad.fromHub returned null instead of an object", () => null],
    ["Bad.fromHub returned a list instead of an object", () => []],
    [
      "Bad.fromHub returned a promise; converters are synchronous",
      () => Promise.reject(new Error("x")),
    ],
    ["Bad.fromHub returned NaN as spec.size", () => ({ spec: { size: Number.NaN } })],
    ["Bad.fromHub returned undefined as spec.list[1]", () => ({ spec: { list: [1, undefined] } })],
    ["Bad.fromHub returned a Map as spec.map", () => ({ spec: { map: new Map() } })],
    ["Bad.fromHub returned a function as spec.f", () => ({ spec: { f: () => 1 } })],
    ["Bad.fromHub returned an object that contains itself", () => ({ spec: cyclic })],
    [
      "Bad.fromHub threw TypeError: no ports",
      () => {
        throw new TypeError("no ports");
      },
    ],
  ])("is told: %s", (message, fromHub) => {
    @ConversionWebhook(Widget, OldWidget)
    class Bad extends OldConversion {
      override fromHub(): Content<OldWidget> {
        return fromHub() as unknown as Content<OldWidget>;
      }
    }
    const bad = conversion(new Bad());
    expect(() => bad.convertOne(full, OLD)).toThrow(message);
  });

  it("is refused when what is lost does not fit into the annotations", () => {
    const large = widget(OLD, { spec: { legacy: { text: "x".repeat(261_900) } } });
    const hub = registry.convertOne(large, V1);
    expect(validateAnnotations("a", hub.metadata.annotations)).toEqual([]);
    const tooLarge = widget(OLD, { spec: { legacy: { text: "x".repeat(263_000) } } });
    expect(() => registry.convertOne(tooLarge, V1)).toThrow(
      /Widget team\/blue .* the ones to keep in the annotation conversion\.tsop\.dev\/v1alpha1 are too large: .* limit is 262144; let OldConversion convert more/,
    );
  });
});

describe("other work", () => {
  it("gets a turn between objects whose conversion takes long", async () => {
    let nowMs = 0;
    let turns = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    @ConversionWebhook(Widget, OldWidget)
    class Slow extends OldConversion {
      override fromHub(one: Sent<Widget>): Content<OldWidget> {
        nowMs += 50;
        return super.fromHub(one);
      }
    }
    const slow = new HubConversion({ clock });
    slow.add(new Slow());
    const converting = slow.convert([full, full, full, full], OLD);
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await converting;
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});

describe("the fields that are kept of all objects of a request", () => {
  it("have a limit, as few bytes can be many in an annotation", async () => {
    const bounded = new HubConversion({ keptMaxBytes: 100_000 });
    bounded.add(new OldConversion());
    const large = widget(V1, { spec: { color: "x".repeat(40_000) } });
    expect(await bounded.convert([large, large], OLD)).toHaveLength(2);
    await expect(bounded.convert([large, large, large], OLD)).rejects.toThrow(
      "list fewer objects at once",
    );
  });

  it("is one for all requests under way, and free again after them", async () => {
    const bounded = new HubConversion({
      // Time stands still, so a request gives up its turn after a hundred objects, and not before.
      clock: { ...systemClock, monotonicMs: () => 0 },
      keptMaxBytes: 200 * 40_500,
      busy: () => new Error("later"),
    });
    bounded.add(new OldConversion());
    const large = widget(V1, { spec: { color: "x".repeat(40_000) } });
    const list = Array.from({ length: 150 }, () => large);
    // Both are under way after the first hundred objects.
    const ends = await Promise.allSettled([bounded.convert(list, OLD), bounded.convert(list, OLD)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(ends.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { message: "later" },
    });
    expect(await bounded.convert(list, OLD)).toHaveLength(150);
    expect(await bounded.convert(list, OLD)).toHaveLength(150);
  });
});
