/**
 * The markers that are rules in CEL: those that an author writes, and which fields of an object may be set together.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
import type { ValidationRule } from "../kube/schema/structural.ts";
import { type FieldOrClassMarker, typedMarker } from "./marker.ts";
import { aName, aText, options } from "./parameters.ts";

/** The options of a rule beside its expression. */
export interface CelOptions {
  /** The message that the user reads when the rule fails. */
  readonly message?: string;
  /** A CEL expression that makes the message. */
  readonly messageExpression?: string;
  readonly reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate";
  /** The field that is blamed, relative to this one: `.replicas`. */
  readonly fieldPath?: string;
  /** `oldSelf` is an optional, and the rule runs on create as well. */
  readonly optionalOldSelf?: boolean;
}

const CEL_OPTIONS = ["message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"];

/**
 * A rule in CEL that the value has to satisfy: `@Cel("self.min <= self.max", { message: "..." })`.
 *
 * @example `@Cel("self != 'none'", { message: "give it a name" }) name?: string;`
 */
export const Cel = typedMarker<(rule: string, options?: CelOptions) => FieldOrClassMarker<unknown>>(
  {
    on: "any",
    parameters: [aText, options<CelOptions>(CEL_OPTIONS)],
    last: "optional",
    effect: (rule: string, more: CelOptions = {}) => ({
      schema: { "x-kubernetes-validations": [{ rule, ...more } satisfies ValidationRule] },
    }),
  },
);

/** The fields that may be absent. */
type OptionalField<T> = {
  [P in keyof T]-?: undefined extends T[P] ? P : never;
}[keyof T];

/** A decorator for a field or class of objects that have all of the fields `K`, each of which may be absent. */
interface FieldsMarker<K extends string> {
  <This, V extends { readonly [P in K]?: unknown } | null | undefined>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> &
      ([K] extends [OptionalField<NonNullable<V>>] ? unknown : never),
  ): void;
  <O extends object, P extends keyof O>(
    target: O,
    key: [K] extends [OptionalField<NonNullable<O[P]>>] ? P : never,
  ): void;
  <C extends abstract new (...args: never[]) => object>(
    target: C & ([K] extends [OptionalField<InstanceType<C>>] ? unknown : never),
    context?: ClassDecoratorContext<C>,
  ): void;
}

const oneOf = (relation: string, says: string) =>
  typedMarker<<const K extends string>(...fields: K[]) => FieldsMarker<K>>({
    on: "object",
    parameters: [aName],
    last: "repeated",
    effect: (...fields: string[]) => ({
      optionalFields: fields,
      schema: {
        "x-kubernetes-validations": [
          {
            rule:
              relation === "||"
                ? fields.map((field) => `has(self.${field})`).join("||")
                : `${fields.map((field) => `(has(self.${field})?1:0)`).join("+")} ${relation}`,
            message: says.replace("[]", `[${fields.join(" ")}]`),
          },
        ],
      },
    }),
  });

/**
 * At most one of the fields is set: `@AtMostOneOf("secret", "configMap") class Source {}`.
 *
 * @example `@AtMostOneOf("a", "b") class Source { a?: string; b?: string }`
 */
export const AtMostOneOf = oneOf("<= 1", "at most one of the fields in [] may be set");

/**
 * Exactly one of the fields is set.
 *
 * @example `@ExactlyOneOf("a", "b") class Source { a?: string; b?: string }`
 */
export const ExactlyOneOf = oneOf("== 1", "exactly one of the fields in [] must be set");

/**
 * At least one of the fields is set.
 *
 * @example `@AtLeastOneOf("a", "b") class Source { a?: string; b?: string }`
 */
export const AtLeastOneOf = oneOf("||", "at least one of the fields in [] must be set");
