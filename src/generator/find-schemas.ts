/** The schemas of a project's own kinds, for commands that scaffold from them. */
import { resolve } from "node:path";
import type { Schema } from "../kube/schema/structural.ts";
import { schemaOf } from "./emit/schema.ts";
import { Findings } from "./findings.ts";
import { openModules, readProject } from "./read-project.ts";
import { readSources } from "./sources.ts";

/** A version of a kind, and what its objects are. */
export interface KindSchema {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: Schema;
}

/**
 * All schemas of a folder; a class that cannot be read is left to `tsop manifests`, which says why.
 */
export function findSchemas(folder: string): readonly KindSchema[] {
  const root = resolve(folder);
  const { kinds } = readProject(openModules(root), readSources(root), new Findings());
  return kinds.map(({ group, version, kind, type }) => ({
    group,
    version,
    kind,
    schema: schemaOf(type),
  }));
}
