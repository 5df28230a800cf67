/** Shows an object or a list as the client asked for it. */
import type { KubeList, SentObject } from "../../kube/object.ts";
import type { TablePrinter } from "../kinds.ts";
import type { View } from "./negotiate.ts";
import {
  type PartialObjectMetadata,
  type PartialObjectMetadataList,
  partialListOf,
  partialOf,
  wrongPartial,
} from "./partial.ts";
import { type IncludeObject, type Table, tableOf } from "./table.ts";

/** Options for showing an object or a list. */
export interface ShowOptions {
  /** The negotiated form; absent when the object is shown as it is. */
  readonly view: View | undefined;
  readonly printer: TablePrinter | undefined;
  readonly includeObject: IncludeObject;
  readonly nowMs: number;
  /** The Go type of one object, for refusals: `core.Pod`. */
  readonly goType: string;
  /** Whether a Table carries its columns; `false` for the events of a watch after the first. */
  readonly withColumns?: boolean;
}

/** The body of an answer. */
export type Shown =
  SentObject | KubeList<SentObject> | Table | PartialObjectMetadata | PartialObjectMetadataList;

/**
 * The object or list in the view that was negotiated. Not for a `Status`, which is always answered
 * as it is.
 *
 * @throws StatusError 406 when metadata of one object was requested for a list, or the other way
 *   round
 */
export function show(
  shown: SentObject | KubeList<SentObject>,
  { view, printer, includeObject, nowMs, goType, withColumns = true }: ShowOptions,
): Shown {
  if (!view) return shown;
  const { version } = view;
  switch (view.kind) {
    case "Table":
      return tableOf(shown, { version, includeObject, printer, nowMs, withColumns });
    case "PartialObjectMetadata":
      if ("items" in shown) throw wrongPartial(true, `${goType}List`);
      return partialOf(shown, version);
    case "PartialObjectMetadataList":
      if (!("items" in shown)) throw wrongPartial(false, goType);
      return partialListOf(shown, version);
  }
}
