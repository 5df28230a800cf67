/**
 * CustomResourceDefinitions as they are found: `v1` as it is, `v1beta1` brought up to `v1`.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import { isRecord, misshapen, type Shape } from "./shape.ts";

/** A column of a definition. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** A version of a definition. */
export interface VersionDefinition {
  readonly name: string;
  readonly served: boolean;
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: unknown };
  readonly subresources?: {
    readonly status?: object | null;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    } | null;
  } | null;
  readonly additionalPrinterColumns?: readonly ColumnDefinition[] | null;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | null;
}

/** What of a definition becomes code. */
export interface CrdDefinition {
  readonly metadata: {
    readonly name?: string;
    readonly annotations?: Readonly<Record<string, string>> | null;
    readonly labels?: Readonly<Record<string, string>> | null;
  };
  readonly spec: {
    readonly group: string;
    readonly scope?: "Namespaced" | "Cluster";
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly singular?: string;
      readonly listKind?: string;
      readonly shortNames?: readonly string[] | null;
      readonly categories?: readonly string[] | null;
    };
    readonly versions: readonly VersionDefinition[];
    readonly conversion?: Readonly<Record<string, unknown>> | null;
    readonly preserveUnknownFields?: boolean;
  };
}

type Unknown = Record<string, unknown>;

const COLUMNS: Shape = [
  {
    name: "text",
    type: "text",
    jsonPath: "text",
    JSONPath: "text",
    format: "text",
    description: "text",
    priority: "number",
  },
];

const SUBRESOURCES: Shape = {
  status: "object",
  scale: { specReplicasPath: "text", statusReplicasPath: "text", labelSelectorPath: "text" },
};

/** What of a definition is read, in both versions. */
const DEFINITION: Shape = {
  metadata: { name: "text", annotations: "object", labels: "object" },
  spec: {
    group: "text",
    version: "text",
    scope: "text",
    names: {
      kind: "text",
      plural: "text",
      singular: "text",
      listKind: "text",
      shortNames: "texts",
      categories: "texts",
    },
    preserveUnknownFields: "boolean",
    conversion: "object",
    validation: "object",
    subresources: SUBRESOURCES,
    additionalPrinterColumns: COLUMNS,
    versions: [
      {
        name: "text",
        served: "boolean",
        storage: "boolean",
        deprecated: "boolean",
        deprecationWarning: "text",
        schema: "object",
        subresources: SUBRESOURCES,
        additionalPrinterColumns: COLUMNS,
        selectableFields: [{ jsonPath: "text" }],
      },
    ],
  },
};

/** Makes the errors about one definition. */
export const refusal =
  (from: string) =>
  (what: string): TsopError =>
    new TsopError(
      "not-a-crd",
      `${from}: ${what}.`,
      "Give a CustomResourceDefinition of apiextensions.k8s.io/v1 or v1beta1.",
    );

/**
 * Reads a definition; what had to be changed to make it one of `v1` is added to `notes`.
 *
 * @throws TsopError `not-a-crd` for any other object
 */
export function readDefinition(found: unknown, from: string, notes: string[]): CrdDefinition {
  const refuse = refusal(from);
  if (!isRecord(found)) throw refuse("this is no object");
  const { apiVersion, kind, metadata, spec } = found;
  if (kind !== "CustomResourceDefinition") {
    throw refuse(`this is a ${typeof kind === "string" ? kind : "document without a kind"}`);
  }
  if (!isRecord(spec) || !isRecord(spec["names"]) || typeof spec["group"] !== "string") {
    throw refuse("it has no spec with a group and names");
  }
  const { kind: name, plural } = spec["names"];
  if (typeof name !== "string" || typeof plural !== "string") {
    throw refuse("spec.names has no kind and plural");
  }
  const problem = misshapen(found, DEFINITION, "")?.slice(1);
  if (problem !== undefined) throw refuse(problem);
  const named = { ...found, metadata: isRecord(metadata) ? metadata : {}, spec };
  if (apiVersion === "apiextensions.k8s.io/v1beta1") {
    return namedVersions(upgrade(named, notes), refuse);
  }
  if (apiVersion !== "apiextensions.k8s.io/v1") {
    throw refuse(`its apiVersion is ${JSON.stringify(apiVersion)}`);
  }
  if (!Array.isArray(spec["versions"]) || spec["versions"].length === 0) {
    throw refuse("it has no versions");
  }
  return namedVersions(named as unknown as CrdDefinition, refuse);
}

