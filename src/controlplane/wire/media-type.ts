/** The media types of request bodies. */
import { failure } from "../../kube/status.ts";
import { tableOf } from "../../table.ts";

/** The format of a body. */
export type BodyForm = "json" | "yaml" | "protobuf";

const FORMS = tableOf<BodyForm>({
  "application/json": "json",
  "application/yaml": "yaml",
  "application/vnd.kubernetes.protobuf": "protobuf",
});

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MEDIA_TYPE = new RegExp(
  `^\\s*(${TOKEN}/${TOKEN})(\\s*;\\s*${TOKEN}=(${TOKEN}|"([^"\\\\]|\\\\.)*"))*\\s*;?\\s*$`,
);

/**
 * The format that a Content-Type names; JSON when absent. Parameters are ignored.
 *
 * @throws StatusError 415 for another type, or one that cannot be parsed
 */
export function bodyForm(contentType: string): BodyForm {
  if (contentType === "" || contentType === "application/json") return "json";
  const form = FORMS.get(MEDIA_TYPE.exec(contentType)?.[1]?.toLowerCase() ?? "");
  if (form) return form;
  throw unsupportedBody();
}

/** The 415 that lists the supported media types. */
export function unsupportedBody(): ReturnType<typeof failure> {
  return failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${[...FORMS.keys()].join(", ")}`,
  );
}
