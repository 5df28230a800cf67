/**
 * The paths of the webhook server: reviews of admission and of conversion, with failures logged and
 * counted.
 */
import type { Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { AdmissionRequest } from "../../kube/webhooks/admission.ts";
import type { JsonObject } from "../../kube/object.ts";
import { StatusError } from "../../kube/status.ts";
import type { Logger } from "../../log.ts";
import { omittedText, ReportLimit } from "../report-limit.ts";
import { ToldBefore } from "../told-before.ts";
import { admit } from "./admission.ts";
import { admissionRequestOf, askedReviewOf } from "./admission-request.ts";
import type { ConversionRegistry } from "./conversion/conversion-registry.ts";
import {
  askedConversionOf,
  conversionFailed,
  conversionRequestOf,
  convert,
} from "./conversion-review.ts";
import type { AdmissionRoute } from "./handlers.ts";
import type { Patience } from "./requests/patience.ts";
import { type Reply, ReviewFailure, reviewReply } from "./requests/replies.ts";
import { ADMISSION_MAX_BYTES } from "./requests/request-limits.ts";
import type { ServedPath } from "./requests/served-path.ts";
import type { WebhookMetrics } from "./requests/webhook-metrics.ts";

const MIB = 1024 * 1024;
// All objects of a list come in one request; controller-runtime has no limit. The memory for requests is a lower one in most containers.
const CONVERSION_MAX_BYTES = 128 * MIB;
/** The changed objects and their text take half as much again. */
const CHANGED_GROWTH = 1.5;
/** What is read of a body is at least twice the size of it. */
const LEAST_GROWTH = 3;
// The API server's default for `timeoutSeconds`; it never gives up a conversion.
const ADMISSION_TIMEOUT_MS = 10_000;
const CONVERSION_TIMEOUT_MS = 30_000;
const MESSAGE_MAX = 1024;

/** The destination of reported failures. */
export interface Told {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
  /** The memory that one request can have. */
  readonly largestBytes: number;
  /** Called with the path of a conversion whose client no longer waited for the answer. */
  readonly unanswered?: (pathname: string) => void;
}

export function admissionPath(route: AdmissionRoute, told: Told): ServedPath {
  const { path, handler } = route;
  const name = handler.constructor.name;
  const log = told.log.child({ webhook: path });
  const refusals = new RefusedRequests(log, told.clock);
  const failed = (error: unknown, request: AdmissionRequest): ReviewFailure => {
    if (error instanceof ReviewFailure) {
      if (error.status < 500) return refusals.refused(error);
      log.warn(fieldsOf(request), error.message);
      return error;
    }
    told.metrics.panicked();
    const message = `${name} failed: ${messageOf(error)}`;
    log.error({ err: error, ...fieldsOf(request) }, message);
    const status = error instanceof StatusError ? error.code : 500;
    return new ReviewFailure(status, message.slice(0, MESSAGE_MAX), { cause: error });
  };
  return {
    name: path,
    metrics: told.metrics.of(path),
    maxBytes: maxBytesOf(ADMISSION_MAX_BYTES, told),
    isForAll: false,
    growth: route.asks === "validate" ? 1 : CHANGED_GROWTH,
    defaultTimeoutMs: ADMISSION_TIMEOUT_MS,
    askedBy: askedReviewOf,
    broken: (error) => {
      log.error({ err: error }, `a review failed: ${messageOf(error)}`);
    },
    answer(body, asked, patience) {
      const request = refusals.readOr(() => admissionRequestOf(body));
      return inTime(
        () => admit(route, request, patience),
        { name, patience },
        (response) => reviewReply(asked, response),
        (error) => {
          throw failed(error, request);
        },
      );
    },
  };
}

export function conversionPath(path: string, registry: ConversionRegistry, told: Told): ServedPath {
  const log = told.log.child({ webhook: path });
  const refusals = new RefusedRequests(log, told.clock);
  // Anybody can send objects whose conversion fails.
  const failures = new ReportLimit(told.clock);
  return {
    name: path,
    metrics: told.metrics.of(path),
    maxBytes: maxBytesOf(CONVERSION_MAX_BYTES, told),
    isForAll: true,
    growth: CHANGED_GROWTH,
    defaultTimeoutMs: CONVERSION_TIMEOUT_MS,
    askedBy: askedConversionOf,
    broken: (error) => {
      log.error({ err: error }, `a conversion failed: ${messageOf(error)}`);
    },
    answer(body, asked, patience, pathname) {
      const request = refusals.readOr(() => conversionRequestOf(body));
      return inTime(
        () => convert(registry, request, { patience, pathname }),
        { name: "the conversion", patience },
        (response) => reviewReply(asked, response),
        (error) => {
          if (error instanceof ReviewFailure) {
            if (error.status === 504) told.unanswered?.(pathname);
            throw error;
          }
          if (!(error instanceof TsopError)) told.metrics.conversionPanicked();
          const { desiredAPIVersion, objects } = request;
          const fields = { uid: asked.uid, desiredAPIVersion, objects: objects.length };
          const omitted = failures.admit();
          if (omitted !== undefined) {
            const message = `the conversion failed: ${messageOf(error)}${omittedText(omitted)}`;
            log.error({ err: error, ...fields }, message);
          }
          return reviewReply(asked, conversionFailed(messageOf(error).slice(0, MESSAGE_MAX)));
        },
      );
    },
  };
}

const maxBytesOf = (most: number, { largestBytes }: Told): number =>
  Math.min(most, Math.floor(largestBytes / LEAST_GROWTH));

/** Does the work, at once or within the time that there is. */
function inTime(
  work: () => JsonObject | Promise<JsonObject>,
  { name, patience }: { readonly name: string; readonly patience: Patience },
  answered: (response: JsonObject) => Reply,
  failed: (error: unknown) => Reply,
): Reply | Promise<Reply> {
  let response: JsonObject | Promise<JsonObject>;
  try {
    response = work();
  } catch (error) {
    return failed(error);
  }
  if (!(response instanceof Promise)) return answered(response);
  return patience.of(response, name).then(answered, failed);
}

/** Requests that cannot be answered: each kind is told once, and few a minute. A stranger may send any number. */
class RefusedRequests {
  readonly #log: Logger;
  readonly #limit: ReportLimit;
  readonly #told = new ToldBefore();

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#limit = new ReportLimit(clock);
  }

  /** @throws ReviewFailure 400, which is logged */
  readOr<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.refused(error as ReviewFailure);
    }
  }

  refused(failure: ReviewFailure): ReviewFailure {
    if (!this.#told.isFirst(failure.message)) return failure;
    const omitted = this.#limit.admit();
    if (omitted !== undefined) {
      this.#log.warn(`a request was refused: ${failure.message}${omittedText(omitted)}`);
    }
    return failure;
  }
}

/** The fields of a request for the log: never its objects. */
function fieldsOf(request: AdmissionRequest): object {
  const { uid, operation, kind, namespace, name, userInfo } = request;
  return { uid, operation, kind: kind.kind, namespace, name, user: userInfo.username };
}
