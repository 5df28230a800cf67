/** The marker of types that come from elsewhere: how much of them goes into the CRD. */
import { type EmbedOptions, typedMarker } from "./marker.ts";
import { options } from "./parameters.ts";

type FirstStep<Path extends string> = Path extends `${infer Step}.${string}` ? Step : Path;

/** The items of a list, the values of a record, or the type itself. */
type Part<V> = V extends readonly (infer I)[]
  ? NonNullable<I>
  : V extends object
    ? string extends keyof V
      ? NonNullable<V[keyof V]>
      : V
    : never;

/** The fields of a type; those of the items of a list and of the values of a record, to a depth of two. */
type FieldOf<V> = Extract<keyof Part<Part<NonNullable<V>>>, string>;

/** A decorator for a field whose type has all of the fields at which the paths begin. */
interface EmbedMarker<Path extends string> {
  <This, V>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> &
      ([FirstStep<Path>] extends [FieldOf<V>] ? unknown : never),
  ): void;
  <O extends object, K extends keyof O>(
    target: O,
    key: [FirstStep<Path>] extends [FieldOf<O[K]>] ? K : never,
  ): void;
}

const isPaths = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.every((path) => typeof path === "string" && path !== ""));

const isLimit = (value: unknown): boolean =>
  value === undefined ||
  typeof value === "boolean" ||
  (Number.isInteger(value) && Number(value) > 0);

const isSwitch = (value: unknown): boolean => value === undefined || typeof value === "boolean";

/**
 * Limits the part of a large type that is written to the CRD:
 * `@Embed({ omit: ["spec.ephemeralContainers"], descriptions: false }) template!: PodTemplateSpec`.
 * `defaults: false` leaves out the defaults in it but for those that the API server demands, and
 * `metadata: false` the fields of metadata in it. The compiler still sees the whole type; use
 * `Pick` or `Omit` to narrow both.
 *
 * @example `@Embed({ only: ["name"], descriptions: false }) owner?: OwnerReference;`
 */
export const Embed = typedMarker<
  <const Path extends string = never>(options: EmbedOptions<Path>) => EmbedMarker<Path>
>({
  on: "any",
  parameters: [
    options<EmbedOptions>(
      ["only", "omit", "descriptions", "defaults", "metadata"],
      ({ only, omit, descriptions, defaults, metadata }) =>
        isPaths(only) &&
        isPaths(omit) &&
        isLimit(descriptions) &&
        isSwitch(defaults) &&
        isSwitch(metadata),
    ),
  ],
  effect: (embed: EmbedOptions) => ({ embed }),
});
