/**
 * The differences between the built-in kinds, as data and small functions.
 *
 * `strategy-for.ts` makes a `Strategy` of them; a kind without an entry gets the plain behaviour of
 * `{}`: no status, no generation of its own, a DNS subdomain as its name.
 */
import type { FieldError } from "../../kube/field-errors.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import type { KindTraits, TablePrinter, WriteContext } from "../kinds.ts";
import type { SelectableFields } from "./selectable-fields.ts";
import type { Cells } from "./tables/cells.ts";

/** A subresource that writes a part of the object. */
interface SubresourceRules {
  /** Copies the part from `given` to `object`. */
  take(object: SentObject, given: SentObject, context: WriteContext): void;
  /** Keeps the metadata as it is. */
  readonly keepsMetadata?: true;
}

/** The rules of one kind. */
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
  /** Keeps the status of a new object. */
  readonly keepsStatusOnCreate?: true;
  /** The top-level fields whose change raises the generation, which is 1 on create. */
  readonly generation?: readonly string[];
  /** The part of the metadata whose change raises the generation too. */
  readonly generationMetadata?: "labels" | "annotations";
  /** Counts a list or map that is sent empty as a change, since stored objects have none. */
  readonly generationSeesEmpty?: true;
  /** Counts the fields of disabled features as a change, before they are dropped. */
  readonly generationSeesDisabled?: true;
  /** Leaves out the generation until the first change. */
  readonly startsWithoutGeneration?: true;
  readonly createOnUpdate?: true;
  readonly conditionalUpdate?: true;
  /** Sets the defaults of fields that a client may leave out. */
  setDefaults?(object: SentObject): void;
  /** Drops the fields of disabled features; managers still own the fields that they wrote. */
  dropDisabled?(object: SentObject): void;
  /** Runs the server's own admission on a new object; idempotent. */
  admit?(object: SentObject, context: WriteContext): void;
  prepareForCreate?(object: SentObject, context: WriteContext): void;
  prepareForUpdate?(object: SentObject, old: SentObject, context: WriteContext): void;
  /** Validates the object, on create and update alike. */
  validate?(object: SentObject, context: WriteContext): FieldError[];
  /** Validates a changed object as it is; `validateUpdate` validates the change. */
  validateChanged?(object: SentObject, context: WriteContext): FieldError[];
  /** Lists the errors of the change before those of the object. */
  readonly changeFirst?: true;
  /** Validates a new object, beside `validate`. */
  validateCreate?(object: SentObject, context: WriteContext): FieldError[];
  /** Validates a change. */
  validateUpdate?(object: SentObject, old: SentObject, context: WriteContext): FieldError[];
  /** Runs admission on a valid change. @throws StatusError 403 */
  admitChange?(object: SentObject, old: SentObject, context: WriteContext): void;
  /** The texts of `Warning` headers on a write that is accepted. */
  warnings?(object: SentObject, old: SentObject | undefined): string[];
  prepareForStatus?(object: SentObject, old: SentObject, context: WriteContext): void;
  /** Validates a write to the `finalize` or `approval` subresource. */
  validateSubresource?(object: SentObject, old: SentObject, subresource: string): FieldError[];
  /** Validates a write to the status subresource. */
  validateStatus?(object: SentObject, old: SentObject, context: WriteContext): FieldError[];
  /** The subresources, beside `status` and `scale`, that write the object. */
  readonly subresources?: Readonly<Record<string, SubresourceRules>>;
  /** The fields for field selectors, beside metadata.name and metadata.namespace. */
  readonly selectableFields?: SelectableFields;
  /** The version in which objects are stored, when it is not the served one. */
  readonly storageVersion?: string;
  /** The `Warning` on each use of the kind. */
  readonly deprecationWarning?: string;
  /** The fields of the empty object that are written as null: pointers, bytes and raw JSON. */
  readonly writtenNulls?: JsonObject;
  /** The cells of the kind's table, by column; it shows Name and Created At when absent. */
  readonly table?: Cells;
  /** The API version that the cells read, when the kind is served in several. */
  readonly tableVersion?: string;
  /** The conditions of an object's row. */
  readonly rowConditions?: TablePrinter["conditions"];
  /** Whether an empty table has `rows: null` instead of an empty list. */
  readonly nullWhenEmpty?: true;
}
