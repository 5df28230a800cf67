/**
 * Names of the number and string types that Kubernetes distinguishes and TypeScript does not.
 *
 * They are plain aliases: nothing changes at run time, but the generator reads the name and writes
 * the format, so a field typed `Int32` is an `integer` of format `int32` in the CRD.
 */

/** A whole number without a format: the API server takes 64 bits. */
export type Int = number;
/** A whole number of 32 bits: `type: integer, format: int32`. */
export type Int32 = number;
/** A whole number of 64 bits: `type: integer, format: int64`. JavaScript is exact up to 2^53. */
export type Int64 = number;
/** A number without a format: the API server takes double precision. */
export type Num = number;
/** A number of single precision: `type: number, format: float`. */
export type Float = number;
/** A number of double precision: `type: number, format: double`. */
export type Double = number;
/** An amount with a unit, such as `500m` or `2Gi`. Numbers are taken as well. */
export type Quantity = number | string;
/** A number or a name or a percentage: a port, `25%`. */
export type IntOrString = number | string;
/** A moment as RFC 3339 text, to the second: `2026-01-02T15:04:05Z`. */
export type Time = string;
/** A moment as RFC 3339 text, to the microsecond. */
export type MicroTime = string;
/** A span of time as Go writes it: `1h30m`, `250ms`. */
export type Duration = string;
/** Bytes as base64 text: `type: string, format: byte`. */
export type Base64 = string;
