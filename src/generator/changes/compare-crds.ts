/**
 * The change gate: two states of a project's CRDs, and what the step from one to the other does.
 *
 * @module
 */
import type { Schema } from "../../kube/schema/structural.ts";
import type { CrdDefinition, VersionDefinition } from "../import/definition.ts";
import type { Change, Finding } from "./change.ts";
import { compareSchemas } from "./compare-schemas.ts";

/** A definition that may come from a cluster: it says in which versions objects are stored. */
export type CrdState = CrdDefinition & {
  readonly status?: { readonly storedVersions?: readonly string[] };
};

/** All changes between two sets of CRDs, CRD by CRD; those that are equal say nothing. */
export function compareCrds(before: readonly CrdState[], after: readonly CrdState[]): Change[] {
  const now = new Map(after.map((crd) => [nameOf(crd), crd]));
  const old = new Map(before.map((crd) => [nameOf(crd), crd]));
  return [
    ...before.flatMap((crd) => compareOne(crd, now.get(nameOf(crd)))),
    ...after
      .filter((crd) => !old.has(nameOf(crd)))
      .map((crd) => shared(crd, "safe", "", "the CRD is new")),
  ];
}

const nameOf = ({ spec }: CrdState): string => `${spec.names.plural}.${spec.group}`;

function shared(
  crd: CrdState,
  severity: Finding["severity"],
  keyword: string,
  message: string,
): Change {
  return { severity, crd: nameOf(crd), version: "", path: [], keyword, message };
}

function compareOne(before: CrdState, after: CrdState | undefined): Change[] {
  if (!after) {
    return [shared(before, "breaking", "", "the CRD is gone; all its objects go with it")];
  }
  return [
    ...compareNames(before, after),
    ...compareStorage(before, after),
    ...before.spec.versions.flatMap((version) => compareVersion(before, version, after)),
    ...after.spec.versions
      .filter(({ name }) => !findVersion(before, name))
      .map(({ name }) => ({ ...shared(after, "safe", "", "the version is new"), version: name })),
  ];
}

const findVersion = ({ spec }: CrdState, name: string): VersionDefinition | undefined =>
  spec.versions.find((version) => version.name === name);

function compareNames(before: CrdState, after: CrdState): Change[] {
  const changes: Change[] = [];
  const [old, now] = [before.spec, after.spec];
  const [oldScope, newScope] = [old.scope ?? "Namespaced", now.scope ?? "Namespaced"];
  if (oldScope !== newScope) {
    const message = `the scope was ${oldScope} and is ${newScope}; the API server refuses that`;
    changes.push(shared(after, "breaking", "scope", message));
  }
  if (old.names.kind !== now.names.kind) {
    const message = `the kind was ${old.names.kind} and is ${now.names.kind}`;
    changes.push(shared(after, "breaking", "kind", message));
  }
  for (const list of ["shortNames", "categories"] as const) {
    const gone = (old.names[list] ?? []).filter((name) => !now.names[list]?.includes(name));
    if (gone.length > 0) {
      changes.push(shared(after, "risky", list, `${gone.join(", ")} is gone from its ${list}`));
    }
  }
  const [oldWay, newWay] = [strategyOf(before), strategyOf(after)];
  if (oldWay !== newWay) {
    const message = `the conversion was ${oldWay} and is ${newWay}`;
    changes.push(shared(after, "risky", "conversion", message));
  }
  return changes;
}

function strategyOf({ spec }: CrdState): string {
  const strategy = spec.conversion?.["strategy"];
  return typeof strategy === "string" ? strategy : "None";
}

function compareStorage(before: CrdState, after: CrdState): Change[] {
  const stored = ({ spec }: CrdState): string | undefined =>
    spec.versions.find(({ storage }) => storage)?.name;
  const [old, now] = [stored(before), stored(after)];
  const changes: Change[] = [];
  if (old !== now) {
    const message = `objects were stored as ${old ?? "?"} and are stored as ${now ?? "?"} from their next write on`;
    changes.push(shared(after, "risky", "storage", message));
  }
  for (const name of before.status?.storedVersions ?? []) {
    if (findVersion(after, name)) continue;
    const message = `${name} is gone, in which objects are stored (status.storedVersions); the API server refuses that`;
    changes.push(shared(after, "breaking", "version", message));
  }
  return changes;
}

function compareVersion(crd: CrdState, before: VersionDefinition, after: CrdState): Change[] {
  const now = findVersion(after, before.name);
  const say = (severity: Finding["severity"], keyword: string, message: string): Change => ({
    ...shared(crd, severity, keyword, message),
    version: before.name,
  });
  if (!now) {
    return [
      say(before.served ? "breaking" : "risky", "version", "the version is gone; its clients fail"),
    ];
  }
  const changes: Change[] = [];
  if (before.served && !now.served) {
    changes.push(say("breaking", "served", "the version is no longer served; its clients fail"));
  }
  const [oldSub, newSub] = [before.subresources ?? {}, now.subresources ?? {}];
  for (const name of ["status", "scale"] as const) {
    if (Boolean(oldSub[name]) === Boolean(newSub[name])) continue;
    changes.push(
      newSub[name]
        ? say(
            name === "status" ? "breaking" : "safe",
            "statusSubresource",
            name === "status"
              ? "status is a subresource now; writes of the object no longer change it"
              : "scale is a subresource now",
          )
        : say("breaking", "statusSubresource", `${name} is no longer a subresource`),
    );
  }
  const selectable = new Set((now.selectableFields ?? []).map(({ jsonPath }) => jsonPath));
  for (const { jsonPath } of before.selectableFields ?? []) {
    if (selectable.has(jsonPath)) continue;
    changes.push(say("breaking", "", `field selectors can no longer ask for ${jsonPath}`));
  }
  const schemas = [before, now].map(
    (version) => (version.schema?.openAPIV3Schema ?? {}) as Schema,
  ) as [Schema, Schema];
  changes.push(
    ...compareSchemas(...schemas).map((change) => ({
      ...say(change.severity, change.keyword, change.message),
      path: change.path,
    })),
  );
  return changes;
}
