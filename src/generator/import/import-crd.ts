/**
 * Turns CRDs into decorated classes: `tsop import` without reading and writing files.
 *
 * `tsop manifests` makes the same CRD of the classes again, in the same words.
 */
import { type CrdDefinition, readDefinition, refusal } from "./definition.ts";
import { type SharedSchema, kindSource } from "./kind-source.ts";
import { normalSchema } from "./normal-schema.ts";

interface ImportedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly versions: readonly string[];
}

export interface Imported {
  readonly kind: ImportedKind;
  /** The sources by their path in the project. */
  readonly files: ReadonlyMap<string, string>;
  /** Differences from the CRD, and changes that made it one of `v1`. */
  readonly notes: readonly string[];
}

export interface ImportCrdOptions {
  /** A suffix that tells the file from that of another kind of this name. */
  readonly suffix?: string;
  /** True: the CRD is somebody else's. False: it is the project's, although its group does not say so. */
  readonly external?: boolean;
}

/**
 * Imports one definition, as parsed from YAML or JSON.
 *
 * @param from - where it was found, for errors
 * @throws TsopError `not-a-crd`
 */
export function importCrd(
  found: unknown,
  from: string,
  { suffix = "", external }: ImportCrdOptions = {},
): Imported {
  const notes: string[] = [];
  const definition = readDefinition(found, from, notes);
  const { group, names, versions } = definition.spec;
  if (definition.spec.preserveUnknownFields === true) {
    notes.push("spec.preserveUnknownFields: true does not exist in v1; it was omitted.");
  }
  const name = `${names.plural}.${group}`;
  if (definition.metadata.name !== undefined && definition.metadata.name !== name) {
    notes.push(`metadata.name was ${definition.metadata.name}; it must be ${name}.`);
  }
  const left = Object.entries(definition.metadata).filter(
    ([field, value]) => !KEPT.has(field) && isSaid(value),
  );
  for (const [field] of left) {
    notes.push(`metadata.${field} was omitted because it belongs to one object in one cluster.`);
  }
  notes.push(...conversionNotes(definition.spec, external === true));
  const files = new Map<string, string>();
  const written = new Map<string, SharedSchema>();
  versions.forEach((version, index) => {
    const schema = normalSchema(
      version.schema?.openAPIV3Schema,
      version.name,
      notes,
      refusal(from),
    );
    const key = JSON.stringify(schema);
    const file = `${safeName(`${names.kind} ${suffix}`)}.ts`;
    const folder = safeName(version.name);
    const shared = written.get(key);
    const source = kindSource(definition, version, schema, {
      first: index === 0,
      shared,
      external,
    });
    files.set(`src/api/${folder}/${file}`, source.text);
    if (source.types && !written.has(key)) {
      written.set(key, { module: `../${folder}/${file}`, types: source.types });
    }
  });
  const kind = {
    group,
    kind: names.kind,
    plural: names.plural,
    versions: versions.map(({ name }) => name),
  };
  return { kind, files, notes: [...new Set(notes)] };
}

/** Notes on somebody else's conversion, for those who import the kind. */
function conversionNotes(
  { conversion, versions }: CrdDefinition["spec"],
  external: boolean,
): string[] {
  if (conversion?.["strategy"] !== "Webhook") return [];
  const stored = versions.find(({ storage }) => storage === true)?.name ?? "the storage version";
  return external
    ? [
        `spec.conversion: the owner of the CRD converts its versions. Tests and \`tsop dev\` do not run its conversion webhook, so use ${stored} there.`,
      ]
    : [
        "spec.conversion: the API server keeps calling the webhook that it names, with its caBundle. To convert in this project, run `tsop create webhook --conversion`, which replaces it.",
      ];
}

/** Metadata that becomes code, or that the server makes anew. */
const KEPT = new Set(
  "name annotations labels creationTimestamp generation managedFields resourceVersion selfLink uid".split(
    " ",
  ),
);

const isSaid = (value: unknown): boolean =>
  value !== null && value !== undefined && (!Array.isArray(value) || value.length > 0);

/** A name that is not a path: letters, digits and dashes, in lower case. */
function safeName(name: string): string {
  const safe = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return safe.replaceAll(/^-+|-+$/g, "") || "unnamed";
}
