/** The TypeScript of a page, each block on the lines that it has there: the blocks of a page are one module. */
export function codeOf(page: string): string {
  let inside = false;
  const kept = page.split("\n").map((line) => {
    const fence = line.startsWith("```");
    if (fence) inside = line === "```ts";
    return inside && !fence ? line : "";
  });
  return kept.join("\n");
}
