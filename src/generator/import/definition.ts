/** CustomResourceDefinitions as they are found: `v1` as it is, `v1beta1` converted to `v1`. */
import { TsopError } from "../../errors.ts";
import { type KindNames, wrongName } from "../../kube/kind-names.ts";
import { isRecord, misshapen, type Shape, unknownFields } from "./shape.ts";
import { tableOf } from "../../table.ts";

export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

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

/** The part of a definition that becomes code. */
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

const COLUMN = {
  name: "text",
  type: "text",
  jsonPath: "text",
  format: "text",
  description: "text",
  priority: "number",
} as const;

const SUBRESOURCES: Shape = {
  status: "object",
  scale: { specReplicasPath: "text", statusReplicasPath: "text", labelSelectorPath: "text" },
};

const specOf = (columns: Shape, more: Record<string, Shape>): Shape => ({
  group: "text",
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
  versions: [
    {
      name: "text",
      served: "boolean",
      storage: "boolean",
      deprecated: "boolean",
      deprecationWarning: "text",
      schema: "object",
      subresources: SUBRESOURCES,
      additionalPrinterColumns: columns,
      selectableFields: [{ jsonPath: "text" }],
    },
  ],
  ...more,
});

const LEGACY_COLUMNS: Shape = [{ ...COLUMN, JSONPath: "text" }];

/** The shape of a definition as it is read, by its version. */
const SPECS = tableOf<Shape>({
  v1: specOf([COLUMN], {}),
  v1beta1: specOf(LEGACY_COLUMNS, {
    version: "text",
    validation: "object",
    subresources: SUBRESOURCES,
    additionalPrinterColumns: LEGACY_COLUMNS,
    conversion: {
      strategy: "text",
      webhookClientConfig: "object",
      conversionReviewVersions: "texts",
    },
  }),
});

const METADATA: Shape = { name: "text", annotations: "object", labels: "object" };

/** Makes the errors about a definition. */
export const refusal =
  (from: string) =>
  (what: string): TsopError =>
    new TsopError(
      "not-a-crd",
      `${from}: ${what}.`,
      "Give a CustomResourceDefinition of apiextensions.k8s.io/v1 or v1beta1.",
    );

/**
 * Reads a definition; the changes that made it one of `v1` are added to `notes`.
 *
 * @throws TsopError `not-a-crd` for any other object
 */
export function readDefinition(found: unknown, from: string, notes: string[]): CrdDefinition {
  const refuse = refusal(from);
  if (!isRecord(found)) throw refuse("this is not an object");
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
  const version = /^apiextensions\.k8s\.io\/(v1|v1beta1)$/.exec(String(apiVersion))?.[1];
  const shape = SPECS.get(version ?? "");
  if (!shape) throw refuse(`its apiVersion is ${JSON.stringify(apiVersion)}`);
  const problem = misshapen(metadata, METADATA, "metadata") ?? misshapen(spec, shape, "spec");
  if (problem !== undefined) throw refuse(problem);
  refuseNames(spec, refuse);
  const { scope } = spec;
  if (typeof scope === "string" && scope !== "Namespaced" && scope !== "Cluster") {
    throw refuse(`spec.scope is ${JSON.stringify(scope)}, neither Namespaced nor Cluster`);
  }
  for (const path of unknownFields(spec, shape, "spec")) {
    notes.push(`${version} has no field ${path}; it was omitted.`);
  }
  if (typeof scope !== "string") notes.push("spec.scope was not set; it is Namespaced.");
  const named = { ...found, metadata: isRecord(metadata) ? metadata : {}, spec };
  if (version === "v1beta1") return checkedVersions(upgrade(named, notes), notes, refuse);
  if (!Array.isArray(spec["versions"]) || spec["versions"].length === 0) {
    throw refuse("it has no versions");
  }
  return checkedVersions(named as CrdDefinition, notes, refuse);
}

/** Names become parts of paths and of code: the API server's rules for them hold here. */
function refuseNames(spec: Unknown, refuse: (what: string) => TsopError): void {
  const { group, version, versions } = spec;
  const listed = (Array.isArray(versions) ? (versions as unknown[]) : []).flatMap((one, index) =>
    isRecord(one) ? [[`spec.versions[${index}].name`, { version: one["name"] }] as const] : [],
  );
  const places = [
    ["spec.group", { group }],
    ["spec.names", isRecord(spec["names"]) ? spec["names"] : {}],
    ["spec.version", { version }],
    ...listed,
  ] as const;
  const mistakes = places.flatMap(([place, names]) => {
    const wrong = wrongName(names as KindNames);
    if (!wrong) return [];
    const at = place === "spec.names" ? `${place}.${wrong.field}` : place;
    return [`${at} is ${JSON.stringify(wrong.name)}: ${wrong.problem}`];
  });
  if (mistakes.length > 0) throw refuse(mistakes.join("; "));
  if (group === "") throw refuse("spec.group is empty");
}

