import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { CustomResource, Resource } from "../../src/index.ts";
import type { Content, Converter } from "../../src/kube/webhooks/conversion.ts";
import type { KubeObject, Sent, SentObject } from "../../src/kube/object.ts";
import type { Schema } from "../../src/kube/schema/structural.ts";
import { ConversionWebhook } from "../../src/markers/webhook.ts";
import { checkConversion } from "../../src/testing.ts";

const GROUP = "shop.example.com";

interface Port {
  name: string;
  port: number;
  protocol?: string;
}
type Text = Record<string, string>;

interface HubSpec {
  replicas?: number;
  memory?: { amount: number; unit: string };
  ports?: Port[];
  labels?: Text;
  target?: number | string;
  big?: number | bigint;
  extra?: unknown;
  mode: string;
  hosts?: string[];
  schedule?: string;
}

interface OldSpec {
  size?: number;
  memory?: string;
  ports?: { name: string; port: number; note?: string }[];
  labels?: Text;
  target?: number | string;
  big?: number | bigint;
  extra?: unknown;
  mode: string;
  hosts?: string;
}

@Resource({ group: GROUP, version: "v1", plural: "widgets", kind: "Widget" })
class Widget extends CustomResource<HubSpec, { ready?: number; phase?: string }> {}

@Resource({ group: GROUP, version: "v1alpha1", plural: "widgets", kind: "Widget" })
class OldWidget extends CustomResource<OldSpec, { ready?: number }> {}

