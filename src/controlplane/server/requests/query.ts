/** The options of a request's query, read and refused exactly as by the API server. */
import {
  type FieldError,
  forbidden,
  invalid,
  invalidValue,
  notSupported,
  required,
} from "../../../kube/field-errors.ts";
import { validateFieldManager } from "../../../kube/metadata.ts";
import {
  type FieldRequirement,
  type LabelRequirement,
  SelectorError,
  parseFieldSelector,
  parseLabelSelector,
} from "../../../kube/selectors/selector.ts";
import type { JsonObject } from "../../../kube/object.ts";
import type { ServedResource } from "../../kinds.ts";
import { readContinue } from "../read/continue-token.ts";
import { badRequest } from "../../failures.ts";
import { fieldErrorFor } from "./field-labels.ts";
import type { ListQuery } from "../read/list.ts";
import type { WatchQuery } from "../read/watch.ts";
import { present } from "../../../present.ts";

/** Whether an option is true: everything but absent, `0` and `false` is. */
export function booleanOption(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

/** A whole number, `undefined` when it is absent. @throws StatusError 400 */
export function integerOption(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return text === null ? undefined : parseInteger("");
  return parseInteger(text);
}

/** Whole numbers of at most this many digits are exact, and in range. */
const EXACT_DIGITS = 15;

function parseInteger(text: string): number {
  const problem = (why: string): Error =>
    badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw problem("invalid syntax");
  if (text.length <= EXACT_DIGITS) return Number(text);
  const value = BigInt(text);
  if (value > 2n ** 63n - 1n || value < -(2n ** 63n)) throw problem("value out of range");
  return Number(value);
}

/** The error of a resourceVersion as an unsigned number; `undefined` when it is valid. */
export function versionProblem(text: string): string | undefined {
  const isNumber = /^\d+$/.test(text);
  if (text === "" || (isNumber && (text.length <= EXACT_DIGITS || BigInt(text) < 2n ** 64n))) {
    return undefined;
  }
  const why = isNumber ? "value out of range" : "invalid syntax";
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`;
}

/** The options of a write. */
export interface WriteQuery {
  readonly dryRun: boolean;
  /** Empty when the query has none. */
  readonly fieldManager: string;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  readonly force: boolean;
  /** The options as they were sent, as admission sees them, without the dry run. */
  readonly asked: JsonObject;
}

/** The kind of write, which decides the `...Options` in errors. */
export type WriteVerb = "create" | "update" | "patch" | "apply" | "delete";

const OPTIONS_KIND: Readonly<Record<WriteVerb, string>> = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
  apply: "PatchOptions",
  delete: "DeleteOptions",
};

/** 422 about the options of a request. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): Error {
  return invalid({ group: "meta.k8s.io", kind }, "", errors);
}

/** Reads and checks the options of a write. @throws StatusError 422 */
export function parseWriteQuery(query: URLSearchParams, verb: WriteVerb): WriteQuery {
  const errors: FieldError[] = [];
  const manager = query.get("fieldManager") ?? "";
  if (verb === "apply" && manager === "") {
    errors.push(required("fieldManager", "is required for apply patch"));
  }
  if (verb === "patch" && query.has("force")) {
    errors.push(forbidden("force", "may not be specified for non-apply patch"));
  }
  errors.push(...validateFieldManager(manager, "fieldManager"));
  errors.push(...dryRunErrors(query.getAll("dryRun")));
  const validation = query.get("fieldValidation") ?? "";
  if (!["", "Ignore", "Warn", "Strict"].includes(validation)) {
    errors.push(notSupported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]));
  }
  if (errors.length > 0) throw invalidOptions(OPTIONS_KIND[verb], errors);
  return {
    dryRun: query.has("dryRun"),
    fieldManager: manager,
    fieldValidation: validation === "Ignore" || validation === "Strict" ? validation : "Warn",
    force: booleanOption(query, "force"),
    asked: {
      ...(manager === "" ? {} : { fieldManager: manager }),
      ...(validation === "" ? {} : { fieldValidation: validation }),
    },
  };
}

/** Errors of `dryRun`, which can only be `All`. */
function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === "All") ? [] : [notSupported("dryRun", values, ["All"])];
}

interface Selectors {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
}

/** The selectors of a list, a watch or a deletion of a collection. @throws StatusError 400 */
function parseSelectors(query: URLSearchParams): Selectors {
  try {
    const labels = parseLabelSelector(query.get("labelSelector") ?? "");
    const fields = parseFieldSelector(query.get("fieldSelector") ?? "");
    return { labels, fields };
  } catch (thrown) {
    if (thrown instanceof SelectorError) throw badRequest(thrown.message);
    throw thrown;
  }
}

/**
 * Checks that the resource has the selected fields, after the errors of other options.
 *
 * @throws StatusError 400
 */
function checkFields({ fields }: Selectors, resource: ServedResource): void {
  for (const { field } of fields) {
    const problem = fieldErrorFor(resource, field);
    if (problem !== undefined) throw badRequest(problem);
  }
}

/** Reads and checks the options of a list, except for its start. @throws StatusError 400 or 422 */
export function parseListQuery(
  query: URLSearchParams,
  resource: ServedResource,
  namespace: string,
): ListQuery {
  integerOption(query, "timeoutSeconds");
  const limit = integerOption(query, "limit") ?? 0;
  const selectors = parseSelectors(query);
  const version = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const continueToken = query.get("continue") ?? "";
  const errors: FieldError[] = [];
  const refuseMatch = (why: string): number =>
    errors.push(forbidden("resourceVersionMatch", `resourceVersionMatch ${why}`));
  if (match !== "") {
    if (version === "") refuseMatch("is forbidden unless resourceVersion is provided");
    if (continueToken !== "") refuseMatch("is forbidden when continue is provided");
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(notSupported("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && version === "0") {
      refuseMatch('"exact" is forbidden for resourceVersion "0"');
    }
  }
  if (query.has("sendInitialEvents")) {
    errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  checkFields(selectors, resource);
  return {
    ...selectors,
    namespace,
    limit: Math.max(limit, 0),
    continueToken,
    resourceVersion: version,
    match: match as ListQuery["match"],
  };
}

/** Whether a list is a page of all objects. */
export const isPage = ({ limit, labels, fields }: ListQuery): boolean =>
  limit > 0 && labels.length === 0 && fields.length === 0;

/** Checks that a list can start at the requested place. @throws StatusError 400 */
export function checkPlace({
  continueToken,
  resourceVersion: version,
}: Pick<ListQuery, "continueToken" | "resourceVersion">): void {
  if (continueToken === "") {
    const problem = versionProblem(version);
    if (problem !== undefined) throw badRequest(`invalid resource version: ${problem}`);
    return;
  }
  readContinue(continueToken);
  if (version !== "" && version !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
}

/**
 * Reads and checks the options of a watch. One with neither a version nor `sendInitialEvents`
 * begins with the existing objects.
 *
 * @throws StatusError 400 or 422
 */
export function parseWatchQuery(
  query: URLSearchParams,
  resource: ServedResource,
  namespace: string,
): WatchQuery {
  const timeoutSeconds = integerOption(query, "timeoutSeconds");
  integerOption(query, "limit");
  const selectors = parseSelectors(query);
  const version = query.get("resourceVersion") ?? "";
  const asked = query.get("resourceVersionMatch") ?? "";
  const isFromStart =
    !query.has("sendInitialEvents") && asked === "" && (version === "" || version === "0");
  const initial = isFromStart || query.has("sendInitialEvents");
  const match = isFromStart ? "NotOlderThan" : asked;
  const errors: FieldError[] = [];
  if (initial && match !== "NotOlderThan") {
    errors.push(
      forbidden(
        "resourceVersionMatch",
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
      ),
    );
  }
  if (match !== "") {
    if (!initial) {
      errors.push(
        forbidden(
          "resourceVersionMatch",
          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ),
      );
    }
    if (match !== "NotOlderThan") {
      errors.push(notSupported("resourceVersionMatch", match, ["NotOlderThan"]));
    }
    if ((query.get("continue") ?? "") !== "") {
      errors.push(
        forbidden(
          "resourceVersionMatch",
          "resourceVersionMatch is forbidden when continue is provided",
        ),
      );
    }
  }
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  checkFields(selectors, resource);
  return {
    ...selectors,
    namespace,
    resourceVersion: version,
    bookmarks: booleanOption(query, "allowWatchBookmarks"),
    ...(initial
      ? { sendInitialEvents: isFromStart || booleanOption(query, "sendInitialEvents") }
      : {}),
    ...present({ timeoutSeconds }),
  };
}

/** Errors of the propagation policy and the dry run of a deletion. */
export function deletionErrors(
  policy: string | undefined,
  orphan: boolean | undefined,
  dryRun: readonly string[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (orphan !== undefined && policy !== undefined) {
    errors.push(
      invalidValue(
        "propagationPolicy",
        policy,
        "orphanDependents and deletionPropagation cannot be both set",
      ),
    );
  }
  if (policy !== undefined && !["Foreground", "Background", "Orphan"].includes(policy)) {
    errors.push(
      notSupported("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]),
    );
  }
  return [...errors, ...dryRunErrors(dryRun)];
}
