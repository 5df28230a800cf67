import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CustomResource, Resource } from "../../../../src/index.ts";
import { sameJson } from "../../../../src/kube/json.ts";
import type { JsonObject, KubeObject, Sent, SentObject } from "../../../../src/kube/object.ts";
import { type Logger, silentLogger } from "../../../../src/log.ts";
import type { Content, Converter } from "../../../../src/kube/webhooks/conversion.ts";
import { ContentCheck } from "../../../../src/kube/rules/content-check.ts";
import { ConversionWebhook } from "../../../../src/markers/webhook.ts";
import { HubConversion } from "../../../../src/runtime/webhook/conversion/hub-conversion.ts";
import {
  type ConvertedDefinition,
  isSigned,
  newKey,
  type Signed,
  signatureOf,
} from "../../../../src/runtime/webhook/conversion/trust.ts";

const GROUP = "shop.example.com";
const [V1, OLD] = [`${GROUP}/v1`, `${GROUP}/v1alpha1`];
const STASH = "conversion.tsop.dev";

interface Spec {
  size?: number;
  image?: string;
  ports?: { name: string; protocol?: string }[];
}

@Resource({ group: GROUP, version: "v1", plural: "widgets", kind: "Widget" })
class Widget extends CustomResource<Spec, { ready?: number; phase?: string }> {}

@Resource({ group: GROUP, version: "v1alpha1", plural: "widgets", kind: "Widget" })
class OldWidget extends CustomResource<
  { size?: number; ports?: { name: string }[]; note?: string },
  { ready?: number; hint?: string }
> {}

/** Throws for a value that the schemas do not allow. */
@ConversionWebhook(Widget, OldWidget)
class WidgetConversion implements Converter<Widget, OldWidget> {
  toHub({ spec: { note, ...spec }, status }: Sent<OldWidget>): Content<Widget> {
    note?.slice(0);
    const { hint: _, ...shown } = status ?? {};
    return { spec, ...(status && { status: shown }) };
  }
  fromHub({ spec: { image, ports, ...spec }, status }: Sent<Widget>): Content<OldWidget> {
    image?.slice(0);
    const { phase: _, ...shown } = status ?? {};
    const names = ports?.map(({ name }) => ({ name: name.slice(0) }));
    return { spec: { ...spec, ...(names && { ports: names }) }, ...(status && { status: shown }) };
  }
}

const text = { type: "string" };
const object = (properties: object): object => ({ type: "object", properties });
const port = { ...object({ name: text, protocol: text }), required: ["name"] };
const SCHEMAS = {
  v1: object({
    spec: {
      ...object({
        size: { type: "integer", maximum: 9 },
        image: { ...text, pattern: "^[a-z]+$" },
        ports: { type: "array", maxItems: 3, items: port },
      }),
      "x-kubernetes-validations": [
        { rule: "!has(self.size) || self.size + 1 < 100" },
        { rule: "!has(self.image) || self.image.size() < 50" },
        { rule: "!has(self.ports) || self.ports.all(port, port.name.size() < 50)" },
      ],
    },
    status: object({ ready: { type: "integer" }, phase: text }),
  }),
  v1alpha1: object({
    spec: object({
      size: { type: "integer", maximum: 9 },
      ports: { type: "array", maxItems: 3, items: object({ name: text }) },
      note: { ...text, maxLength: 5 },
    }),
    status: object({ ready: { type: "integer" }, hint: text }),
  }),
};
const CHECKS = {
  [V1]: new ContentCheck(SCHEMAS.v1),
  [OLD]: new ContentCheck(SCHEMAS.v1alpha1),
};
const mistakes = (one: SentObject): readonly string[] =>
  CHECKS[one.apiVersion]?.mistakes(one) ?? ["unknown version"];
const DEFINITION: ConvertedDefinition = {
  storage: "v1",
  stored: ["v1"],
  hasStatus: () => true,
  mistakes,
};

/** An operator with a key of its own, which signs at the path `/convert` only. */
function operator(
  definition: Partial<ConvertedDefinition> = {},
  key = newKey(),
  log = silentLogger,
): HubConversion {
  const trust = { keys: [key] as const, definition: { ...DEFINITION, ...definition } };
  const conversion = new HubConversion({
    log,
    trustOf: (_, path) => ({ ...trust, signs: path === "/convert" }),
  });
  conversion.add(new WidgetConversion());
  return conversion;
}

