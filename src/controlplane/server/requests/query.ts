/** The options of a request's query, read and refused exactly as by the API server. */
import { Check } from "../../../kube/check.ts";
import { invalid } from "../../../kube/field-errors.ts";
import { validateFieldManager } from "../../../kube/metadata.ts";
import {
  SelectorError,
  parseFieldSelector,
  parseLabelSelector,
} from "../../../kube/selectors/selector.ts";
import { int64Problem, uint64Problem } from "../../../kube/values/integers.ts";
import type { ServedResource } from "../../kinds.ts";
import type { WriteOptions } from "../cluster/cluster.ts";
import { readContinue } from "../read/continue-token.ts";
import { badRequest } from "../../failures.ts";
import type { ListQuery, ObjectFilter } from "../read/list.ts";
import type { WatchQuery } from "../read/watch.ts";
import { type ResourceRequest, headerOf } from "./request.ts";

/** Whether an option is true: everything but absent, `0` and `false` is. */
export function booleanOption(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

/** A whole number, `undefined` when it is absent. @throws StatusError 400 */
export function integerOption(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const problem = int64Problem(text);
  if (problem !== undefined) throw badRequest(problem);
  return Number(text);
}

/** The error of a resourceVersion as an unsigned number; `undefined` when it is valid. */
export function versionProblem(text: string): string | undefined {
  if (text === "") return undefined;
  const problem = uint64Problem(text);
  return problem && `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`;
}

const DURATION_UNITS: ReadonlySet<string> = new Set(["ns", "us", "µs", "μs", "ms", "s", "m", "h"]);

/** The error of a duration, in Go's words; `undefined` when it is valid. */
function durationProblem(text: string): string | undefined {
  const shown = JSON.stringify(text);
  let rest = text.replace(/^[-+]/, "");
  if (rest === "0") return undefined;
  do {
    const [, number = "", unit = ""] = /^(\d+\.?\d*|\.\d+)?([^\d.]*)/.exec(rest) ?? [];
    if (number === "") return `time: invalid duration ${shown}`;
    if (unit === "") return `time: missing unit in duration ${shown}`;
    if (!DURATION_UNITS.has(unit)) {
      return `time: unknown unit ${JSON.stringify(unit)} in duration ${shown}`;
    }
    rest = rest.slice(number.length + unit.length);
  } while (rest !== "");
  return undefined;
}

/**
 * Checks the parameter `timeout`, how long the client waits. Answers here are given at once, so it
 * has no effect.
 *
 * @throws StatusError 400 unless it is a duration
 */
export function checkTimeout(query: URLSearchParams): void {
  const timeout = query.get("timeout") ?? "";
  const problem = timeout === "" ? undefined : durationProblem(timeout);
  if (problem !== undefined) {
    throw badRequest(`invalid timeout specified in the request URL - ${problem}`);
  }
}

/** Checks the options of a request. @throws StatusError 422 about that kind of options */
export function checkOptions<T>(kind: string, options: T, check: (sent: Check<T>) => void): void {
  const errors = Check.errorsOf(options, check);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors);
}

/** The options of a write that a client asks for. */
export interface RequestedOptions extends WriteOptions {
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Whether an apply takes fields from other managers. */
  readonly force: boolean;
}

const OPTIONS_KIND = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
  apply: "PatchOptions",
} as const;

/** The options of a write whose query sets none. */
export function plainOptions({ request, warnings }: ResourceRequest): WriteOptions {
  return {
    user: request.user,
    // The user agent up to its first slash.
    manager: (headerOf(request, "user-agent").split("/")[0] ?? "").slice(0, 128),
    dryRun: false,
    asked: {},
    warn: (text) => void warnings.push(text),
  };
}

/** Reads and checks the options of a write. @throws StatusError 422 */
export function writeOptions(
  asked: ResourceRequest,
  verb: keyof typeof OPTIONS_KIND,
): RequestedOptions {
  const { query } = asked.request;
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const dryRun = query.getAll("dryRun");
  const sent = { fieldManager, force: query.get("force"), dryRun, fieldValidation };
  checkOptions(OPTIONS_KIND[verb], sent, (options) => {
    const manager = options.at("fieldManager");
    if (verb === "apply") manager.given("is required for apply patch");
    if (verb === "patch" && query.has("force")) {
      options.at("force").forbidden("may not be specified for non-apply patch");
    }
    manager.add(validateFieldManager(fieldManager, "fieldManager"));
    checkDryRun(options.at("dryRun"));
    options.at("fieldValidation").oneOf(["", "Ignore", "Strict", "Warn"]);
  });
  const plain = plainOptions(asked);
  return {
    ...plain,
    manager: fieldManager || plain.manager,
    dryRun: dryRun.length > 0,
    fieldValidation:
      fieldValidation === "Ignore" || fieldValidation === "Strict" ? fieldValidation : "Warn",
    force: booleanOption(query, "force"),
    asked: {
      ...(fieldManager === "" ? {} : { fieldManager }),
      ...(fieldValidation === "" ? {} : { fieldValidation }),
    },
  };
}

