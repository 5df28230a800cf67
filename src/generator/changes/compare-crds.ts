/**
 * The change gate: two states of a project's CRDs, and what the step from one to the other does.
 */
import { sameJson } from "../../kube/json.ts";
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
    return [
      shared(before, "breaking", "", "the CRD is removed, and all its objects are deleted with it"),
    ];
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
  for (const name of ["singular", "listKind"] as const) {
    const usual = (of: CrdState["spec"]["names"]): string =>
      of[name] ?? (name === "singular" ? of.kind.toLowerCase() : `${of.kind}List`);
    const [was, is] = [usual(old.names), usual(now.names)];
    if (was === is || old.names.kind !== now.names.kind) continue;
    changes.push(shared(after, "risky", name, `the ${name} was ${was} and is ${is}`));
  }
  for (const list of ["shortNames", "categories"] as const) {
    const added = (now.names[list] ?? []).filter((name) => !old.names[list]?.includes(name));
    if (added.length > 0) {
      changes.push(shared(after, "safe", list, `${added.join(", ")} is new among its ${list}`));
    }
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
  if (oldWay === newWay && !sameJson(webhookOf(before), webhookOf(after))) {
    changes.push(shared(after, "risky", "conversion", "the conversion is done in another way"));
  }
  return changes;
}

/**
 * The address of a webhook, without the additions of a cluster: the usual port, and its
 * certificates.
 */
function webhookOf({ spec }: CrdState): unknown {
  return JSON.parse(
    JSON.stringify(spec.conversion?.["webhook"] ?? {}, (key, value: unknown) =>
      key === "caBundle" || (key === "port" && value === 443) ? undefined : value,
    ),
  ) as unknown;
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
  const changes: Change[] = [
    ...compareService(before, now, say),
    ...compareSubresources(before, now, say),
    ...compareViews(before, now, say),
  ];
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

type Say = (severity: Finding["severity"], keyword: string, message: string) => Change;

/** Whether and how a version is served. */
function compareService(before: VersionDefinition, now: VersionDefinition, say: Say): Change[] {
  const changes: Change[] = [];
  if (before.served !== now.served) {
    changes.push(
      now.served
        ? say("safe", "served", "the version is served now")
        : say("breaking", "served", "the version is no longer served; its clients fail"),
    );
  }
  const warning = ({ deprecated, deprecationWarning }: VersionDefinition): string | undefined =>
    deprecated ? (deprecationWarning ?? "") : undefined;
  const [was, is] = [warning(before), warning(now)];
  if (was !== is) {
    const message = is === undefined ? "is no longer deprecated" : "is deprecated, with a warning";
    changes.push(say("safe", "deprecated", `the version ${message}`));
  }
  return changes;
}

function compareSubresources(
  before: VersionDefinition,
  now: VersionDefinition,
  say: Say,
): Change[] {
  const [old, fresh] = [before.subresources ?? {}, now.subresources ?? {}];
  const changes: Change[] = [];
  if (Boolean(old.status) !== Boolean(fresh.status)) {
    const message = fresh.status
      ? "status is a subresource now; writes of the object no longer change it"
      : "status is no longer a subresource";
    changes.push(say("breaking", "statusSubresource", message));
  }
  if (old.scale && !fresh.scale) {
    changes.push(say("breaking", "scale", "scale is no longer a subresource"));
  } else if (!old.scale && fresh.scale) {
    changes.push(say("safe", "scale", "scale is a subresource now"));
  } else if (old.scale && fresh.scale && !sameJson(sorted(old.scale), sorted(fresh.scale))) {
    changes.push(say("risky", "scale", "scale reads and writes other fields"));
  }
  return changes;
}

const sorted = (record: object): unknown =>
  Object.entries(record)
    .filter(([, value]) => value !== "" && value !== 0 && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * The views of a kind: the columns of `kubectl get`, and the fields that field selectors may ask
 * for.
 */
function compareViews(before: VersionDefinition, now: VersionDefinition, say: Say): Change[] {
  const paths = ({ selectableFields }: VersionDefinition): string[] =>
    (selectableFields ?? []).map(({ jsonPath }) => jsonPath);
  const [old, fresh] = [paths(before), paths(now)];
  const changes = [
    ...old
      .filter((path) => !fresh.includes(path))
      .map((path) => say("breaking", "", `field selectors can no longer use ${path}`)),
    ...fresh
      .filter((path) => !old.includes(path))
      .map((path) => say("safe", "", `field selectors can use ${path}`)),
  ];
  const columns = ({ additionalPrinterColumns }: VersionDefinition): unknown =>
    (additionalPrinterColumns ?? []).map(sorted);
  if (!sameJson(columns(before), columns(now))) {
    changes.push(say("safe", "", "kubectl get shows other columns"));
  }
  return changes;
}
