/** Live objects that a changed CRD would no longer accept, judged by the rules that the control plane goes by. */
import type { CrdDefinition } from "../../generator/import/definition.ts";
import { readCrd } from "../../generator/import/read-crd.ts";
import { copyJson } from "../../kube/json.ts";
import { formatKey, keyOf, type KubeObject } from "../../kube/object.ts";
import { setDefaults, dropNulls } from "../../kube/schema/defaults.ts";
import { embeddedErrors } from "../../kube/schema/embedded.ts";
import { listErrors } from "../../kube/schema/lists.ts";
import { prune } from "../../kube/schema/prune.ts";
import { RuleChecker } from "../../kube/rules/rule-check.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { SchemaValidator } from "../../kube/schema/validate.ts";
import type { ClusterSession } from "./cluster-session.ts";
import type { Crd } from "../project/crd.ts";

/** An object of the kind, and what the new schema has against it. */
export interface InvalidObject {
  /** The namespace and the name: `default/one`. */
  readonly name: string;
  /** The errors with which the next write of the object would be refused. */
  readonly errors: readonly string[];
  /** Fields that the schema does not have any more, and that the next write drops. */
  readonly dropped: readonly string[];
}

/** The objects of the kind that the changed CRD refuses, or that lose fields by it. */
export async function invalidObjects(
  session: ClusterSession,
  live: Crd,
  after: Crd,
): Promise<InvalidObject[]> {
  const { group, scope, names } = live.spec;
  const served = live.spec.versions.filter((version) => version.served).map(({ name }) => name);
  const definition = readCrd(after, after.metadata.name);
  const version = judgedVersion(definition, served);
  const listed = version ?? served[0];
  if (listed === undefined) return [];
  const { kind, plural } = names;
  const namespaced = scope === "Namespaced";
  const objects = await session.list({ group, version: listed, kind, plural, namespaced });
  const judge = version === undefined ? undefined : judgeOf(definition, version);
  return objects.flatMap((object) => {
    const { errors, dropped } = judge?.(object) ?? { errors: [`${listed} is gone`], dropped: [] };
    if (errors.length + dropped.length === 0) return [];
    return [{ name: formatKey(keyOf(object)), errors, dropped }];
  });
}

/** The version in which the objects are listed and judged: the stored one where it is served already. */
function judgedVersion({ spec }: CrdDefinition, served: readonly string[]): string | undefined {
  const known = spec.versions.filter(({ name }) => served.includes(name));
  return (known.find(({ storage }) => storage) ?? known[0])?.name;
}

type Judge = (object: KubeObject) => Pick<InvalidObject, "errors" | "dropped">;

function judgeOf({ spec }: CrdDefinition, version: string): Judge {
  const found = spec.versions.find(({ name }) => name === version);
  const schema = (found?.schema?.openAPIV3Schema ?? {}) as Schema;
  const validator = new SchemaValidator(schema);
  const rules = new RuleChecker(schema, true);
  return (object) => {
    const copy = copyJson(object);
    const dropped = prune(copy, schema, { root: true });
    dropNulls(copy, schema);
    setDefaults(copy, schema);
    const found = [
      ...validator.validate(copy),
      ...embeddedErrors(copy, schema),
      ...listErrors(copy, schema),
    ];
    const all = found.length > 0 ? found : rules.check(copy, undefined);
    return {
      errors: all.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)),
      dropped,
    };
  };
}
