const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
// oxlint-disable-next-line no-control-regex -- those are what must not be there
const NOT_IN_HEADER = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Whether the text is a valid name of a header, or a method. */
export function isHeaderName(name: string): boolean {
  return HEADER_NAME.test(name);
}

/** Whether the text is a valid value of a header: without line breaks and control characters. */
export function isHeaderValue(value: string): boolean {
  return !NOT_IN_HEADER.test(value);
}

/**
 * One line of a request's head.
 *
 * @throws TypeError for what would be more than one header; the message does not hold the value
 */
export function headerLine(name: string, value: string): string {
  if (!isHeaderName(name) || !isHeaderValue(value)) {
    throw new TypeError(`The header ${name} has characters that cannot be sent.`);
  }
  return `${name}: ${value}\r\n`;
}

/** Part of a header's name: whatever may not stand there becomes `%XX`, as in client-go. */
export function escapeHeaderName(text: string): string {
  return Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte);
    return character !== "%" && isHeaderName(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