type Loose = KubeObject & { spec: JsonObject; status?: JsonObject };
const widget = (apiVersion: string, content: object, metadata: object = {}): Loose =>
  ({
    apiVersion,
    kind: "Widget",
    metadata: { name: "blue", namespace: "team", uid: "u", generation: 4, ...metadata },
    ...content,
  }) as unknown as Loose;
const convert = (by: HubConversion, one: KubeObject, to: string): Loose =>
  by.convertOne(one, to) as Loose;
const annotated = (one: Loose, annotations: Record<string, string>): Loose => ({
  ...one,
  metadata: { ...one.metadata, annotations: { ...one.metadata.annotations, ...annotations } },
});

const FULL = widget(V1, {
  spec: { size: 1, image: "nginx", ports: [{ name: "a", protocol: "TCP" }] },
  status: { ready: 1, phase: "Up" },
});

/** Differences that somebody may write: to fields of these versions, and to anything else. */
const name = fc.constantFrom("spec", "status", "size", "image", "ports", "ready", "phase", "note");
const value = fc.oneof(fc.jsonValue(), fc.constantFrom("nginx", "good", 3, "X", [{ name: "b" }]));
const came = fc.constantFrom('"nginx"', "1", '"Up"', '[{"name":"a"}]', "{}");
const difference = fc.letrec((tie) => ({
  one: fc.oneof(
    { maxDepth: 4 },
    fc.record({ value, came }, { requiredKeys: ["value"] }),
    fc.record({ came }),
    fc.record({ fields: fc.dictionary(name, tie("one"), { maxKeys: 4 }) }),
    fc.record({
      list: fc.record({
        length: fc.nat(3),
        came: fc.dictionary(fc.constantFrom("0", "1"), came, { maxKeys: 2 }),
        changed: fc.dictionary(fc.constantFrom("0", "1"), tie("one"), { maxKeys: 2 }),
        lost: fc.array(fc.record({ value, at: fc.nat(3), after: fc.integer({ min: -1, max: 2 }) })),
      }),
    }),
  ),
})).one;
const forgery = fc.oneof(
  fc.record({
    fields: fc.dictionary(fc.constantFrom("spec", "status", "data"), difference, { maxKeys: 3 }),
  }),
  fc.record({
    fields: fc.record({
      spec: fc.record({ fields: fc.dictionary(name, difference, { maxKeys: 4 }) }),
      status: fc.record({ fields: fc.dictionary(name, difference, { maxKeys: 4 }) }),
    }),
    signature: fc.base64String({ minLength: 44, maxLength: 44 }).map((text) => text.slice(0, 43)),
  }),
);

