/** Errors of the HTTP answer of a webhook, in client-go's words. */
import { quote } from "../../kube/field-errors.ts";
import { isJsonObject } from "../../kube/json.ts";

/** The reasons of status codes whose body does not give one. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  403: "the server does not allow access to the requested resource",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  406: "the server was unable to respond with a content type that the client supports",
  409: "the server reported a conflict",
  410: "the server could not find the requested resource",
  415: "the body of the request was in an unknown format",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** Why an answer is not a success; `undefined` for one with a body and a 2xx status. */
export function answerProblem(answer: {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}): string | undefined {
  const { status, contentType, body } = answer;
  if (status >= 200 && status < 300) {
    if (body.length > 0) return undefined;
    return `0-length response with status code: ${status} and content type: ${contentType}`;
  }
  const told = messageOfStatus(body);
  if (told !== undefined) return told;
  const known = STATUS_TEXTS[status];
  if (known !== undefined) return known;
  if (status < 500) {
    return `the server responded with the status code ${status} but did not return more information`;
  }
  const isText = contentType === "" || /^text\//i.test(contentType);
  const text = isText ? body.toString("utf8").trim() : "";
  return `an error on the server (${quote(text === "" ? "unknown" : text)}) has prevented the request from succeeding`;
}

/** The message of a `Status` in the body, whatever the status code is. */
function messageOfStatus(body: Buffer): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
  const { apiVersion, kind, status, message } = isJsonObject(value) ? value : {};
  const isFailure = apiVersion === "v1" && kind === "Status" && status === "Failure";
  return isFailure && typeof message === "string" ? message : undefined;
}
