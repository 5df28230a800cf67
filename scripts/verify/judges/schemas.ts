/** JSON schemas of all kinds of a control plane, from its own OpenAPI, as kubeconform reads them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Kubectl } from "../../../test/support/kubectl.ts";

type Schema = Record<string, unknown>;

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The location for `kubeconform -schema-location`. */
export function schemaLocation(folder: string): string {
  return join(folder, "{{.ResourceKind}}{{.KindSuffix}}.json");
}

/** Writes a schema for each kind, and returns how many there are. */
export async function writeSchemas(kubectl: Kubectl, folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const get = async (path: string): Promise<unknown> =>
    JSON.parse(await kubectl.output(["get", "--raw", path]));
  const { paths } = (await get("/openapi/v3")) as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  let count = 0;
  for (const { serverRelativeURL } of Object.values(paths)) {
    const { components } = (await get(serverRelativeURL)) as {
      components?: { schemas?: Record<string, Schema> };
    };
    const schemas = components?.schemas ?? {};
    const definitions = Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, strict(schema)]),
    );
    for (const [name, schema] of Object.entries(schemas)) {
      const kinds = (schema["x-kubernetes-group-version-kind"] ?? []) as GroupVersionKind[];
      const [only] = kinds;
      if (!only || kinds.length > 1) continue;
      const suffix = [only.group.split(".")[0], only.version]
        .filter((part) => part !== "")
        .join("-");
      const text = JSON.stringify({ $ref: `#/definitions/${name}`, definitions });
      writeFileSync(join(folder, `${only.kind.toLowerCase()}-${suffix}.json`), text);
      count++;
    }
  }
  return count;
}

/** The schema where fields that it does not name are refused, as `-strict` means it. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== "object" || schema === null) return schema;
  const own = Object.fromEntries(
    Object.entries(schema).map(([field, value]: [string, unknown]) => [
      field,
      // A property may be called `$ref`: that of a schema is a text.
      field === "$ref" && typeof value === "string"
        ? value.replace("#/components/schemas/", "#/definitions/")
        : strict(value),
    ]),
  );
  if (own["x-kubernetes-int-or-string"] === true) own["type"] = ["integer", "string"];
  if (own["nullable"] === true && typeof own["type"] === "string")
    own["type"] = [own["type"], "null"];
  const isClosed = own["properties"] !== undefined && own["additionalProperties"] === undefined;
  const isOpen = own["x-kubernetes-preserve-unknown-fields"] === true;
  // A property may be called `properties`: only a schema has a type beside it.
  if (isClosed && !isOpen && own["type"] === "object") own["additionalProperties"] = false;
  return own;
}