describe("an annotation that the operator did not sign", () => {
  it.each([
    ["from the old version to the stored one", OLD, V1],
    ["from the stored version to the old one", V1, OLD],
  ])("changes no status, makes nothing invalid and fails no conversion, %s", (_, from, to) => {
    const by = operator();
    const whole = from === V1 ? FULL : convert(by, FULL, OLD);
    const { annotations: _kept, ...metadata } = whole.metadata;
    const bare = { ...whole, metadata } as Loose;
    const plain = convert(by, bare, to);
    let accepted = 0;
    fc.assert(
      fc.property(forgery, (forged) => {
        const { signature, fields } = forged as { signature?: string; fields: object };
        const stash = JSON.stringify(signature === undefined ? { fields } : { signature, fields });
        const version = to.slice(GROUP.length + 1);
        const result = convert(by, annotated(bare, { [`${STASH}/${version}`]: stash }), to);
        expect(result.status).toEqual(plain.status);
        expect(mistakes(result)).toEqual([]);
        if (!sameJson(result.spec, plain.spec)) accepted++;
        // Nor does the way back.
        expect(convert(by, result, from).status).toEqual(bare.status);
      }),
      { numRuns: 2000, seed: 21 },
    );
    expect(accepted).toBeGreaterThan(20);
  });

  it.each([
    ["the status of the converted object lacks a field", { status: { ready: 1 } }, { phase: text }],
    ["the converted object has another mistake", { spec: { size: 10 } }, {}],
    ["the converted object has a value of another type", { spec: { size: "1" } }, {}],
  ])("is judged by the rules of the version, also when %s", (_, content, required) => {
    const ruled = new ContentCheck({
      ...object({
        spec: {
          ...object({ size: { type: "integer", maximum: 9 }, image: text }),
          "x-kubernetes-validations": [
            { rule: "!has(self.image) || self.image != 'bad'", message: "bad image" },
          ],
        },
        status: {
          ...object({ ready: { type: "integer" }, phase: text }),
          required: Object.keys(required),
        },
      }),
    });
    const by = operator({ mistakes: (one) => ruled.mistakes(one) });
    const restored = (image: string): unknown => {
      const fields = {
        spec: { fields: { image: { value: image } } },
        status: { fields: { phase: { value: "Up" } } },
      };
      const old = widget(OLD, { spec: {}, ...content });
      return convert(by, annotated(old, { [`${STASH}/v1`]: JSON.stringify({ fields }) }), V1);
    };
    const { spec = {} } = content as { spec?: object };
    expect(restored("good")).toMatchObject({ spec: { ...spec, image: "good" } });
    expect(restored("bad")).toMatchObject({ spec });
    expect(restored("bad")).not.toHaveProperty("spec.image");
    expect(restored("good")).not.toHaveProperty("status.phase");
  });

  it("restores the fields of the spec, but no status, when the key is lost", () => {
    const old = convert(operator(), FULL, OLD);
    const restored = convert(operator(), old, V1);
    expect(restored.spec).toEqual(FULL.spec);
    expect(restored.status).toEqual({ ready: 1 });
    expect(convert(operator({ hasStatus: () => false }), old, V1).status).toEqual(FULL.status);
  });

  it("is not read when it is longer than annotations can be", () => {
    const by = operator();
    const written = JSON.stringify({ fields: { spec: { fields: { image: { value: "nginx" } } } } });
    const restored = (spaces: number): unknown => {
      const text = written.padEnd(256 * 1024 + spaces);
      return convert(by, annotated(widget(OLD, { spec: {} }), { [`${STASH}/v1`]: text }), V1).spec;
    };
    expect(restored(0)).toEqual({ image: "nginx" });
    expect(restored(1)).toEqual({});
  });

  it("of another object, a new object of the name, or an older state says nothing of the status", () => {
    const by = operator();
    const old = convert(by, FULL, OLD);
    const statusOf = (metadata: object): unknown =>
      convert(by, { ...old, metadata: { ...old.metadata, ...metadata } }, V1).status;
    expect(statusOf({})).toEqual(FULL.status);
    expect(statusOf({ generation: 5 })).toEqual(FULL.status);
    for (const metadata of [
      { uid: "v" },
      { uid: "" },
      { uid: undefined },
      { generation: 6 },
      { generation: 3 },
    ]) {
      expect(statusOf(metadata)).toEqual({ ready: 1 });
    }
    const key = `${STASH}/v1`;
    const text = old.metadata.annotations?.[key] ?? "";
    expect(text).toContain('"Up"');
    const changed = annotated(old, { [key]: text.replace('"Up"', '"Ok"') });
    expect(convert(by, changed, V1).status).toEqual({ ready: 1 });
  });

  it("of the stored object counts for all its later generations", () => {
    const by = operator();
    const old = widget(OLD, { spec: { note: "n" }, status: { hint: "h" } });
    const stored = convert(by, old, V1);
    const later = { ...stored, metadata: { ...stored.metadata, generation: 99 } } as Loose;
    expect(convert(by, later, OLD)).toMatchObject({ spec: { note: "n" }, status: { hint: "h" } });
  });

  it("of the stored object brings back no status of the spoke from before the hub's status changed", () => {
    const lines: string[] = [];
    const by = operator({}, newKey(), logTo(lines));
    const observed = (ready: number, hint: string): Loose =>
      convert(by, widget(OLD, { spec: { note: "n" }, status: { ready, hint } }), V1);
    const [earlier, now] = [observed(1, "all is well"), observed(2, "disk is full")];
    expect(convert(by, now, OLD).status).toEqual({ ready: 2, hint: "disk is full" });
    const replayed = annotated(now, earlier.metadata.annotations ?? {});
    expect(convert(by, replayed, OLD)).toMatchObject({ spec: { note: "n" } });
    expect(convert(by, replayed, OLD).status).toEqual({ ready: 2 });
    expect(convert(by, { ...now, status: { ready: 3 } } as Loose, OLD).status).toEqual({
      ready: 3,
    });
    expect(lines).toEqual([expect.stringMatching(/rest of the status has changed since/)]);
  });

  it("is not made for a client that does not know the path, which gets all fields nevertheless", () => {
    const lines: string[] = [];
    const by = operator({}, newKey(), logTo(lines));
    const stranger = (one: KubeObject, to: string): Loose =>
      by.convertOne(one, to, "/convert/guessed") as Loose;
    for (const full of [FULL, { ...FULL, metadata: { ...FULL.metadata, uid: "w" } } as Loose]) {
      const old = stranger(full, OLD);
      expect(old.metadata.annotations?.[`${STASH}/v1`]).not.toContain("signature");
      expect(convert(by, old, V1)).toMatchObject({ spec: FULL.spec, status: { ready: 1 } });
      expect(convert(by, old, V1).status).toEqual({ ready: 1 });
    }
    // What was signed before is restored there, too: the API server may not know the path yet.
    expect(stranger(convert(by, FULL, OLD), V1).status).toEqual(FULL.status);
    expect(lines.filter((line) => line.includes("did not come to the path"))).toHaveLength(1);
  });
});

