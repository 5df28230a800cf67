/**
 * The differences between the built-in kinds, as data and small functions.
 *
 * `strategy-for.ts` makes a `Strategy` of them; a kind without an entry gets the plain behaviour of
 * `{}`: no status, no generation of its own, a DNS subdomain as its name.
 */
import type { FieldError } from "../../kube/field-errors.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import type { KindTraits, Strategy, TablePrinter, WriteContext } from "../kinds.ts";
import type { SelectableFields } from "./selectable-fields.ts";
import type { Cells } from "./tables/cells.ts";

/** A subresource that writes a part of the object. */
export interface SubresourceRules {
  /** Copies the part from `given` to `object`. */
  take(object: SentObject, given: SentObject, context: WriteContext): void;
  readonly keepsMetadata?: true;
  validate?(object: SentObject, old: SentObject, context: WriteContext): FieldError[];
}

export interface KindRules extends KindTraits {
  /**
   * The validation of its names; that of a subdomain when absent. `any` leaves them to the rules of
   * the metadata, `generated` validates names that are generated from a prefix, not the prefix.
   */
  readonly name?: "subdomain" | "generated" | "label" | "label1035" | "segment" | "any" | "address";
  /**
   * Set when the kind has a status subresource: the metadata that a write to it may change.
   * `no-owners` keeps owner references, `no-labels` also labels; `none` keeps all of it.
   */
  readonly status?: "all" | "no-owners" | "no-labels" | "none";
  /** The paths of the fields whose change raises the generation, which is 1 on create. */
  readonly generation?: readonly string[];
  readonly createOnUpdate?: true;
  readonly conditionalUpdate?: true;
  /** Sets the defaults of fields that a client may leave out. */
  setDefaults?(object: SentObject): void;
  /** Drops the fields of disabled features; managers still own the fields that they wrote. */
  dropDisabled?(object: SentObject): void;
  prepareForCreate?(object: SentObject, context: WriteContext): void;
  prepareForUpdate?(object: SentObject, old: SentObject, context: WriteContext): void;
  /** Validates the object, on create and update alike. */
  validate?(object: SentObject, context: WriteContext): FieldError[];
  /** Lists the errors of `validateCreate` and `validateUpdate` before those of `validate`. */
  readonly changeFirst?: true;
  /** Validates a new object, beside `validate`. */
  validateCreate?(object: SentObject, context: WriteContext): FieldError[];
  validateUpdate?(object: SentObject, old: SentObject, context: WriteContext): FieldError[];
  /** The texts of `Warning` headers on a write that is accepted. */
  warnings?(object: SentObject, old: SentObject | undefined): string[];
  prepareForStatus?(object: SentObject, old: SentObject, context: WriteContext): void;
  validateStatus?(object: SentObject, old: SentObject, context: WriteContext): FieldError[];
  /** The subresources, beside `status` and `scale`, that write the object. */
  readonly subresources?: Readonly<Record<string, SubresourceRules>>;
  /** The fields for field selectors, beside metadata.name and metadata.namespace. */
  readonly selectableFields?: SelectableFields;
  /** The `Warning` on each use of the kind. */
  readonly deprecationWarning?: string;
  /** The fields of the empty object that are written as null: pointers, bytes and raw JSON. */
  readonly writtenNulls?: JsonObject;
  /** The cells of the kind's table, by column; it shows Name and Created At when absent. */
  readonly table?: Cells;
  /** The parts of the kind's table that are not cells. */
  readonly printer?: Pick<TablePrinter, "conditions" | "nullWhenEmpty">;
  /**
   * Wraps the steps that these rules make, for behavior that no other kind has. The limits of a
   * namespace are checked after the wrapped validation.
   *
   * @param subresource - the endpoint; `""` for the main one
   */
  wrap?(strategy: Strategy, subresource: string): Strategy;
}
