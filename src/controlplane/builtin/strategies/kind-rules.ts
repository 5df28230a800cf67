/**
 * What differs from one built-in kind to the next, as data and small functions.
 *
 * `strategy-for.ts` makes a `Strategy` of it; a kind without an entry gets the plain behaviour of
 * `{}`: no status, no generation of its own, a DNS subdomain as its name.
 *
 * @module
 */
import type { FieldError } from "../../../kube/field-errors.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import type { KindTraits, TablePrinter, WriteContext } from "../../kinds.ts";
import type { SelectableFields } from "../selectable-fields.ts";

/** A subresource through which a part of the object is written. */
interface SubresourceRules {
  /** Takes over from what is given. */
  take(object: SentObject, given: SentObject, context: WriteContext): void;
  /** The metadata stays as it is. */
  readonly keepsMetadata?: true;
}

/** The rules of one kind. */
export interface KindRules extends KindTraits {
  /**
   * How its names are checked. Subdomain when absent; `any` leaves them to the metadata's own rules, `generated` checks
   * the names that are made of a prefix, not the prefix.
   */
  readonly name?: "subdomain" | "generated" | "label" | "label1035" | "segment" | "any" | "address";
  /**
   * Set when the kind has a status subresource: which metadata a write to it may change.
   * `no-owners` keeps owner references, `no-labels` also labels; `none` keeps all of it.
   */
  readonly status?: "all" | "no-owners" | "no-labels" | "none";
  /** A new object keeps the status that it comes with. */
  readonly keepsStatusOnCreate?: true;
  /** The generation is 1 on create, and rises when one of these top-level fields changes. */
  readonly generation?: readonly string[];
  /** The fields of the metadata whose change raises the generation too. */
  readonly generationMetadata?: "labels" | "annotations";
  /** A list or map that is sent empty is a change, since what is stored has none. */
  readonly generationSeesEmpty?: true;
  /** What belongs to features that are off is a change before it is removed. */
  readonly generationSeesDisabled?: true;
  /** The generation is left out until the first change. */
  readonly startsWithoutGeneration?: true;
  readonly createOnUpdate?: true;
  readonly conditionalUpdate?: true;
  /** What a client may leave out. */
  setDefaults?(object: SentObject): void;
  /** Removes what belongs to features that are off; who wrote it is remembered to own it. */
  dropDisabled?(object: SentObject): void;
  /** What the server's own admission makes of a new object; once more changes nothing. */
  admit?(object: SentObject, context: WriteContext): void;
  prepareForCreate?(object: SentObject, context: WriteContext): void;
  prepareForUpdate?(object: SentObject, old: SentObject, context: WriteContext): void;
  /** What is wrong with the object as it is, on create and update alike. */
  validate?(object: SentObject, context: WriteContext): FieldError[];
  /** What is wrong with a changed object as it is. */
  validateChanged?(object: SentObject, context: WriteContext): FieldError[];
  /** A change is told of before the object as it is. */
  readonly changeFirst?: true;
  /** What is wrong with a new object only. */
  validateCreate?(object: SentObject, context: WriteContext): FieldError[];
  /** What is wrong with a change. */
  validateUpdate?(object: SentObject, old: SentObject, context: WriteContext): FieldError[];
  /** What admission says of a change that is valid. @throws StatusError 403 */
  admitChange?(object: SentObject, old: SentObject, context: WriteContext): void;
  /** Texts for `Warning` headers on a write that is let through. */
  warnings?(object: SentObject, old: SentObject | undefined): string[];
  prepareForStatus?(object: SentObject, old: SentObject, context: WriteContext): void;
  /** What is wrong with a write to the `finalize` or `approval` subresource. */
  validateSubresource?(object: SentObject, old: SentObject, subresource: string): FieldError[];
  /** What is wrong with a write to the status subresource. */
  validateStatus?(object: SentObject, old: SentObject, context: WriteContext): FieldError[];
  /** The subresources, beside `status` and `scale`, through which the object is written. */
  readonly subresources?: Readonly<Record<string, SubresourceRules>>;
  /** What a field selector may ask for, beside metadata.name and metadata.namespace. */
  readonly selectableFields?: SelectableFields;
  /** The version in which objects are stored, when it is not the one that is served. */
  readonly storageVersion?: string;
  /** A `Warning` on each use of the kind. */
  readonly deprecationWarning?: string;
  /** What has no value and is written all the same in the empty object: pointers, bytes and raw JSON. */
  readonly writtenNulls?: JsonObject;
  /** How the kind is shown as a table; Name and Created At when absent. */
  readonly table?: TablePrinter;
}
