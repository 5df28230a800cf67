/** The formats that the API server knows for strings; it ignores others. */

/** All formats. */
export const textFormats = [
  "bsonobjectid",
  "byte",
  "cidr",
  "creditcard",
  "date",
  "date-time",
  "duration",
  "email",
  "hexcolor",
  "hostname",
  "ipv4",
  "ipv6",
  "isbn",
  "isbn10",
  "isbn13",
  "k8s-long-name",
  "k8s-short-name",
  "mac",
  "password",
  "rgbcolor",
  "ssn",
  "uri",
  "uuid",
  "uuid3",
  "uuid4",
  "uuid5",
] as const;

/** A format that the API server knows for strings. */
export type TextFormat = (typeof textFormats)[number];
