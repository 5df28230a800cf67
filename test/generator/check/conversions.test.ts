import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { formatDiagnostic } from "../../../src/errors.ts";
import { generateFrom, told } from "./mistakes-table.ts";

interface Options {
  readonly kind?: string;
  readonly options?: string;
}

/** `PageV1` and the like, in files of their own; the class stands on line 4. */
const version = (name: string, { kind = "Page", options = "" }: Options = {}): string =>
  `import { CustomResource, Resource } from "tsop";
export class ${kind}Spec { in${name}!: string }
@Resource({ group: "web.example.com", version: "${name}", kind: "${kind}"${options} })
export class ${kind}${name.toUpperCase()} extends CustomResource<${kind}Spec> {}
`;

const imports = `import { ConversionWebhook, type Content, type Converter } from "tsop";
import { PageV1 } from "./v1.ts";
import { PageV2 } from "./v2.ts";
import { PageV3 } from "./v3.ts";
import { Other } from "./other.ts";
`;

/** A file of converters; the first of them stands on line 6. */
const converters = (...pairs: string[]): string =>
  imports +
  pairs.map((pair, index) => `@ConversionWebhook(${pair})\nexport class C${index} {}\n`).join("");

const STORED = { options: ", storage: true" };
const VERSIONS = { "v1.ts": version("v1"), "v2.ts": version("v2", STORED) };

