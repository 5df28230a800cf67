/** The address of conversions in a CRD, and the change that puts another path into it. */
import type { Json } from "../../kube/object.ts";
import type { DefinitionConversion } from "../../kube/definition/definition.ts";
import type { JsonPatchOperation } from "../client/patches.ts";

/** The place at which API servers call conversions. */
export interface ConversionAddress {
  /** `undefined` if the CRD has none, which API servers read as `/`. */
  readonly path: string | undefined;
  /** The Service; `undefined` for a URL. */
  readonly service: { readonly namespace: string; readonly name: string } | undefined;
  /** The operation that changes the path. */
  readonly at: (path: string) => JsonPatchOperation;
}

const CLIENT_CONFIG = "/spec/conversion/webhook/clientConfig";

/** The address in a CRD; `undefined` if no webhook converts its objects. */
export function conversionAddressOf(
  conversion: DefinitionConversion | undefined,
): ConversionAddress | undefined {
  const { service, url } = conversion?.webhook?.clientConfig ?? {};
  const operation = (field: string, value: Json): JsonPatchOperation => ({
    op: "add",
    path: `${CLIENT_CONFIG}/${field}`,
    value,
  });
  if (service) {
    const { namespace = "", name = "", path } = service;
    return {
      path,
      service: { namespace, name },
      at: (next) => operation("service/path", next),
    };
  }
  if (url === undefined || !URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  return {
    path: parsed.pathname,
    service: undefined,
    at: (next) => operation("url", new URL(next, parsed).href),
  };
}
