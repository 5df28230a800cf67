/** Reads DER: elements, and their contents. */

/** A tag, its content, and the bytes of the whole element. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** The longest length field, in bytes: four gigabytes are more than any certificate has. */
const LENGTH_BYTES_MAX = 4;

/** The elements that follow each other in `bytes`. @throws Error when they end early */
export function readElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const element = elementAt(bytes, at);
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** The one element in `bytes`. @throws Error when there is none, or more than one */
export function readElement(bytes: Buffer): DerElement {
  const element = elementAt(bytes, 0);
  if (element.whole.length < bytes.length) throw new Error("trailing data");
  return element;
}

function elementAt(bytes: Buffer, at: number): DerElement {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined) throw new Error("data truncated");
  let begin = at + 2;
  let size = first;
  if (first >= 0x80) {
    const digits = first & 0x7f;
    if (digits === 0 || digits > LENGTH_BYTES_MAX || begin + digits > bytes.length) {
      throw new Error("invalid length");
    }
    size = bytes.readUIntBE(begin, digits);
    begin += digits;
  }
  const end = begin + size;
  if (end > bytes.length) throw new Error("data truncated");
  return { tag, content: bytes.subarray(begin, end), whole: bytes.subarray(at, end) };
}
