import { AdmissionPlugins } from "../../../src/controlplane/admission-plugins.ts";
import { describe, expect, it } from "vitest";
import type { FieldError } from "../../../src/kube/field-errors.ts";
import { encodeJson } from "../../../src/kube/json.ts";
import { validateObjectMeta } from "../../../src/kube/metadata.ts";
import type { SentObject } from "../../../src/kube/object.ts";
import { applyJsonPatch } from "../../../src/kube/patch.ts";
import type { Definition } from "../../../src/kube/definition/definition.ts";
import { definitionStrategy } from "../../../src/controlplane/crd/definition-strategy.ts";
import { servedResourcesOf } from "../../../src/controlplane/crd/served-resources.ts";
import type { ServedResource, WriteContext } from "../../../src/controlplane/kinds.ts";
import { VirtualClock } from "../../../src/clock.ts";
import { describeShared } from "../../support/shared.ts";
import { corpusDefinition, corpusLines, corpusText, corpusYaml, type Verdict } from "./corpus.ts";

interface Sample extends Verdict {
  readonly file: string;
}

interface Suite extends Verdict {
  readonly name: string;
  readonly op: "create" | "update";
  readonly initial: string;
  readonly updated?: string;
  readonly statusUpdate?: Omit<Verdict, "crd">;
}

interface Mutation extends Verdict {
  readonly sample: string;
  readonly mutation: string;
  readonly patch: object[];
}

/** A block scalar at the end of a file without a final newline: it gets one here. */
const OTHER_YAML = new Set(["samples/kubevela/componentdefinitions.core.oam.dev.a3b384b9.yaml"]);

const OWNER = "metadata.ownerReferences[0]";

/** What 1.37 answers otherwise than 1.36, which the verdicts are of: owner references are told by their index. */
const RETOLD: Readonly<Record<string, Verdict["errors"]>> = {
  "crds/tektoncd-operator/extensions.dashboard.tekton.dev.yaml": ["name", "uid"].map((field) => ({
    type: "FieldValueRequired",
    field: `${OWNER}.${field}`,
    detail: "must not be empty",
  })),
};

const context: WriteContext = {
  user: { name: "test", groups: [] },
  dryRun: false,
  clock: new VirtualClock(),
  plugins: new AdmissionPlugins(),
  find: () => undefined,
  list: () => [],
  pluralOf: () => undefined,
  may: () => true,
  putStatus: () => undefined,
  warn: () => undefined,
};

/** Reading YAML takes most of the time; `TSOP_CORPUS=all` reads the large definitions as well. */
const MAX_CHARACTERS = process.env["TSOP_CORPUS"] === "all" ? Infinity : 100_000;

const parsed = new Map<string, Definition | undefined>();

/** A definition as its file has it. */
function readDefinition(file: string): Definition | undefined {
  if (!parsed.has(file)) {
    const text = corpusText(file);
    parsed.set(file, text.length > MAX_CHARACTERS ? undefined : corpusDefinition(text));
  }
  return structuredClone(parsed.get(file));
}

/** A definition as it is stored: with its defaults, established. */
function definitionOf(file: string): Definition | undefined {
  const definition = readDefinition(file);
  if (!definition) return undefined;
  definitionStrategy.setDefaults(definition);
  definitionStrategy.prepareForCreate(definition, context);
  definition.status = {
    ...definition.status,
    acceptedNames: definition.spec.names ?? {},
    conditions: [{ type: "Established", status: "True" }],
  };
  return definition;
}

const servedBy = new Map<string, readonly ServedResource[]>();

function resourceFor(file: string, object: SentObject): ServedResource | undefined {
  let served = servedBy.get(file);
  if (!served) {
    const definition = definitionOf(file);
    for (const version of definition?.spec.versions ?? []) version.served = true;
    servedBy.set(file, (served = definition ? servedResourcesOf(definition) : []));
  }
  return served.find(({ group, version }) => object.apiVersion === `${group}/${version}`);
}