const logTo = (lines: string[]): Logger => ({
  ...silentLogger,
  warn: (_: string | object, message?: unknown) => {
    lines.push(String(message));
  },
});

describe("a signature", () => {
  it("is of every part of what it is for", () => {
    const key = newKey();
    const trust = { keys: [key] as const };
    const part = fc.record({
      use: fc.constantFrom("fields" as const, "mark" as const),
      uid: fc.string({ minLength: 1, maxLength: 3 }),
      version: fc.constantFrom("v1", "v2"),
      generation: fc.option(fc.nat(3), { nil: undefined }),
      text: fc.string({ maxLength: 3 }),
    });
    fc.assert(
      fc.property(part, part, (one: Signed, other: Signed) => {
        const signature = signatureOf(key, one);
        const { generation: signed, ...same } = one;
        const { generation: now, ...asked } = other;
        const isOf = sameJson(same, asked);
        const isThen = signed === undefined || signed === now || signed + 1 === now;
        expect(isSigned(trust, signature, other)).toBe(isOf && isThen);
        expect(isSigned(trust, signature, one)).toBe(true);
        expect(isSigned({ keys: [newKey()] }, signature, one)).toBe(false);
        expect(isSigned({ keys: [newKey(), key] }, signature, one)).toBe(true);
      }),
      { numRuns: 2000, seed: 5 },
    );
  });
});

describe("fields that are too large for annotations", () => {
  const large = "x".repeat(263_000);
  const big = widget(V1, { spec: { size: 1, image: large } });

  it("are not shown where an object is read, which cannot be written then", () => {
    const by = operator({ mistakes: () => [] });
    const old = convert(by, big, OLD);
    expect(old.spec).toEqual({ size: 1 });
    expect(old.metadata).not.toHaveProperty("annotations");
    expect(Object.keys(old.metadata.labels ?? {})).toEqual([`${STASH}/v1`]);
    for (const generation of [4, 5]) {
      const written = { ...old, metadata: { ...old.metadata, generation } } as Loose;
      expect(() => convert(by, written, V1)).toThrow(
        /v1alpha1 does not show all of its fields: those that only .*v1 has are too large .* write it in .*v1, or make/,
      );
    }
    // Somebody else's label, or that of another object, refuses nothing.
    for (const metadata of [{ uid: "v" }, { labels: { [`${STASH}/v1`]: "too-large" } }]) {
      const other = { ...old, metadata: { ...old.metadata, ...metadata } } as unknown as Loose;
      expect(convert(by, other, V1).metadata).not.toHaveProperty("labels");
    }
  });

  it("are not shown either when the object's own annotations take all of the space", () => {
    const by = operator({ mistakes: () => [] });
    const own = { mine: "x".repeat(256 * 1024 - "mine".length) };
    const old = convert(by, annotated(FULL, own), OLD);
    expect(old.metadata.annotations).toEqual(own);
    expect(() => convert(by, old, V1)).toThrow("does not show all of its fields");
  });

  it("are refused on the way to the stored version, unless objects of the other one are stored", () => {
    const old = widget(OLD, { spec: { note: large } });
    expect(() => convert(operator(), old, V1)).toThrow(/are too large: .* limit is 262144/);
    const stored = convert(operator({ stored: ["v1alpha1", "v1"] }), old, V1);
    expect(stored.metadata.labels).toEqual({ [`${STASH}/v1alpha1`]: "too-large" });
    expect(convert(operator(), stored, OLD).spec).toEqual({});
    // The version that is stored decides, not the one that the converter calls the hub.
    const back = operator({ storage: "v1alpha1", stored: ["v1alpha1"], mistakes: () => [] });
    expect(() => convert(back, big, OLD)).toThrow(/are too large: .* limit is 262144/);
    expect(convert(back, old, V1).metadata.labels).toHaveProperty([`${STASH}/v1alpha1`]);
  });

  it("are refused in an object that is not in the storage yet", () => {
    const unborn = widget(V1, { spec: big.spec }, { uid: undefined });
    expect(() => convert(operator(), unborn, OLD)).toThrow(/are too large/);
  });
});
