/** Examples of types that act as markers, and the equivalents of controller-gen's markers. */

/** Examples of types without a decorator: a field by the type's name. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  With: "ports?: With<Int32, { minimum: 1 }>[];",
  Str: "labels?: Record<string, Str<{ maxLength: 63 }>>;",
};

/**
 * A marker of controller-gen, its equivalent (or the reason why none is needed), and the fixture
 * that shows it.
 */
export interface FromControllerGen {
  readonly marker: string;
  readonly here: string;
  /** A folder of `test/generator/fixtures/features`; absent where no equivalent is needed. */
  readonly feature?: string;
}

/** controller-gen's markers, by the names of its documentation. */
export const FROM_CONTROLLER_GEN: readonly FromControllerGen[] = [
  { marker: "groupName", here: "`@Resource({ group })`", feature: "resource" },
  { marker: "versionName", here: "`@Resource({ version })`", feature: "resource" },
  {
    marker: "kubebuilder:validation:Optional / Required",
    here: "none on a whole file: `?` and `!` say it at each field",
  },
  { marker: "kubebuilder:skip", here: "none: a class without `@Resource` is no kind" },
  {
    marker: "kubebuilder:resource",
    here: "`@Resource({ plural, singular, shortNames, categories, scope })`",
    feature: "resource",
  },
  {
    marker: "kubebuilder:subresource:status",
    here: "a status type; `statusSubresource: false` leaves it out",
    feature: "subresources",
  },
  { marker: "kubebuilder:subresource:scale", here: "`@Scale`", feature: "subresources" },
  { marker: "kubebuilder:printcolumn (repeat)", here: "`@PrintColumn`", feature: "columns" },
  {
    marker: "kubebuilder:storageversion",
    here: "`@Resource({ storage: true })`",
    feature: "versions",
  },
  {
    marker: "kubebuilder:unservedversion",
    here: "`@Resource({ served: false })`",
    feature: "versions",
  },
  {
    marker: "kubebuilder:deprecatedversion",
    here: "`@Resource({ deprecated: true })`, or the warning as text",
    feature: "versions",
  },
  { marker: "kubebuilder:skipversion", here: "none: take `@Resource` off the class" },
  {
    marker: "kubebuilder:metadata",
    here: "`@Resource({ annotations, labels })`",
    feature: "metadata",
  },
  { marker: "kubebuilder:selectablefield (repeat)", here: "`@Selectable`", feature: "selectable" },
  {
    marker: "kubebuilder:object:root / object:generate, k8s:deepcopy-gen*",
    here: "none: `structuredClone` copies plain JSON",
  },
  {
    marker: "kubebuilder:ac:generate, ac:output:package, generator applyconfiguration",
    here: "none: `Intent<T>` is the type of what is applied",
  },
  {
    marker: "genclient, kubebuilder:scaffold:*",
    here: "none: `Client` is typed by the kind's class, and files are edited by their syntax",
  },
  {
    marker: "(missing) conversion",
    here: "`@ConversionWebhook`; `@Resource({ conversion })` for a webhook of somebody else",
    feature: "conversion",
  },
  { marker: "Maximum / Minimum", here: "`@Maximum`, `@Minimum`", feature: "numbers" },
  {
    marker: "ExclusiveMaximum / ExclusiveMinimum",
    here: "`@ExclusiveMaximum`, `@ExclusiveMinimum`",
    feature: "numbers",
  },
  { marker: "MultipleOf", here: "`@MultipleOf`", feature: "numbers" },
  { marker: "MaxLength / MinLength", here: "`@MaxLength`, `@MinLength`", feature: "texts" },
  { marker: "Pattern", here: "`@Pattern`; a template literal type", feature: "texts" },
  {
    marker: "MaxItems / MinItems",
    here: "`@MaxItems`, `@MinItems`; a tuple `[T, T]` says both",
    feature: "lists",
  },
  { marker: "UniqueItems", here: "none: the API server refuses it; `@ListSet` is what is meant" },
  {
    marker: "MaxProperties / MinProperties",
    here: "`@MaxProperties`, `@MinProperties`",
    feature: "records",
  },
  {
    marker: "validation:items:*",
    here: "`With<T, {...}>` and `Str<{...}>` as the item's type, at any depth",
    feature: "constrained-types",
  },
  {
    marker: "Enum",
    here: "a union of literals or an `enum` as the type; `@Enum`",
    feature: "enums",
  },
  {
    marker: "k8s:enum",
    here: "an `enum`, or `(typeof MODES)[number]` of a constant list",
    feature: "enums",
  },
  {
    marker: "Format",
    here: "`Int32`, `Int64`, `Float`, `Double`, `Time`, `Base64`; `@Format`",
    feature: "formats",
  },
  { marker: "Type", here: "`@RawSchema`", feature: "raw-schema" },
  {
    marker: "XIntOrString",
    here: "`IntOrString`, `Quantity`, `number | string`; `@AcceptNumber`",
    feature: "int-or-string",
  },
  {
    marker: "XPreserveUnknownFields, kubebuilder:pruning:PreserveUnknownFields",
    here: "`@PreserveUnknownFields`, `Record<string, unknown>`",
    feature: "unknown-fields",
  },
  {
    marker: "XEmbeddedResource, EmbeddedResource",
    here: "`@EmbeddedResource`",
    feature: "embedded-resource",
  },
  { marker: "XValidation (repeat)", here: "`@Cel`", feature: "cel" },
  {
    marker: "AtMostOneOf / ExactlyOneOf / AtLeastOneOf (type, repeat)",
    here: "`@AtMostOneOf`, `@ExactlyOneOf`, `@AtLeastOneOf`; a union of objects",
    feature: "one-of",
  },
  { marker: "kubebuilder:title", here: "`@Title`", feature: "documentation" },
  { marker: "kubebuilder:externalDocs", here: "`@ExternalDocs`", feature: "documentation" },
  {
    marker: "required, kubebuilder:validation:Required, k8s:required",
    here: "`!`; `@Required` where there is a default",
    feature: "required",
  },
  {
    marker: "optional, kubebuilder:validation:Optional, k8s:optional",
    here: "`?`",
    feature: "required",
  },
  { marker: "nullable", here: "`T | null`", feature: "nullable" },
  {
    marker: "kubebuilder:default",
    here: "a constant initialiser; `@Default`",
    feature: "defaults",
  },
  {
    marker: "default",
    here: "the same; a constant by its name, from any file",
    feature: "defaults",
  },
  { marker: "kubebuilder:example", here: "`@Example`", feature: "documentation" },
  { marker: "kubebuilder:validation:Schemaless", here: "`@RawSchema`", feature: "raw-schema" },
  { marker: "k8s:immutable", here: "`@Immutable`", feature: "immutable" },
  {
    marker: 'json:"-" / unexported + ignoreUnexportedFields',
    here: "`@Ignore`; private, static and `#` members are left out anyway",
    feature: "ignored",
  },
  {
    marker: "listType, listMapKey",
    here: "`@ListMap`, `@ListSet`, `@ListAtomic`",
    feature: "list-topology",
  },
  { marker: "mapType, structType", here: "`@Atomic`, `@Granular`", feature: "map-topology" },
  { marker: "kubebuilder:rbac", here: "`@Rbac`, by the kind or written out", feature: "rbac" },
  {
    marker: "kubebuilder:webhook",
    here: "`@MutatingWebhook`, `@ValidatingWebhook`, by the kind or written out",
    feature: "webhooks",
  },
  {
    marker: "kubebuilder:webhook: patch",
    here: "the options `namespaceSelector`, `objectSelector`, `matchConditions`",
    feature: "webhooks",
  },
  {
    marker: "kubebuilder:webhookconfiguration",
    here: "the option `configuration` of a webhook",
    feature: "webhooks",
  },
  {
    marker: "crd:maxDescLen",
    here: "`@Resource({ descriptions })`, `@Embed({ descriptions })`",
    feature: "embed",
  },
  {
    marker: "crd:generateEmbeddedObjectMeta",
    here: "none: metadata in a template has its fields; `@Embed({ metadata: false })` leaves them out",
    feature: "embed",
  },
  {
    marker: "crd:allowDangerousTypes",
    here: "none: `Float` and `Double` say that a float is meant",
  },
];
