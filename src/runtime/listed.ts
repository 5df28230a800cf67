/** The first `most` texts, and how many are left out: `a, b and 3 more`. */
export function listed(texts: readonly string[], most: number, separator = ", "): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : "";
  return `${texts.slice(0, most).join(separator)}${more}`;
}