/** Errors as the corpus has them. */
const shown = (errors: readonly FieldError[]): string[] =>
  errors.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort();

/** Whether two lists of errors are the same; a verdict has the detail of the message, cut when it is long. */
function sameErrors(actual: readonly FieldError[], expected: Verdict["errors"]): boolean {
  const open = [...actual];
  for (const { type, field, detail } of expected) {
    const index = open.findIndex(
      (error) => error.reason === type && error.field === field && error.message.includes(detail),
    );
    if (index < 0) return false;
    open.splice(index, 1);
  }
  return open.length === 0;
}

function metadataErrors(object: SentObject, resource: ServedResource): FieldError[] {
  if (resource.namespaced) object.metadata.namespace ??= "default";
  return validateObjectMeta(object.metadata, resource.namespaced, (name, prefix) =>
    resource.strategy.validateName(name, prefix),
  );
}

/** What is stored, without its metadata. */
function contentOf(object: SentObject): Record<string, unknown> {
  const content = { ...object } as Record<string, unknown>;
  delete content["metadata"];
  return content;
}

interface Tally {
  cases: number;
  unreadable: number;
  readonly differences: string[];
}

function judge(
  tally: Tally,
  name: string,
  verdict: Omit<Verdict, "crd">,
  actual: readonly FieldError[],
  object: SentObject,
): void {
  tally.cases++;
  // The verdicts do not cover the values of scales: their fields start with a dot.
  actual = actual.filter(({ field }) => !field.startsWith("."));
  const expected = verdict.errors;
  if (!sameErrors(actual, expected)) {
    tally.differences.push(
      `${name}\n  got  ${shown(actual).join("\n       ")}\n  want ${verdict.errors.map((e) => `${e.type} ${e.field}: ${e.detail}`).join("\n       ")}`,
    );
  } else if (verdict.stored && !OTHER_YAML.has(name)) {
    try {
      expect(contentOf(object)).toEqual(verdict.stored);
    } catch (error) {
      tally.differences.push(`${name}: stored ${String(error).slice(0, 600)}`);
    }
  }
}

function report(tally: Tally, title: string): void {
  console.log(
    `${title}: ${tally.cases} cases, ${tally.differences.length} different; ` +
      `${tally.unreadable} left out (too large, see MAX_CHARACTERS, or YAML that is not read here)`,
  );
  expect(tally.differences).toEqual([]);
}

const newTally = (): Tally => ({ cases: 0, unreadable: 0, differences: [] });

/** The suites' objects often have no metadata; their verdicts are about objects named so. */
function nameIt(object: { metadata?: SentObject["metadata"] }): void {
  object.metadata = { name: "test", ...object.metadata };
}

/** Creates an object; as the server does, in its order. */
function create(
  tally: Tally,
  name: string,
  verdict: Verdict,
  object: SentObject | undefined,
  summaryLeftOut = false,
): void {
  const resource = object && resourceFor(verdict.crd, object);
  if (!resource || verdict.decodeError !== undefined) {
    tally.unreadable++;
    return;
  }
  nameIt(object);
  const unknown = resource.dropUnknown?.(object) ?? [];
  resource.strategy.setDefaults(object);
  resource.strategy.prepareForCreate(object, context);
  const errors = [
    ...metadataErrors(object, resource),
    ...resource.strategy.validateCreate(object, context),
  ].filter(({ message }) => !summaryLeftOut || !message.includes("rules were not checked"));
  judge(tally, name, verdict, errors, object);
  if (verdict.unknownFields && unknown.join() !== verdict.unknownFields.join()) {
    tally.differences.push(
      `${name}: unknown\n  got  ${unknown.join()}\n  want ${verdict.unknownFields.join()}`,
    );
  }
}

