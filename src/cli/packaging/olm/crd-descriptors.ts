/** The fields of the kinds as a console shows them, from the schema of their CRDs. */
import { capitalized } from "../../../kube/text/capitalized.ts";
import type { JsonObject } from "../../../kube/object.ts";
import type {
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from "../../../generated/k8s/apiextensions-v1.ts";
import type { Crd } from "../../project/crd.ts";
import { present } from "../../../present.ts";

const SPEC = "urn:alm:descriptor:com.tectonic.ui:";

/** The entries of `customresourcedefinitions.owned`: one for each version that is served. */
export function ownedKinds(crd: Crd): JsonObject[] {
  const { kind } = crd.spec.names;
  return crd.spec.versions
    .filter(({ served }) => served)
    .map((version) => {
      const schema = version.schema?.openAPIV3Schema;
      const { spec, status } = schema?.properties ?? {};
      const specDescriptors = fieldsOf(spec).map(([path, field]) => ({
        ...describe(path, field),
        "x-descriptors": [`${SPEC}${controlOf(`.spec.${path}`, field, version)}`],
      }));
      const statusDescriptors = fieldsOf(status).map(([path, field]) => ({
        ...describe(path, field),
        "x-descriptors": [
          path === "conditions" ? "urn:alm:descriptor:io.kubernetes.conditions" : `${SPEC}text`,
        ],
      }));
      return {
        name: crd.metadata.name,
        version: version.name,
        kind,
        displayName: wordsOf(kind),
        description: firstParagraph(schema?.description) ?? `${wordsOf(kind)}.`,
        ...(specDescriptors.length > 0 && { specDescriptors }),
        ...(statusDescriptors.length > 0 && { statusDescriptors }),
      };
    });
}

/** The fields that a console can show: single values, and the conditions. */
const fieldsOf = (schema: JSONSchemaProps | undefined): [string, JSONSchemaProps][] =>
  Object.entries(schema?.properties ?? {}).filter(
    ([name, { type, ...rest }]) =>
      ["boolean", "integer", "number", "string"].includes(type ?? "") ||
      rest["x-kubernetes-int-or-string"] === true ||
      (name === "conditions" && type === "array"),
  );

function describe(path: string, { description }: JSONSchemaProps): JsonObject {
  const text = firstParagraph(description);
  return { path, displayName: wordsOf(path), ...present({ description: text }) };
}

/** The control with which a form asks for the field. */
function controlOf(
  path: string,
  { type, format }: JSONSchemaProps,
  version: CustomResourceDefinitionVersion,
): string {
  if (version.subresources?.scale?.specReplicasPath === path) return "podCount";
  if (type === "boolean") return "booleanSwitch";
  if (type === "integer" || type === "number") return "number";
  return format === "password" ? "password" : "text";
}

/** The words of a name: `pageContentHtml` is `Page Content Html`. */
export function wordsOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[\s_-]+/);
  return words.map(capitalized).join(" ");
}

function firstParagraph(text: string | undefined): string | undefined {
  const [first = ""] = (text ?? "").split(/\n\s*\n/);
  const line = first.replaceAll(/\s+/g, " ").trim();
  return line === "" ? undefined : line;
}
