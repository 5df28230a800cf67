/** The examples of the guides are the modules in `guides/`, which compile and whose tests run: word for word. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { describe, expect, it } from "vitest";
import { asPublished } from "./guides/support.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = `${root}test/docs/guides/`;
const guides = readdirSync(folder).filter((file) => file !== "support.ts");

describe("the examples of the guides", () => {
  it.each(guides)("%s is shown as it is run", async (file) => {
    const page = file.replace(/(?:\.test)?\.ts$/, ".md");
    const text = readFileSync(`${root}docs/${page}`, "utf8");
    const source = await format(asPublished(readFileSync(folder + file, "utf8")), {
      parser: "typescript",
      printWidth: 100,
      filepath: file,
    });
    expect(text).toContain(`\`\`\`ts\n${source}\`\`\`\n`);
  });
});
