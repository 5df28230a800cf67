/** A recorded reconcile as plain data: its questions, their answers, and its writes. */
import { readFileSync } from "node:fs";
import { messageOf, TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { Json, KubeObject } from "../../kube/object.ts";
import { groupResourceOf, type ResourceInfo } from "../../kube/resource.ts";
import type { Status } from "../../kube/status.ts";
import { parseExact, stringifyExact } from "../rest/json/exact-json.ts";
import type { Query, RestRequest } from "../rest/rest-client.ts";
import type { ListQuestion } from "../rest/reconcile-tap.ts";
import type { ConnectionFailure } from "../transport/transport.ts";

/** The first field of each file. */
export const RECORDING_FORMAT = "tsop-recording/1";

/** The outcome of a request. */
export type RecordedAnswer =
  | { readonly is: "answer"; readonly value: unknown }
  | {
      readonly is: "raw";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly base64: string;
    }
  | { readonly is: "status"; readonly status: Status }
  | { readonly is: "connection"; readonly failure: ConnectionFailure; readonly message: string }
  | { readonly is: "error"; readonly message: string }
  /** The reconcile ended before the answer, or the answer is confidential. */
  | { readonly is: "unknown"; readonly why: string };

export interface RecordedRequest {
  readonly method: RestRequest["method"];
  readonly path: string;
  readonly query?: Query;
  readonly contentType?: string;
  /** The bytes that were sent. */
  readonly body?: string;
  readonly answer: RecordedAnswer;
}

/** The outcome of a reconcile. */
export type RecordedOutcome =
  | { readonly is: "success"; readonly requeueAfterMs?: number }
  | { readonly is: "error"; readonly message: string; readonly stack?: string };

/** A recorded reconcile. Answers are by question, in the order in which it was asked. */
export interface Recording {
  readonly format: typeof RECORDING_FORMAT;
  readonly operator: string;
  readonly controller: string;
  /** The key: `default/web`. */
  readonly key: string;
  readonly id: string;
  /** The wall time of the start. */
  readonly atMs: number;
  readonly causes: readonly string[];
  readonly failures: number;
  readonly outcome: RecordedOutcome;
  /** The objects that the cache returned; finds and lists refer to them by index. */
  readonly objects: readonly KubeObject[];
  readonly finds: Readonly<Record<string, readonly (number | null)[]>>;
  readonly lists: Readonly<Record<string, readonly (readonly number[])[]>>;
  readonly facts: Readonly<Record<string, readonly Json[]>>;
  readonly requests: readonly RecordedRequest[];
  /** The gaps of the recording, in words. */
  readonly notRecorded: readonly string[];
}

/** The question for one object: `deployments.apps default/web`. */
export const findQuestion = (
  resource: ResourceInfo,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): string => `${kindsOf(resource)} ${namespace ? `${namespace}/` : ""}${name}`;

/** The question for several objects: `pods in default, labels app=web`. */
export function listQuestion(resource: ResourceInfo, asked: ListQuestion): string {
  const { namespace, labels, index } = asked;
  const parts = [
    namespace ? ` in ${namespace}` : "",
    labels === undefined ? "" : `, labels ${labelsText(labels)}`,
    index ? `, index ${index.name}=${index.value}` : "",
  ];
  return `${kindsOf(resource)}${parts.join("")}`;
}

const kindsOf = (resource: ResourceInfo): string =>
  groupResourceOf(resource) + (resource.metadataOnly ? " (metadata)" : "");

const labelsText = (labels: NonNullable<ListQuestion["labels"]>): string =>
  typeof labels === "string" ? labels : stringifyExact(labels);

/** The question of a request: `PATCH /api/v1/namespaces/d/configmaps/web?force=true`. */
export function requestQuestion({
  method,
  path,
  query = {},
}: Pick<RestRequest, "method" | "path" | "query">): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${String(value)}`],
  );
  return `${method} ${path}${parts.length > 0 ? `?${parts.join("&")}` : ""}`;
}

/** Whether a request may change something. */
export const isWrite = ({ method }: Pick<RestRequest, "method">): boolean => method !== "GET";

/** Events report the work; they are not a part of it, and are not recorded. */
export const isOfEvents = ({ path }: Pick<RestRequest, "path">): boolean =>
  /\/events(?:\/|$)/.test(path);

export const recordingText = (recording: Recording): string => `${stringifyExact(recording)}\n`;

/** Reads a file. @throws TsopError `bad-recording` */
export function readRecording(path: string): Recording {
  let problem: string;
  try {
    const value = parseExact(readFileSync(path, "utf8"));
    if (isJsonObject(value) && value["format"] === RECORDING_FORMAT) {
      return value as object as Recording;
    }
    problem = "it is not a recording from this tsop version";
  } catch (error) {
    problem = messageOf(error);
  }
  throw new TsopError(
    "bad-recording",
    `${path} cannot be replayed: ${problem}.`,
    "`tsop dev` saves failed reconciles in .tsop/dev/recordings; name one of these files.",
  );
}
