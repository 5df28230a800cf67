/** Finds the place in the source at which a part of a CRD was said. */
import type { Change } from "./changes/change.ts";
import type { KindModel, Position, TypeModel } from "./model.ts";

/** The place of a change: its marker's, its field's, or that of the nearest thing that is still there. */
export type PlaceOf = (
  change: Pick<Change, "crd" | "version" | "path" | "keyword">,
) => Position | undefined;

/** Looks up places in the kinds that were read. */
export function placesIn(kinds: readonly KindModel[]): PlaceOf {
  return ({ crd, version, path, keyword }) => {
    const kind = kinds.find(
      (candidate) =>
        `${candidate.plural}.${candidate.group}` === crd &&
        (version === "" || candidate.version === version),
    );
    if (!kind) return undefined;
    if (path.length === 0) return kind.saidAt.get(keyword) ?? kind.at;
    let type: TypeModel = kind.type;
    for (const step of path) {
      const next = stepInto(type, step);
      if (!next) return type.at;
      type = next;
    }
    return type.saidAt.get(keyword) ?? type.at;
  };
}

function stepInto({ properties, items, values }: TypeModel, step: string): TypeModel | undefined {
  const property = properties?.find(({ name }) => name === step);
  if (property) return property.type;
  if (step === "items") return items;
  return step === "additionalProperties" ? values : undefined;
}
