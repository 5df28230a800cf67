/** Texts of a CRD as TypeScript source: quoted, so that no text of a stranger becomes code. */

/** A value as a literal, or as a type of literals; on one line. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return "{}";
    return `{ ${entries.map(([key, item]) => `${memberName(key)}: ${literal(item)}`).join(", ")} }`;
  }
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** A name before a colon: bare where that is allowed. `__proto__` would set the prototype, `constructor` declare it. */
export function memberName(name: string): string {
  if (name === "__proto__" || name === "constructor") return `["${name}"]`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/**
 * A description as a JSDoc comment, or `undefined` where the comment would be read as something else than
 * this text.
 */
export function jsDoc(text: string, indent: string): string | undefined {
  if (!survivesJsDoc(text)) return undefined;
  const lines = text.split("\n");
  if (lines.length === 1 && indent.length + text.length < 92) return `${indent}/** ${text} */\n`;
  const body = lines.map((line) => (line === "" ? `${indent} *` : `${indent} * ${line}`));
  return `${indent}/**\n${body.join("\n")}\n${indent} */\n`;
}

function survivesJsDoc(text: string): boolean {
  if (text === "" || text !== text.trim()) return false;
  // A tag, a link, the comment's end, a fence (which changes what the other lines mean), an escape.
  if (/@|\*[\\/]|\{@|```|~~~|\r|\t/.test(text)) return false;
  // Blanks at either end of a line are lost, and so are lines that the generator leaves out.
  return text
    .split("\n")
    .every((line) => line === line.trimEnd() && !/^\s*(?:TODO|---|\*)/.test(line));
}
