/** `crds`: OpenAPI definitions whose extensions say which fields hold names, labels and annotations. */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { FieldSpec } from "./field-specs.ts";
import { parseYaml } from "./manifests.ts";
import type { SourceFiles } from "./source-files.ts";
import {
  EMPTY_CONFIGURATION,
  mergeConfigurations,
  type TransformerConfiguration,
} from "./transformer-configuration.ts";

/** Reads the configuration in a file that `crds` names. @throws TsopError `kustomize-file` or `broken-yaml` */
export async function readCrdConfiguration(
  path: string,
  files: SourceFiles,
): Promise<TransformerConfiguration> {
  const [definitions] = parseYaml(path, await files.read(path));
  if (!isJsonObject(definitions)) return EMPTY_CONFIGURATION;
  let configuration = EMPTY_CONFIGURATION;
  for (const [name, definition] of Object.entries(definitions)) {
    const properties = propertiesOf(definition);
    if (!("kind" in properties && "apiVersion" in properties && "metadata" in properties)) continue;
    const kind = name.split(".").at(-1) ?? name;
    const found = configurationOf(definitions, name, kind, []);
    configuration = mergeConfigurations(configuration, found);
  }
  return configuration;
}

function propertiesOf(definition: unknown): JsonObject {
  const schema = isJsonObject(definition) ? (definition["Schema"] ?? definition["schema"]) : {};
  const properties = isJsonObject(schema) ? schema["properties"] : {};
  return isJsonObject(properties) ? properties : {};
}

function configurationOf(
  definitions: JsonObject,
  name: string,
  kind: string,
  path: readonly string[],
): TransformerConfiguration {
  let configuration = EMPTY_CONFIGURATION;
  const add = (part: Partial<TransformerConfiguration>): void => {
    configuration = mergeConfigurations(configuration, { ...EMPTY_CONFIGURATION, ...part });
  };
  for (const [field, property] of Object.entries(propertiesOf(definitions[name]))) {
    if (!isJsonObject(property)) continue;
    const at = [...path, field];
    const spec = (...further: string[]): FieldSpec[] => [
      { kind, path: [...at, ...further].join("/"), create: false },
    ];
    if ("x-kubernetes-annotation" in property) add({ commonAnnotations: spec() });
    if ("x-kubernetes-label-selector" in property) add({ commonLabels: spec() });
    if ("x-kubernetes-identity" in property) add({ namePrefix: spec() });
    const version = property["x-kubernetes-object-ref-api-version"];
    const named = property["x-kubernetes-object-ref-kind"];
    const key = property["x-kubernetes-object-ref-name-key"] ?? "name";
    if (typeof version === "string" && typeof named === "string" && typeof key === "string") {
      add({ nameReference: [{ kind: named, version, referrers: spec(key) }] });
    }
    const { $ref: reference } = property;
    // A definition that holds itself is not followed into itself.
    if (typeof reference === "string" && reference !== name && at.length < 32) {
      add(configurationOf(definitions, reference, kind, at));
    }
  }
  return configuration;
}
