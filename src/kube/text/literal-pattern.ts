/** The source of a regular expression that matches a text literally. */
export const literalPattern = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
