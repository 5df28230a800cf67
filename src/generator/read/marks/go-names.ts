/** The markers of tsop for those of controller-gen, for users who write these from memory. */
import { capitalized } from "../../../kube/text/capitalized.ts";
/** The markers of tsop by controller-gen's name. */
export const GO_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ListType: "@ListMap, @ListSet and @ListAtomic replace it.",
    ListMapKey: '@ListMap("name") replaces both.',
    MapType: "@Atomic and @Granular replace it.",
    StructType: "@Atomic and @Granular replace it.",
    UniqueItems: "The API server rejects it; use @ListSet.",
    XValidation: "It is @Cel here.",
    XPreserveUnknownFields: "It is @PreserveUnknownFields here.",
    XEmbeddedResource: "It is @EmbeddedResource here.",
    XIntOrString: "Give the field the type IntOrString.",
    Schemaless: "It is @RawSchema here.",
    Type: "The type of the field replaces it; @RawSchema is for a schema written by hand.",
    Nullable: "Write the type as `T | null`.",
    Optional: "Write the field with `?`.",
    PrintColumns: "It is @PrintColumn here, once for each column.",
    SelectableField: "It is @Selectable here.",
    Subresource: "A second type argument of CustomResource gives a status; @Scale gives a scale.",
    StorageVersion: "It is @Resource({ storage: true }) here.",
  }),
);

/** The marker of tsop for one of controller-gen; `undefined` for other names. */
export function fromGoName(name: string): string | undefined {
  return GO_NAMES.get(capitalized(name));
}
