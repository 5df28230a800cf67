/** Whether two CustomResourceDefinitions mean the same to the API server. */

type Unknown = Record<string, unknown>;

interface Version extends Unknown {
  readonly name: string;
}

/** The differences of two definitions, as paths with both values; empty when they mean the same. */
export function crdDifferences(one: unknown, other: unknown): string[] {
  return differences(meaning(one as Unknown), meaning(other as Unknown), "");
}

/** A definition with the API server's own defaults, and without the order of what has none. */
function meaning({ metadata, spec }: Unknown): Unknown {
  const { name, annotations, labels } = metadata as Unknown;
  const { group, scope, names, versions, conversion } = spec as Unknown;
  const named = names as Unknown & { kind: string };
  const strategy = (conversion as Unknown | undefined)?.["strategy"] ?? "None";
  return {
    name,
    annotations: annotations ?? {},
    labels: labels ?? {},
    group,
    scope: scope ?? "Namespaced",
    names: {
      ...named,
      singular: named["singular"] ?? named.kind.toLowerCase(),
      listKind: named["listKind"] ?? `${named.kind}List`,
      shortNames: named["shortNames"] ?? [],
      categories: named["categories"] ?? [],
    },
    conversion: strategy === "None" ? undefined : conversion,
    versions: Object.fromEntries(
      (versions as Version[]).map((version) => [version.name, versionMeaning(version)]),
    ),
  };
}

function versionMeaning(version: Version): Unknown {
  const { status, scale } = (version["subresources"] ?? {}) as Unknown;
  const columns = (version["additionalPrinterColumns"] ?? []) as Unknown[];
  return {
    served: version["served"],
    storage: version["storage"],
    deprecated: version["deprecated"] ?? false,
    deprecationWarning: version["deprecationWarning"],
    status: status !== undefined && status !== null,
    scale: scale ?? undefined,
    columns: columns.map((column) => ({ priority: 0, description: "", ...column })),
    selectable: version["selectableFields"] ?? [],
    schema: schemaMeaning((version["schema"] as Unknown)["openAPIV3Schema"] as Unknown),
  };
}

/** Words of other dialects, which the API server drops with a warning. */
const UNKNOWN_KEYWORDS = new Set(["allowEmptyValue", "optional"]);

function schemaMeaning(schema: Unknown): Unknown {
  const meant: Unknown = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === null || UNKNOWN_KEYWORDS.has(keyword)) continue;
    if (keyword === "properties") {
      const properties = Object.entries(value as Record<string, Unknown>);
      if (properties.length === 0) continue;
      meant[keyword] = Object.fromEntries(
        properties.map(([name, property]) => [name, schemaMeaning(property)]),
      );
    } else if (keyword === "required") {
      if ((value as string[]).length > 0) meant[keyword] = [...new Set(value as string[])].sort();
    } else if (keyword === "items" || keyword === "not") {
      meant[keyword] = schemaMeaning(value as Unknown);
    } else if (keyword === "additionalProperties") {
      meant[keyword] = typeof value === "boolean" ? value : schemaMeaning(value as Unknown);
    } else if (keyword === "allOf" || keyword === "anyOf" || keyword === "oneOf") {
      meant[keyword] = (value as Unknown[]).map(schemaMeaning);
    } else if (value !== false || !/^(?:nullable|exclusive)/.test(keyword)) {
      meant[keyword] = value;
    }
  }
  return meant;
}

function differences(one: unknown, other: unknown, path: string): string[] {
  if (typeof one === "object" && one !== null && typeof other === "object" && other !== null) {
    const [a, b] = [one as Unknown, other as Unknown];
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
      differences(a[key], b[key], `${path}/${key}`),
    );
  }
  return one === other ? [] : [`${path}: ${JSON.stringify(one)} is not ${JSON.stringify(other)}`];
}
