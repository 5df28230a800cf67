/**
 * Tests of a kind that gets a conversion: objects of a version that is not stored can only be written where it is served.
 */

/** A converter, as a test imports it. */
export interface TestedConversion {
  readonly className: string;
  /** The path of its module from the test's folder. */
  readonly from: string;
}

/** The lines of a scaffolded test that get company. */
const IMPORTS = "  installOperator,\n";
const MANAGER = /^const manager = createManager\(\{ config, .*\n/m;

/**
 * The text of a scaffolded test with the conversion served in it; `undefined` where the text is not as it was scaffolded.
 */
export function withConversion(
  text: string,
  { className, from }: TestedConversion,
): string | undefined {
  const manager = MANAGER.exec(text)?.[0];
  const imports = [...text.matchAll(/^import .* from "\.\..*";\n/gm)].at(-1)?.[0];
  if (manager === undefined || imports === undefined || !text.includes(IMPORTS)) return undefined;
  const served = [
    "// Only one version is stored. The API server calls the converter for the other.",
    `const conversion = new ${className}();`,
    "const webhooks = await installWebhooks(cluster, [conversion]);",
    manager.replace("{ config, ", "{ config, webhooks, ").trimEnd(),
    "manager.webhooks.add(conversion);",
    "",
  ];
  return text
    .replace(IMPORTS, () => `${IMPORTS}  installWebhooks,\n`)
    .replace(imports, () => `${imports}import { ${className} } from "${from}";\n`)
    .replace(manager, () => served.join("\n"));
}

/** The text without the conversion; `undefined` where the text is not as `withConversion` left it. */
export function withoutConversion(
  text: string,
  { className, from }: TestedConversion,
): string | undefined {
  const served = new RegExp(
    `// Only one version is stored\\W .*\n` +
      `const conversion = new ${className}\\(\\);\n` +
      `const webhooks = await installWebhooks\\(cluster, \\[conversion\\]\\);\n` +
      `(const manager = createManager\\(\\{ config, )webhooks, (.*\n)` +
      `manager\\.webhooks\\.add\\(conversion\\);\n`,
  );
  const imported = `import { ${className} } from "${from}";\n`;
  if (!served.test(text) || !text.includes(imported)) return undefined;
  return text
    .replace(served, (_all, manager: string, rest: string) => manager + rest)
    .replace(imported, "")
    .replace(/ {2}installWebhooks,\n/, "");
}
