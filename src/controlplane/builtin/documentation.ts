/**
 * Descriptions of the types of the built-in kinds and of their fields, from Kubernetes'
 * documentation.
 *
 * The texts are made when tsop is built (`scripts/build/k8s-types.mjs`), and loaded on first use: only
 * `kubectl explain` needs them.
 */
import { readData } from "../data-file.ts";

type Documentation = Readonly<Record<string, Readonly<Record<string, string>>>>;

let texts: Documentation | undefined;

// The texts are data of the program: read once, never modified.
function documentation(): Documentation {
  return (texts ??= readData<Documentation>(
    new URL("../../generated/k8s-docs.data.json", import.meta.url),
  ));
}

const ANY_TYPE = "io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup";

/**
 * The description of a field of a definition (`io.k8s.api.core.v1.Service`, `spec`), or of the
 * definition itself; empty when there is none.
 */
export function documentationOf(definition: string, field = ""): string {
  const text = documentation()[definition]?.[field] ?? "";
  if (text !== "" || (field !== "apiVersion" && field !== "kind")) return text;
  return documentation()[ANY_TYPE]?.[field] ?? "";
}