describe("a converter", () => {
  it("makes the CRD's conversion, and tells kustomize that it names a Service", async () => {
    const { files, diagnostics } = await generateFrom({
      ...VERSIONS,
      "c.ts": converters("PageV2, PageV1"),
    });
    expect(diagnostics).toEqual([]);
    const crd = parse(files.get("config/crd/bases/web.example.com_pages.yaml") ?? "") as {
      spec: { conversion: unknown };
    };
    expect(crd.spec.conversion).toEqual({
      strategy: "Webhook",
      webhook: {
        clientConfig: {
          service: { name: "webhook-service", namespace: "system" },
        },
        conversionReviewVersions: ["v1"],
      },
    });
    expect(parse(files.get("config/crd/kustomization.yaml") ?? "")).toMatchObject({
      resources: ["bases/web.example.com_pages.yaml"],
      configurations: ["kustomizeconfig.yaml"],
    });
    expect(files.get("config/crd/kustomizeconfig.yaml")).toContain(
      "spec/conversion/webhook/clientConfig/service/name",
    );
  });

  it("leaves kinds without one alone", async () => {
    const { files } = await generateFrom({ "v1.ts": version("v1") });
    expect([...files.keys()]).toEqual([
      "config/crd/bases/web.example.com_pages.yaml",
      "config/crd/kustomization.yaml",
    ]);
    expect([...files.values()].join("")).not.toContain("onversion");
    expect(files.get("config/crd/kustomization.yaml")).not.toContain("configurations");
  });

  it("is followed to classes under other names, and to constants", async () => {
    const { diagnostics } = await generateFrom({
      ...VERSIONS,
      "index.ts": `export { PageV1 as Old } from "./v1.ts";\nexport * from "./v2.ts";\n`,
      "c.ts": `import * as tsop from "tsop";\nimport * as api from "./index.ts";\nimport { Old } from "./index.ts";\n@tsop.ConversionWebhook(api.PageV2, Old)\nexport class C {}\n`,
    });
    expect(diagnostics).toEqual([]);
  });

  const V3 = { ...VERSIONS, "v3.ts": version("v3", { options: ", served: false" }) };
  const cases: readonly (readonly [
    title: string,
    files: Readonly<Record<string, string>>,
    finding: string,
    fix: string,
  ])[] = [
    [
      "whose hub is not stored",
      { ...VERSIONS, "c.ts": converters("PageV1, PageV2") },
      "6 wrong-conversion: The hub of Page must be its storage version, v2, but PageV1 is v1.",
      "Swap the two: @ConversionWebhook(PageV2, PageV1), with toHub and fromHub.",
    ],
    [
      "whose hub is a spoke beside the stored version",
      { ...V3, "c.ts": converters("PageV2, PageV1", "PageV1, PageV3") },
      "8 wrong-conversion: The hub of Page must be its storage version, v2, but PageV1 is v1.",
      "Name the class of v2 first, or move storage: true to PageV1.",
    ],
    [
      "that is missing for one version, served or not",
      { ...V3, "c.ts": converters("PageV2, PageV1") },
      "4 versions-not-converted: Page has converters, but none between its version v3 and the hub v2, so objects cannot be read or written in that version.",
      "Write a class with @ConversionWebhook for it: `tsop create webhook --group web.example.com --version v2 --kind Page --conversion --spoke v3`.",
    ],
    [
      "between two kinds",
      {
        ...VERSIONS,
        "other.ts": version("v1", { kind: "Other" }).replace("OtherV1", "Other"),
        "c.ts": converters("PageV2, Other"),
      },
      "6 wrong-conversion: PageV2 is the kind Page of web.example.com, and Other the kind Other of web.example.com: nothing is converted between two kinds.",
      "Name two versions of one kind.",
    ],
    [
      "between a version and itself",
      { ...VERSIONS, "c.ts": converters("PageV2, PageV2") },
      "6 wrong-conversion: PageV2 and PageV2 are one version, v2: there is nothing to convert.",
      "Name another version of Page as the spoke.",
    ],
    [
      "of a version that has one already",
      { ...VERSIONS, "c.ts": converters("PageV2, PageV1", "PageV2, PageV1") },
      "8 wrong-conversion: There is a converter between v2 and v1 of Page already, at src/c.ts:6.",
      "Remove one of the two.",
    ],
    [
      "beside the option conversion",
      {
        "v1.ts": version("v1", { options: ", conversion: false" }),
        "v2.ts": version("v2", STORED),
        "c.ts": converters("PageV2, PageV1"),
      },
      "3 wrong-conversion: Page has a converter, at src/c.ts:6, which contradicts the option conversion.",
      "Remove the option: @ConversionWebhook writes the CRD's spec.conversion.",
    ],
    [
      "of a kind that is somebody else's",
      {
        "v1.ts": version("v1", { options: ", external: true" }),
        "v2.ts": version("v2", { options: ", external: true" }),
        "c.ts": converters("PageV2, PageV1"),
      },
      "6 wrong-conversion: The CRD of Page of web.example.com is external (external: true), so its conversion belongs to its owner.",
      "Remove the converter, or external: true when the CRD is generated here.",
    ],
    [
      "of a kind of Kubernetes",
      {
        "c.ts": `import { ConversionWebhook } from "tsop";\nimport { HorizontalPodAutoscaler, Pod } from "tsop/k8s";\nconst V1 = { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers", namespaced: true } as const;\n@ConversionWebhook(HorizontalPodAutoscaler, V1)\nexport class C {}\n`,
      },
      "4 wrong-conversion: No CRD of this project has the version v2 of HorizontalPodAutoscaler of autoscaling, which HorizontalPodAutoscaler represents.",
      "Name classes with @Resource in this project.",
    ],
    [
      "twice on one class",
      {
        ...V3,
        "c.ts": `${imports}@ConversionWebhook(PageV2, PageV1)\n@ConversionWebhook(PageV2, PageV3)\nexport class C {}\n`,
      },
      "7 wrong-conversion: A class converts between exactly two versions, but this class has @ConversionWebhook twice.",
      "Write a class for each spoke.",
    ],
    [
      "of what is no kind",
      { ...VERSIONS, "c.ts": converters("PageV2, Nothing") },
      "6 not-a-token: `Nothing` is not a kind.",
      "Pass a class with @Resource.",
    ],
    [
      "of one version",
      { ...VERSIONS, "c.ts": converters("PageV2") },
      "6 wrong-arguments: @ConversionWebhook takes two kinds: the hub (the storage version) and the spoke.",
      "Write @ConversionWebhook(Widget, WidgetV1alpha1).",
    ],
  ];
  for (const [title, files, finding, fix] of cases) {
    it(`is refused ${title}`, async () => {
      const generated = await generateFrom(files);
      expect(told(generated), generated.diagnostics.map(formatDiagnostic).join("\n")).toEqual([
        finding,
      ]);
      expect(generated.diagnostics[0]?.fix).toBe(fix);
      expect(generated.files.size).toBe(0);
    });
  }

  it("has one hub, also while no version says that it is stored", async () => {
    const generated = await generateFrom({
      ...V3,
      "v2.ts": version("v2"),
      "c.ts": converters("PageV2, PageV1", "PageV1, PageV3"),
    });
    expect(told(generated)).toEqual([
      "8 wrong-conversion: The converters of Page name two hubs, v2 and v1.",
      "4 storage-version: Page has 0 versions in which it is stored; it needs one.",
    ]);
  });
});
