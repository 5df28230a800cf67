/**
 * The names of a kind from a file of unknown origin: they become parts of paths, code and URLs. The rules are those of the
 * API server for a CustomResourceDefinition.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/
 */
import { dns1035LabelErrors, dns1123SubdomainErrors } from "./names.ts";

/** Names of a kind; absent and empty ones are not checked. */
export interface KindNames {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly listKind?: string;
  readonly plural?: string;
  readonly singular?: string;
}

/** A wrong name, and the rule that it breaks. */
export interface WrongName {
  readonly field: keyof KindNames;
  readonly name: string;
  readonly problem: string;
}

/** The first wrong name; `undefined` if all can be those of a kind. */
export function wrongName(names: KindNames): WrongName | undefined {
  for (const field of FIELDS) {
    const name = names[field] ?? "";
    const [problem] = name === "" ? [] : errorsOf(field, name);
    if (problem !== undefined) return { field, name, problem };
  }
  return undefined;
}

const FIELDS = ["group", "version", "kind", "listKind", "plural", "singular"] as const;

function errorsOf(field: keyof KindNames, name: string): string[] {
  if (field === "group") return dns1123SubdomainErrors(name);
  const isKind = field === "kind" || field === "listKind";
  return dns1035LabelErrors(isKind ? name.toLowerCase() : name);
}