const int: Schema = { type: "integer" };
const text: Schema = { type: "string" };
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: "object",
  properties,
  ...(required.length > 0 ? { required } : {}),
});
const shared = {
  labels: { type: "object", additionalProperties: text },
  target: {
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "integer" }, { type: "string" }],
  },
  big: { type: "integer", format: "int64" },
  extra: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  mode: { type: "string", enum: ["Auto", "Off"], default: "Auto" },
} satisfies Record<string, Schema>;
const ports = (more: Record<string, Schema>): Schema => ({
  type: "array",
  maxItems: 5,
  items: object({ name: text, port: { ...int, minimum: 1, maximum: 65535 }, ...more }, [
    "name",
    "port",
  ]),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
});
const hubSchema = object(
  {
    spec: {
      ...object(
        {
          ...shared,
          replicas: { ...int, format: "int32", minimum: 0 },
          memory: object(
            { amount: { ...int, minimum: 0 }, unit: { ...text, enum: ["Mi", "Gi"] } },
            ["amount", "unit"],
          ),
          ports: ports({ protocol: { ...text, enum: ["TCP", "UDP"], default: "TCP" } }),
          hosts: {
            type: "array",
            items: { type: "string", pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$", maxLength: 20 },
            "x-kubernetes-list-type": "set",
          },
          schedule: { type: "string", format: "date-time", nullable: true },
        },
        ["mode"],
      ),
      "x-kubernetes-validations": [{ rule: "!has(self.replicas) || self.replicas != 7" }],
    },
    status: object({ ready: int, phase: text }),
  },
  ["spec"],
);
const oldSchema = object(
  {
    spec: object(
      {
        ...shared,
        size: { ...int, format: "int32", minimum: 0 },
        memory: { type: "string", pattern: "^[0-9]{1,6}(Mi|Gi)$" },
        ports: ports({ note: text }),
        hosts: { type: "string", pattern: "^([a-z]+(,[a-z]+)*)?$" },
      },
      ["mode"],
    ),
    status: object({ ready: int }),
  },
  ["spec"],
);
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${GROUP}` },
  spec: {
    versions: [
      { name: "v1", schema: { openAPIV3Schema: hubSchema } },
      { name: "v1alpha1", schema: { openAPIV3Schema: oldSchema } },
    ],
  },
} as SentObject;

@ConversionWebhook(Widget, OldWidget)
class Good implements Converter<Widget, OldWidget> {
  toHub({ spec, status }: Sent<OldWidget>): Content<Widget> {
    const { size, memory, ports, hosts, ...rest } = spec;
    const [, amount, unit = ""] = /^([0-9]+)(.*)$/.exec(memory ?? "") ?? [];
    return {
      spec: {
        ...rest,
        replicas: size === 7 ? undefined : size,
        memory: memory === undefined ? undefined : { amount: Number(amount), unit },
        ports: ports?.map(({ name, port }) => ({ name, port })),
        hosts: hosts === undefined ? undefined : [...new Set(hosts.split(",").filter(Boolean))],
      },
      status,
    } as Content<Widget>;
  }

  fromHub({ spec, status }: Sent<Widget>): Content<OldWidget> {
    const { replicas, memory, ports, hosts, ...rest } = spec;
    delete rest.schedule;
    const plain = hosts?.every((host) => /^[a-z]+$/.test(host));
    const small = memory && memory.amount < 1_000_000;
    return {
      spec: {
        ...rest,
        size: replicas,
        memory: small ? `${memory.amount}${memory.unit}` : undefined,
        ports: ports?.map(({ name, port }) => ({ name, port })),
        hosts: plain ? hosts?.join(",") : undefined,
      },
      status: status && { ready: status.ready },
    } as Content<OldWidget>;
  }
}

describe("checkConversion", () => {
  it("sends 10,000 random objects there and back, and names the fields that only the annotation keeps", async () => {
    const report = await checkConversion(new Good(), { crd, runs: 5000 });
    expect(report.objects).toBeGreaterThan(9900);
    expect(report.kept).toEqual({
      hub: ["spec.hosts", "spec.memory", "spec.ports[].protocol", "spec.schedule", "status.phase"],
      spoke: ["spec.hosts", "spec.memory", "spec.ports[].note", "spec.size"],
    });
  }, 120_000);

  const failure = (
    converter: Converter<Widget, OldWidget>,
    options: object = {},
  ): Promise<string> =>
    checkConversion(converter, { crd, runs: 300, ...options }).then(
      () => "no mistake",
      (error: unknown) => String(error),
    );

  it("names what is lost when nothing is kept, with the smallest object and a seed that shows it again", async () => {
    const message = await failure(new Good(), { lossless: false });
    expect(message).toMatch(
      /Good: (spec\.\S+) of v1alpha1 is .+, but .+ after the way to v1 and back\. The smallest object found \(seed \d+\): \{"apiVersion":"shop.example.com\/v1alpha1","kind":"Widget","spec":\{"mode":"(Auto|Off)",[^,{]+(\[\{[^{]+\}\])?\}\}$/,
    );
    const seed = Number(/seed (\d+)/.exec(message)?.[1]);
    expect(await failure(new Good(), { lossless: false, seed, runs: 1 })).toBe(message);
  });

  @ConversionWebhook(Widget, OldWidget)
  class Mixed extends Good {
    override fromHub(hub: Sent<Widget>): Content<OldWidget> {
      const content = super.fromHub(hub);
      const { labels = {}, ...spec } = content.spec;
      const { a, b, ...others } = labels;
      const swapped = {
        ...others,
        ...(a === undefined ? {} : { b: a }),
        ...(b === undefined ? {} : { a: b }),
      };
      return { ...content, spec: { ...spec, labels: swapped } };
    }
  }

  @ConversionWebhook(Widget, OldWidget)
  class Counting extends Good {
    #calls = 0;
    override toHub(old: Sent<OldWidget>): Content<Widget> {
      const content = super.toHub(old);
      return { ...content, status: { ready: this.#calls++ } };
    }
  }

  @ConversionWebhook(Widget, OldWidget)
  class Unallowed extends Good {
    override toHub(old: Sent<OldWidget>): Content<Widget> {
      const content = super.toHub(old);
      return { ...content, spec: Object.assign({ size: 3 }, content.spec) };
    }
  }

  @ConversionWebhook(Widget, OldWidget)
  class OutOfRange extends Good {
    override fromHub(hub: Sent<Widget>): Content<OldWidget> {
      const content = super.fromHub(hub);
      return { ...content, spec: { ...content.spec, mode: "Bogus" } };
    }
  }

  @ConversionWebhook(Widget, OldWidget)
  class Throwing extends Good {
    override fromHub(hub: Sent<Widget>): Content<OldWidget> {
      if (hub.spec.extra === undefined) throw new Error("no extra");
      return super.fromHub(hub);
    }
  }

  const cases: [string, Converter<Widget, OldWidget>, RegExp][] = [
    [
      "mixes fields up",
      new Mixed(),
      /Mixed: without the annotation spec\.labels.* toHub and fromHub do not undo each other/,
    ],
    [
      "says something else each time",
      new Counting(),
      /Counting: status\.ready of v1 is \d+ the first time and \d+ the next time/,
    ],
    [
      "makes a field that the schema does not have",
      new Unallowed(),
      /not valid in v1: spec\.size: the schema does not have this field/,
    ],
    [
      "makes a value that the schema does not allow",
      new OutOfRange(),
      /not valid in v1alpha1: spec\.mode: Unsupported value: "Bogus"/,
    ],
    [
      "throws",
      new Throwing(),
      /Throwing: Widget default\/one cannot be converted .*Throwing\.fromHub threw Error: no extra/,
    ],
  ];
  it.each(cases)("catches a converter that %s", async (_, converter, message) => {
    expect(await failure(converter)).toMatch(message);
  });

  it("reads the CRD that was generated", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tsop-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await expect(checkConversion(new Good(), { folder })).rejects.toThrow(
      "manifests cannot be read",
    );
    mkdirSync(join(folder, "crd/bases"), { recursive: true });
    await expect(checkConversion(new Good(), { folder })).rejects.toThrow(
      `no CRD widgets.${GROUP}`,
    );
    writeFileSync(join(folder, "crd/bases/w.yaml"), JSON.stringify(crd));
    expect((await checkConversion(new Good(), { folder, runs: 20 })).objects).toBe(40);
  });

  it("says when no random object is allowed", async () => {
    const impossible = structuredClone(crd) as KubeObject & {
      spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
    };
    const [, v1] = impossible.spec.versions;
    Object.assign(v1?.schema.openAPIV3Schema ?? {}, {
      "x-kubernetes-validations": [{ rule: "has(self.spec) && !has(self.spec)" }],
    });
    await expect(checkConversion(new Good(), { crd: impossible, runs: 10 })).rejects.toThrow(
      "Only 0 of 10 random objects were allowed by the schema of v1alpha1.",
    );
  });

  it("has the objects prepared for rules that chance does not meet", async () => {
    const singleton = structuredClone(crd) as KubeObject & {
      spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
    };
    for (const { schema } of singleton.spec.versions) {
      const rules = [{ rule: "self.metadata.name == 'only'" }];
      Object.assign(schema.openAPIV3Schema, { "x-kubernetes-validations": rules });
    }
    const prepare = (one: SentObject): void => {
      one.metadata.name = "only";
    };
    const report = await checkConversion(new Good(), { crd: singleton, runs: 10, prepare });
    expect(report.objects).toBe(20);
  });

  it("refuses what is no converter", async () => {
    await expect(checkConversion({} as Converter<Widget, OldWidget>)).rejects.toThrow(
      "does not specify which versions it converts",
    );
  });
});