describeShared("corpus", "The CRD corpus", () => {
  describe("definitions", () => {
    it("are accepted and refused as by the API server", { timeout: 120_000 }, () => {
      const tally = newTally();
      for (const verdict of corpusLines<Sample>("expected", "crds.jsonl")) {
        const definition = readDefinition(verdict.file);
        if (!definition) {
          tally.unreadable++;
          continue;
        }
        tally.cases++;
        definitionStrategy.setDefaults(definition);
        definitionStrategy.prepareForCreate(definition, context);
        const errors = [
          ...validateObjectMeta(definition.metadata, false, (name, prefix) =>
            definitionStrategy.validateName(name, prefix),
          ),
          ...definitionStrategy.validateCreate(definition, context),
        ];
        const all = verdict.errors as Verdict["errors"] | undefined;
        const expected = RETOLD[verdict.file] ?? all ?? [];
        if (!sameErrors(errors, expected)) {
          const want = expected.map((e) => `${e.type} ${e.field}: ${e.detail}`).join("\n       ");
          const got = shown(errors).join("\n       ").slice(0, 3000);
          tally.differences.push(`${verdict.file}\n  got  ${got}\n  want ${want}`);
        }
      }
      report(tally, "definitions");
    });
  });

  describe("objects", () => {
    it("are pruned, defaulted and judged as by the API server", { timeout: 120_000 }, () => {
      const tally = newTally();
      for (const verdict of corpusLines<Sample>("expected", "samples.jsonl")) {
        const object = corpusYaml(corpusText(verdict.file)) as SentObject | undefined;
        // These verdicts lack the line that says that rules were not run.
        create(tally, verdict.file, verdict, object, true);
      }
      report(tally, "objects");
    });

    it("with one change are judged as by the API server", { timeout: 120_000 }, () => {
      const tally = newTally();
      for (const verdict of corpusLines<Mutation>("suites", "mutations.jsonl.gz")) {
        const sample = corpusYaml(corpusText(verdict.sample));
        const object =
          sample === undefined ? undefined : (applyJsonPatch(sample, verdict.patch) as SentObject);
        create(
          tally,
          `${verdict.sample} ${encodeJson(verdict.patch)}`,
          verdict,
          object || undefined,
        );
      }
      report(tally, "changes");
    });

    it("are created and updated as OpenShift's suites expect", { timeout: 120_000 }, () => {
      const tally = newTally();
      for (const verdict of corpusLines<Suite>("suites", "create-update.jsonl.gz")) {
        const name = `${verdict.crd} ${verdict.name}`;
        const initial = corpusYaml(verdict.initial) as SentObject;
        if (verdict.op === "create") create(tally, name, verdict, initial);
        else update(tally, name, verdict, initial);
      }
      report(tally, "suites");
    });
  });
});

function fromStatus(errors: Verdict["errors"]): Verdict["errors"] {
  return errors.map((error) => ({
    ...error,
    field: error.field === "<nil>" && !error.detail.startsWith("some ") ? "status" : error.field,
    detail: error.detail.replace(/^status\.|(?<=in |")status\./g, ""),
  }));
}

function update(tally: Tally, name: string, verdict: Suite, old: SentObject): void {
  const resource = resourceFor(verdict.crd, old);
  const updated = corpusYaml(verdict.updated ?? "") as SentObject;
  if (!resource) {
    tally.unreadable++;
    return;
  }
  const status = resource.subresources.find((one) => one.name === "status")?.strategy;
  const endpoints: [string, Omit<Verdict, "crd"> | undefined, typeof status][] = [
    ["", verdict, resource.strategy],
    [" /status", verdict.statusUpdate, status],
  ];
  nameIt(old);
  resource.strategy.setDefaults(old);
  for (const [suffix, expected, strategy] of endpoints) {
    if (!expected || !strategy) continue;
    const object = structuredClone(updated);
    nameIt(object);
    resource.dropUnknown?.(object);
    resource.strategy.setDefaults(object);
    strategy.prepareForUpdate(object, old, context);
    const errors = strategy.validateUpdate(object, old, context);
    // In these verdicts the texts have paths from the root; an answer to /status has them from the status.
    const onStatus = suffix !== "";
    const wanted = onStatus ? { ...expected, errors: fromStatus(expected.errors) } : expected;
    judge(tally, name + suffix, wanted, errors, object);
  }
}