/** A version without a name has no file; a column without one has no title. */
function namedVersions(
  definition: CrdDefinition,
  refuse: (what: string) => TsopError,
): CrdDefinition {
  const lacks = (value: object, field: string): boolean =>
    (value as Unknown)[field] === undefined || (value as Unknown)[field] === null;
  for (const [index, version] of definition.spec.versions.entries()) {
    const at = `spec.versions[${index}]`;
    if (lacks(version, "name")) throw refuse(`${at} has no name`);
    for (const column of version.additionalPrinterColumns ?? []) {
      if (["name", "type", "jsonPath"].some((field) => lacks(column, field))) {
        throw refuse(`${at}.additionalPrinterColumns has one without a name, type or jsonPath`);
      }
    }
  }
  return definition;
}

/** What `v1` says per version, `v1beta1` could say once for all of them. */
function upgrade(found: { spec: Unknown; metadata: Unknown }, notes: string[]): CrdDefinition {
  const { spec } = found;
  const { version, validation, subresources, additionalPrinterColumns, conversion, ...rest } = spec;
  const listed = Array.isArray(spec["versions"]) ? (spec["versions"] as Unknown[]) : [];
  const versions =
    listed.length > 0 ? listed : [{ name: version, served: true, storage: true } as Unknown];
  if (listed.length === 0) notes.push("spec.version became the only entry of spec.versions.");
  for (const [field, value] of Object.entries({ validation, subresources })) {
    if (value !== undefined) notes.push(`spec.${field} moved into each version.`);
  }
  if (additionalPrinterColumns !== undefined) {
    notes.push("spec.additionalPrinterColumns moved into each version; JSONPath is jsonPath now.");
  }
  if (rest["preserveUnknownFields"] !== false) {
    notes.push(
      "v1beta1 kept unknown fields everywhere; v1 keeps them where @PreserveUnknownFields() says so.",
    );
  }
  if (spec["scope"] === undefined) notes.push("spec.scope was not set; it is Namespaced.");
  return {
    ...found,
    spec: {
      ...rest,
      scope: spec["scope"] ?? "Namespaced",
      preserveUnknownFields: false,
      ...(isRecord(conversion) ? { conversion: upgradeConversion(conversion, notes) } : {}),
      versions: versions.map((each) => ({
        ...each,
        schema: each["schema"] ?? validation ?? withoutSchema(notes),
        ...optional("subresources", each["subresources"] ?? subresources),
        ...optional(
          "additionalPrinterColumns",
          upgradeColumns(each["additionalPrinterColumns"] ?? additionalPrinterColumns),
        ),
      })),
    },
  } as unknown as CrdDefinition;
}

const optional = (name: string, value: unknown): Unknown =>
  value === undefined ? {} : { [name]: value };

function withoutSchema(notes: string[]): Unknown {
  notes.push("There was no schema; v1 needs one, and this one keeps every field.");
  return {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
}

function upgradeColumns(columns: unknown): unknown {
  if (!Array.isArray(columns)) return undefined;
  return (columns as Unknown[]).map(({ JSONPath, ...column }) => ({
    ...column,
    jsonPath: column["jsonPath"] ?? JSONPath,
  }));
}

function upgradeConversion(
  { strategy, webhookClientConfig, conversionReviewVersions }: Unknown,
  notes: string[],
): Unknown {
  if (strategy !== "Webhook") return { strategy: "None" };
  notes.push("spec.conversion.webhookClientConfig moved to spec.conversion.webhook.");
  return {
    strategy,
    webhook: {
      clientConfig: webhookClientConfig,
      conversionReviewVersions: conversionReviewVersions ?? ["v1beta1"],
    },
  };
}
