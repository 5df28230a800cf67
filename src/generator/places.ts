/** Finds the place in the source at which a part of a CRD was said. */
import type { Change, Step } from "./changes/change.ts";
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

function stepInto({ properties, items, values }: TypeModel, step: Step): TypeModel | undefined {
  if (step === "items") return items;
  if (step === "values") return values;
  return properties?.find(({ name }) => name === step.field)?.type;
}
