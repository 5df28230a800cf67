/**
 * Two schemas of one version: what the new one refuses, drops or fills in differently.
 *
 * @module
 */
import type { Schema } from "../../kube/schema/structural.ts";
import type { Finding } from "./change.ts";
import { compareNode } from "./compare-node.ts";

/** A difference and the path at which it is. */
export interface SchemaChange extends Finding {
  readonly path: readonly string[];
}

/** All differences of two schemas, outer ones first. */
export function compareSchemas(
  before: Schema,
  after: Schema,
  path: readonly string[] = [],
): SchemaChange[] {
  const changes: SchemaChange[] = compareNode(before, after).map((found) => ({ ...found, path }));
  // Below another type, everything differs; it is said once.
  if (before.type !== after.type) return changes;
  changes.push(...compareProperties(before, after, path));
  if (before.items && after.items) {
    changes.push(...compareSchemas(before.items, after.items, [...path, "items"]));
  }
  const [old, fresh] = [before.additionalProperties, after.additionalProperties];
  if (typeof old === "object" && typeof fresh === "object") {
    changes.push(...compareSchemas(old, fresh, [...path, "additionalProperties"]));
  }
  return changes;
}

function compareProperties(before: Schema, after: Schema, path: readonly string[]): SchemaChange[] {
  const [old, fresh] = [before.properties ?? {}, after.properties ?? {}];
  const wasRequired = new Set(before.required);
  const isRequired = new Set(after.required);
  const kept = after["x-kubernetes-preserve-unknown-fields"] === true;
  const open = typeof after.additionalProperties === "object";
  const changes: SchemaChange[] = [];
  const add = (name: string, severity: Finding["severity"], message: string): void => {
    changes.push({ severity, keyword: "", message, path: [...path, name] });
  };
  for (const [name, schema] of Object.entries(old)) {
    const now = Object.hasOwn(fresh, name) ? fresh[name] : undefined;
    if (!now) {
      if (kept) add(name, "risky", "the field is no longer described; it is kept unchecked");
      else if (!open)
        add(name, "breaking", "the field was removed; what objects have in it is dropped");
      continue;
    }
    changes.push(...compareSchemas(schema, now, [...path, name]));
    if (isRequired.has(name) && !wasRequired.has(name)) {
      add(name, ...nowRequired(now));
    } else if (wasRequired.has(name) && !isRequired.has(name)) {
      add(name, "safe", "the field is no longer required");
    }
  }
  for (const [name, schema] of Object.entries(fresh)) {
    if (Object.hasOwn(old, name)) continue;
    if (isRequired.has(name)) add(name, ...nowRequired(schema));
    else add(name, "safe", "the field is new");
  }
  return changes;
}

function nowRequired({ default: fallback }: Schema): [Finding["severity"], string] {
  return fallback === undefined
    ? ["breaking", "the field is required now; objects without it are refused"]
    : ["safe", "the field is required now, and has a default"];
}
