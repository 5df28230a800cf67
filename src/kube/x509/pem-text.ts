/** The text of PEM files. */

/** The end of a sentence about a file for which `endsInBlock` holds. */
export const HALF_WRITTEN = "ends in the middle of a PEM block, as a half-written file does";

/** Whether the last block has a beginning and no end. */
export function endsInBlock(pem: string): boolean {
  return pem.lastIndexOf("-----BEGIN ") > pem.lastIndexOf("-----END ");
}