/** A version without a name has no file, and two of one name have the same; a column without one has no title. */
function checkedVersions(
  definition: CrdDefinition,
  notes: string[],
  refuse: (what: string) => TsopError,
): CrdDefinition {
  const lacks = (value: object, field: string): boolean =>
    (value as Unknown)[field] === undefined || (value as Unknown)[field] === null;
  const { versions, conversion } = definition.spec;
  const names = new Set<string>();
  for (const [index, version] of versions.entries()) {
    const at = `spec.versions[${index}]`;
    if (lacks(version, "name")) throw refuse(`${at} has no name`);
    if (names.has(version.name)) throw refuse(`${at} is another ${version.name}`);
    names.add(version.name);
    if (!version.deprecated && (version.deprecationWarning ?? "") !== "") {
      notes.push(`${at}.deprecationWarning was omitted because the version is not deprecated.`);
    }
    for (const column of version.additionalPrinterColumns ?? []) {
      if (["name", "type", "jsonPath"].some((field) => lacks(column, field))) {
        throw refuse(`${at}.additionalPrinterColumns has one without a name, type or jsonPath`);
      }
    }
  }
  if (conversion?.["strategy"] === "None" && isRecord(conversion["webhook"])) {
    notes.push(
      "spec.conversion.webhook was omitted because the strategy None does not call a webhook.",
    );
  }
  return definition;
}

/** Moves to every version what `v1beta1` could say once for all of them and `v1` says for each. */
function upgrade(found: { spec: Unknown; metadata: Unknown }, notes: string[]): CrdDefinition {
  const { spec } = found;
  const { version, validation, subresources, additionalPrinterColumns, conversion, ...rest } = spec;
  const listed = Array.isArray(spec["versions"]) ? (spec["versions"] as Unknown[]) : [];
  const versions =
    listed.length > 0 ? listed : [{ name: version, served: true, storage: true } as Unknown];
  if (listed.length === 0) notes.push("spec.version became the only entry of spec.versions.");
  else if (isSaid(version) && version !== listed[0]?.["name"]) {
    notes.push(
      `spec.version, ${JSON.stringify(version)}, was omitted because spec.versions lists other versions.`,
    );
  }
  const moved = { validation: "schema", subresources: "subresources" };
  for (const [field, name] of Object.entries(moved)) {
    if (isSaid(spec[field]))
      notes.push(`spec.${field} moved into ${versionsWithout(versions, name)}.`);
  }
  const columns = "additionalPrinterColumns";
  if (isSaid(additionalPrinterColumns)) {
    const where = versionsWithout(versions, columns);
    notes.push(`spec.${columns} moved into ${where}; JSONPath is jsonPath now.`);
  } else if (versions.some((each) => isSaid(each[columns]))) {
    notes.push(`JSONPath of the versions' ${columns} is jsonPath now.`);
  }
  if (rest["preserveUnknownFields"] !== false) {
    notes.push(
      "v1beta1 kept unknown fields everywhere; v1 keeps them only in fields with @PreserveUnknownFields().",
    );
  }
  const upgraded: Unknown = {
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
  };
  return upgraded as Unknown & CrdDefinition;
}

const isSaid = (value: unknown): boolean => value !== undefined && value !== null;

/**
 * The versions that get a field which `v1beta1` says once: a version that has its own keeps that.
 */
function versionsWithout(versions: readonly Unknown[], field: string): string {
  const own = versions.filter((each) => isSaid(each[field])).map(({ name }) => String(name));
  return own.length === 0 ? "each version" : `each version but ${own.join(", ")}, with its own`;
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
  if (strategy !== "Webhook") {
    if (isSaid(webhookClientConfig)) {
      notes.push(
        "spec.conversion.webhookClientConfig was omitted because the strategy is not Webhook.",
      );
    }
    return { strategy: "None" };
  }
  if (!isSaid(conversionReviewVersions)) {
    notes.push("spec.conversion.conversionReviewVersions was not set; it is v1beta1.");
  }
  notes.push("spec.conversion.webhookClientConfig moved to spec.conversion.webhook.");
  return {
    strategy,
    webhook: {
      clientConfig: webhookClientConfig,
      conversionReviewVersions: conversionReviewVersions ?? ["v1beta1"],
    },
  };
}