/** `dryRun` can only be `All`. */
export function checkDryRun(dryRun: Check<readonly string[]>): void {
  if (dryRun.value.some((value) => value !== "All")) dryRun.notSupported(["All"]);
}

/** The options that lists and watches have in common. @throws StatusError 400 */
function collectionOptions({ request, namespace }: ResourceRequest) {
  const { query } = request;
  const timeoutSeconds = integerOption(query, "timeoutSeconds");
  const limit = integerOption(query, "limit") ?? 0;
  const text = (name: string): string => query.get(name) ?? "";
  try {
    return {
      labels: parseLabelSelector(text("labelSelector")),
      fields: parseFieldSelector(text("fieldSelector")),
      namespace,
      timeoutSeconds,
      limit: Math.max(limit, 0),
      continueToken: text("continue"),
      resourceVersion: text("resourceVersion"),
      resourceVersionMatch: text("resourceVersionMatch"),
      sendInitialEvents: query.has("sendInitialEvents"),
    };
  } catch (thrown) {
    if (thrown instanceof SelectorError) throw badRequest(thrown.message);
    throw thrown;
  }
}

/** Checks that the resource has the selected fields. @throws StatusError 400 */
function checkFields({ fields }: ObjectFilter, resource: ServedResource): void {
  for (const { field } of fields) {
    const problem = fieldProblem(resource, field);
    if (problem !== undefined) throw badRequest(problem);
  }
}

/** The error of a field selector's field; `undefined` when the resource has it. */
function fieldProblem(resource: ServedResource, field: string): string | undefined {
  const { builtIn, namespaced, selectableFields, traits = {} } = resource;
  if (field === "metadata.name") return undefined;
  const hasNamespace = builtIn ? !traits.selectsNoNamespace : namespaced;
  if (field === "metadata.namespace" && hasNamespace) return undefined;
  if (selectableFields && Object.hasOwn(selectableFields, field)) return undefined;
  if (traits.refuseFieldLabel) return traits.refuseFieldLabel(field);
  return builtIn && !selectableFields
    ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${field}`;
}

/** Reads and checks the options of a list, except for its start. @throws StatusError 400 or 422 */
export function parseListQuery(asked: ResourceRequest): ListQuery {
  const sent = collectionOptions(asked);
  const { resourceVersion: version, resourceVersionMatch: match, continueToken } = sent;
  checkOptions("ListOptions", sent, (options) => {
    const at = options.at("resourceVersionMatch");
    const refuse = (why: string): void => at.forbidden(`resourceVersionMatch ${why}`);
    if (match !== "") {
      if (version === "") refuse("is forbidden unless resourceVersion is provided");
      if (continueToken !== "") refuse("is forbidden when continue is provided");
      at.oneOf(["Exact", "NotOlderThan", ""]);
      if (match === "Exact" && version === "0") {
        refuse('"exact" is forbidden for resourceVersion "0"');
      }
    }
    if (sent.sendInitialEvents) {
      options.at("sendInitialEvents").forbidden("sendInitialEvents is forbidden for list");
    }
  });
  checkFields(sent, asked.resource);
  return { ...sent, match: match as ListQuery["match"] };
}

/** Checks that a list can start at the requested place. @throws StatusError 400 */
export function checkPlace({ continueToken, resourceVersion: version }: ListQuery): void {
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
export function parseWatchQuery(asked: ResourceRequest): WatchQuery {
  const { query } = asked.request;
  const sent = collectionOptions(asked);
  const { resourceVersion: version, resourceVersionMatch, sendInitialEvents } = sent;
  const isFromStart =
    !sendInitialEvents && resourceVersionMatch === "" && (version === "" || version === "0");
  const initial = isFromStart || sendInitialEvents;
  const match = isFromStart ? "NotOlderThan" : resourceVersionMatch;
  checkOptions("ListOptions", { resourceVersionMatch: match }, (options) => {
    const at = options.at("resourceVersionMatch");
    if (initial && match !== "NotOlderThan") {
      at.forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (match === "") return;
    const refuse = (why: string): void => at.forbidden(`resourceVersionMatch is forbidden ${why}`);
    if (!initial) refuse("for watch unless sendInitialEvents is provided");
    at.oneOf(["NotOlderThan"]);
    if (sent.continueToken !== "") refuse("when continue is provided");
  });
  checkFields(sent, asked.resource);
  return {
    ...sent,
    sendInitialEvents: isFromStart || booleanOption(query, "sendInitialEvents"),
    bookmarks: booleanOption(query, "allowWatchBookmarks"),
  };
}
