/** Quotes the words of a command line that is printed to be copied. */

/** A word as a shell reads it as one: as it is where that is safe, quoted otherwise. */
export function shellWord(word: string, platform: NodeJS.Platform = process.platform): string {
  // A path that begins with a dash would be read as a flag.
  const plain = word.startsWith("-") ? `./${word}` : word;
  if (platform === "win32") return /^[\w.:\\/+@=-]+$/.test(plain) ? plain : `"${plain}"`;
  return /^[\w.:/+@=,-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", String.raw`'\''`)}'`;
}
