/** Answers that are the same for every resource: documents, failures, warnings. */
import type { StatusError } from "../../../kube/status.ts";
import { JSON_TYPE, YAML_TYPE, chooseMediaType } from "../../views/accept.ts";
import { encode } from "../../views/encode.ts";
import type { Answer } from "./request.ts";

/** The header of answers that may change at any time. */
export const NO_CACHE = { "cache-control": "no-cache, private" };

export function jsonAnswer(
  status: number,
  body: object,
  headers: Readonly<Record<string, string | string[]>> = {},
): Answer {
  return {
    status,
    headers: { ...NO_CACHE, "content-type": "application/json", ...headers },
    body: `${JSON.stringify(body)}\n`,
  };
}

/** Parameters that ask for another view of an object, or for a stream; a failure has neither. */
const FORMS = ["as", "g", "v", "stream"];

/** A failure as its `Status`, in YAML for clients that accept only that. */
export function failureAnswer(error: StatusError, accept: string | undefined): Answer {
  const { status } = error;
  const { retryAfterSeconds: seconds } = status.details ?? {};
  const mediaType =
    chooseMediaType(accept, [JSON_TYPE, YAML_TYPE], (type, parameters) =>
      FORMS.some((name) => parameters[name] !== undefined) ? undefined : type.join("/"),
    ) ?? "application/json";
  return {
    status: status.code,
    headers: {
      ...NO_CACHE,
      "content-type": mediaType,
      ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    },
    body: encode(status, mediaType),
  };
}

/** `404 page not found`: the answer to paths that are not served. */
export const pageNotFound = (): Answer => textAnswer(404, "404 page not found\n");

/** A text that browsers do not take for anything else. */
export function textAnswer(status: number, body: string): Answer {
  const type = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers: { ...NO_CACHE, ...type }, body };
}

const WARNINGS_MAX_LENGTH = 4096;
const WARNING_CUT_LENGTH = 256;

/** An answer with `Warning` headers, each once; all are cut when they are too long together. */
export function withWarnings(answer: Answer, warnings: readonly string[]): Answer {
  const texts = [...new Set(warnings)].filter((text) => text !== "" && !/\p{Cc}/u.test(text));
  if (texts.length === 0) return answer;
  const warning = fitting(texts).map((text) => `299 - "${text.replace(/[\\"]/g, "\\$&")}"`);
  return { ...answer, headers: { ...answer.headers, warning } };
}

function fitting(texts: readonly string[]): readonly string[] {
  const all = texts.map((text) => Array.from(text));
  const total = all.reduce((sum, { length }) => sum + length, 0);
  if (total <= WARNINGS_MAX_LENGTH) return texts;
  const kept: string[] = [];
  let before = 0;
  let keptLength = 0;
  for (const text of all) {
    // All warnings from before the limit are kept.
    if (before > WARNINGS_MAX_LENGTH && keptLength >= WARNINGS_MAX_LENGTH) break;
    const cut = text.slice(0, WARNING_CUT_LENGTH);
    kept.push(cut.join(""));
    keptLength += cut.length;
    before += text.length;
  }
  return kept;
}
