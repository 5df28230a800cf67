/** The media types of request bodies, each with its reader. */
import { failure } from "../../../kube/status.ts";
import { tableOf } from "../../../table.ts";
import type { Body } from "./body.ts";
import { openJson } from "./json.ts";
import { openProtobuf } from "./protobuf.ts";
import { openYaml } from "./yaml.ts";

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

/**
 * Reads a body of that form.
 *
 * @param merges - duplicate fields of JSON are merged into the earlier ones
 * @throws WireError
 */
export function openBody(bytes: Uint8Array, form: BodyForm, merges: boolean): Body {
  switch (form) {
    case "json":
      return openJson(bytes, merges);
    case "yaml":
      return openYaml(bytes);
    case "protobuf":
      return openProtobuf(bytes);
  }
}
