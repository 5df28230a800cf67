/** PEM: blocks of base64 between a line that begins and a line that ends them. */

export interface PemBlock {
  /** The whole block with its first and last line. */
  readonly text: string;
  /** What it holds: `CERTIFICATE`. */
  readonly type: string;
  /** The lines between: headers, if there are any, and base64. */
  readonly body: string;
}

const BLOCK = /-----BEGIN ([^\n]*?)-----\n([\s\S]*?)-----END \1-----/g;

/** The blocks in a text; what stands between them is ignored. */
export const pemBlocks = (text: string): PemBlock[] =>
  [...text.matchAll(BLOCK)].map(([block, type = "", body = ""]) => ({ text: block, type, body }));
