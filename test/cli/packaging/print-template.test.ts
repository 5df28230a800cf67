/** No text of an object can become an expression of the chart: Helm gives back what went in. */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { chartFiles } from "../../../src/cli/packaging/helm/chart.ts";
import { printTemplate } from "../../../src/cli/packaging/helm/print-template.ts";
import type { Json, ManifestObject } from "../../../src/kube/object.ts";
import { ChartFolder } from "../../support/helm.ts";
import { hasKubectl } from "../../support/kubectl.ts";

/** Texts of the pieces that are code to Go templates, YAML, or an earlier form of the chart. */
const PIECES = [
  ..."{ }} {{ {{- -}} {{/* */}} ` ' \" \\ \n \r \t \x02 \x03 \x7f \u0085 \u2028 \ufeff : # - | > & * ! % @ , [ ]".split(
    " ",
  ),
  ...[
    " ",
    "\n\n",
    "\n ",
    "0",
    "yes",
    "~",
    "ä",
    "日本",
    "😀",
    "a",
    ".Release.Name",
    "lookup",
    "nindent 4",
    "I",
    "tsopBlock",
  ],
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "grapheme", maxLength: 6 })), {
    maxLength: 12,
  })
  // Half a surrogate pair is no text: UTF-8 cannot hold it.
  .map((parts) => parts.join("").replaceAll(/\p{Cs}/gu, ""));
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const mapping = fc.dictionary(text, json, { maxKeys: 4 });

it("writes plain JSON without any expression, and YAML reads it back", () => {
  fc.assert(
    fc.property(mapping, (value) => {
      const written = printTemplate(value);
      expect(written).not.toContain("{{");
      expect(parse(written, { version: "1.1", strict: true })).toEqual(value);
    }),
    { numRuns: 300 },
  );
});

const crd = (name: string, description: unknown): ManifestObject =>
  ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: { group: "web.example.org", description },
  }) as unknown as ManifestObject;

const operator = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "op-controller-manager", namespace: "op-system" },
  spec: {
    selector: { matchLabels: { "control-plane": "controller-manager" } },
    template: {
      metadata: { labels: { "control-plane": "controller-manager" } },
      spec: { containers: [{ name: "manager", image: "controller:latest" }] },
    },
  },
} as unknown as ManifestObject;

const chartOf = (objects: readonly ManifestObject[]): ChartFolder =>
  new ChartFolder(
    chartFiles({
      projectName: "op",
      version: "0.1.0",
      description: "{{ .Release.Name }}",
      image: undefined,
      objects,
    }),
  );

describe.skipIf(!hasKubectl)("helm", () => {
  // One run of helm for all: a CRD of each value.
  const values = fc.sample(mapping, { numRuns: 200, seed: 3 });
  const lookup =
    '\x02 lookup "v1" "Secret" "default" "op" | toJson \x03 {{ fail "run" }} \\x02 x \\x03';
  values.push({ description: lookup, pattern: '^\x02 printf "pwn-%s" .Release.Namespace \x03$' });
  const chart = chartOf([operator, ...values.map((value, index) => crd(`c${index}.x.y`, value))]);
  afterAll(() => chart[Symbol.dispose]());

  it("gives back every text of a CRD", async () => {
    const rendered = await chart.template({ crds: { keep: false } });
    for (const [index, value] of values.entries()) {
      const found = rendered.find(({ metadata }) => metadata.name === `c${index}.x.y`);
      expect(found).toMatchObject({ spec: { group: "web.example.org" } });
      expect((found as unknown as { spec: { description: unknown } }).spec.description).toEqual(
        value,
      );
    }
  });

  it("gives back annotations, arguments and variables", async () => {
    const hostile = 'a {{ .Release.Name }} \x02 .Values.x \x03 {{"x"}} {{/* } {';
    const deployment = structuredClone(operator) as unknown as {
      metadata: object;
      spec: { template: { metadata: object; spec: { containers: object[] } } };
    };
    const container = {
      name: "manager",
      image: "registry/x:1",
      args: [hostile],
      env: [{ name: hostile, value: hostile }],
      command: [hostile],
    };
    deployment.spec.template.spec.containers = [container];
    Object.assign(deployment.metadata, { annotations: { [hostile]: hostile } });
    Object.assign(deployment.spec.template.metadata, { annotations: { [hostile]: hostile } });
    using folder = chartOf([deployment as unknown as ManifestObject]);
    const [rendered] = await folder.template();
    expect(rendered).toMatchObject({
      metadata: { annotations: { [hostile]: hostile } },
      spec: {
        template: {
          metadata: { annotations: { [hostile]: hostile } },
          spec: { containers: [container] },
        },
      },
    });
  });
});

it("keeps files in the folder of the chart, one for each object", () => {
  const evil = (kind: string, name: string): ManifestObject => ({
    apiVersion: "x/v1",
    kind,
    metadata: { name },
  });
  const objects = [
    operator,
    evil("../../X", "../../../etc/x"),
    evil("Thing", "A"),
    evil("Thing", "a"),
    { ...evil("Thing", "a"), apiVersion: "y/v1" },
  ];
  const files = chartFiles({
    projectName: "op",
    version: "1.0.0",
    description: "",
    image: undefined,
    objects,
  });
  const paths = [...files.keys()].filter((path) => path.startsWith("templates/"));
  expect(paths.filter((path) => path.includes(".."))).toEqual([]);
  expect(paths.filter((path) => /thing-a/i.test(path))).toHaveLength(3);
  expect(paths).toHaveLength(objects.length + 3); // the budget, the helpers and the notes
});
