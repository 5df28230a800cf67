/** The body of a request, whatever its media type: its bytes are read once. */
import { goKindOf } from "../../../kube/patch.ts";
import { NumberLiteral, isMap } from "../json/number-literal.ts";
import { WireError } from "../json/wire-error.ts";

/** The apiVersion and kind of an object; empty when absent. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Go's name of the struct into which it decodes the type. */
const TYPE_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The type that a body gives; empty when absent. @throws WireError */
export function readType(value: unknown): TypeMeta {
  const refuse = (what: unknown, target: string): never => {
    const found = what instanceof NumberLiteral ? "number" : goKindOf(what);
    throw new WireError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${found} into ${target}`,
    );
  };
  if (value === null) return { apiVersion: "", kind: "" };
  if (!isMap(value)) {
    return refuse(value, `Go value of type ${TYPE_STRUCT}`);
  }
  // Go matches these two names case-insensitively.
  const read = (name: "apiVersion" | "kind"): string => {
    const fold = name.toLowerCase();
    const last = Object.keys(value).findLast((key) => key.toLowerCase() === fold);
    const text = (last === undefined ? undefined : value[last]) ?? "";
    return typeof text === "string"
      ? text
      : refuse(text, `Go struct field .${name} of type string`);
  };
  return { apiVersion: read("apiVersion"), kind: read("kind") };
}

export interface Body {
  /** The type that it gives. @throws WireError */
  readonly type: TypeMeta;
  /** The problems of its notation in the words of errors: `duplicate field "spec.a"`. */
  readonly problems: readonly string[];
  /** The content, which may hold `NumberLiteral`s. @throws WireError */
  valueAs(type: TypeMeta): unknown;
  /** The content for strict decoding, and the problems of its notation alone. */
  strictly(): { readonly tree: unknown; readonly problems: readonly string[] };
  /** Whether empty values of Go structs are included. */
  readonly withEmpty: boolean;
}

/** A body whose content does not depend on its type. */
export interface TextBody extends Body {
  readonly value: unknown;
}
