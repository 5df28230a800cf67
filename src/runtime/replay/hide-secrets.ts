/**
 * Removes the values of Secrets from a recording: each becomes a placeholder, the same one wherever
 * the value stands, so that a copied value is still copied when the recording is replayed.
 */
import { isJsonObject } from "../../kube/json.ts";
import { stringifyExact, parseExact } from "../rest/json/exact-json.ts";
import { askedObject } from "../journal/asked-object.ts";
import type { RecordedRequest, Recording } from "./recording.ts";

/** Shorter values stand in many texts by chance. */
const SHORTEST_SEARCHED = 8;
const PLACEHOLDER = /^hidden-\d+$/;

export function withoutSecrets(recording: Recording): Recording {
  const values = new SecretValues();
  const { objects, requests } = recording;
  const hidden: Recording = {
    ...recording,
    objects: objects.map((object) => values.hideIn(object) as typeof object),
    requests: requests.map((request) => values.hideInRequest(request)),
  };
  return parseExact(values.replaceIn(stringifyExact(hidden))) as Recording;
}

/**
 * The body of a request in a form that two runs can compare: a random value is replaced, because it
 * is new in each run.
 */
export function comparableBody({ path, body }: Pick<RecordedRequest, "path" | "body">): string {
  if (body === undefined || !isOfSecrets(path)) return body ?? "";
  return stringifyExact(hiddenValues(parseExact(body), () => "(hidden)"));
}

/** The values of the Secrets of one recording. */
class SecretValues {
  /** The placeholders by their values, decoded. */
  readonly #placeholders = new Map<string, string>();

  /** A value, also with lists and objects in it, in which the values of Secrets are replaced. */
  hideIn(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.hideIn(item));
    if (!isJsonObject(value)) return value;
    if (value["kind"] === "Secret" || value["kind"] === "SecretList") return this.#hideAll(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, this.hideIn(part)]),
    );
  }

  hideInRequest(request: RecordedRequest): RecordedRequest {
    const { path, body, answer } = request;
    const isSecret = isOfSecrets(path);
    const hide = (value: unknown): unknown =>
      isSecret ? this.#hideAll(value) : this.hideIn(value);
    const hiddenBody = body === undefined ? undefined : this.#hideInText(body, hide);
    return {
      ...request,
      ...(hiddenBody !== undefined && { body: hiddenBody }),
      answer:
        answer.is === "answer"
          ? { is: "answer", value: hide(answer.value) }
          : answer.is === "raw" && isSecret
            ? { is: "unknown", why: "it is the bytes of a Secret, which are not recorded" }
            : answer,
    };
  }

  /** The values can also be in other places: a connection string, an environment variable. */
  replaceIn(text: string): string {
    let result = text;
    for (const [plain, placeholder] of this.#placeholders) {
      if (plain.length < SHORTEST_SEARCHED) continue;
      const encoded = Buffer.from(plain).toString("base64");
      const hidden = Buffer.from(placeholder).toString("base64");
      result = result.replaceAll(JSON.stringify(plain).slice(1, -1), placeholder);
      // A body is a text within the text.
      const twice = JSON.stringify(JSON.stringify(plain).slice(1, -1)).slice(1, -1);
      result = result.replaceAll(twice, placeholder).replaceAll(encoded, hidden);
    }
    return result;
  }

  #hideInText(text: string, hide: (value: unknown) => unknown): string {
    try {
      return stringifyExact(hide(parseExact(text)));
    } catch {
      return text;
    }
  }

  #hideAll(value: unknown): unknown {
    return hiddenValues(value, (plain) => this.#placeholderOf(plain));
  }

  #placeholderOf(plain: string): string {
    if (PLACEHOLDER.test(plain)) return plain;
    const known = this.#placeholders.get(plain);
    if (known !== undefined) return known;
    const placeholder = `hidden-${this.#placeholders.size + 1}`;
    this.#placeholders.set(plain, placeholder);
    return placeholder;
  }
}

const isOfSecrets = (path: string): boolean => askedObject(path)?.resource === "secrets";

/** A Secret, a list of Secrets, or a patch of one, with placeholders for values. */
function hiddenValues(value: unknown, placeholderOf: (plain: string) => string): unknown {
  // The operations of a JSON patch have values at any path.
  if (Array.isArray(value)) {
    return value.map((operation: unknown) =>
      isJsonObject(operation) && "value" in operation
        ? { ...operation, value: everyText(operation["value"], placeholderOf) }
        : hiddenValues(operation, placeholderOf),
    );
  }
  if (!isJsonObject(value)) return value;
  const encoded = (text: string): string =>
    Buffer.from(placeholderOf(Buffer.from(text, "base64").toString())).toString("base64");
  const { data, stringData, items } = value;
  return {
    ...value,
    ...(data !== undefined && { data: everyText(data, encoded) }),
    ...(stringData !== undefined && { stringData: everyText(stringData, placeholderOf) }),
    ...(Array.isArray(items) && { items: items.map((item) => hiddenValues(item, placeholderOf)) }),
  };
}

function everyText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => everyText(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, everyText(part, change)]),
  );
}
