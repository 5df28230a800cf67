import { join } from "node:path";
import { isJsonObject } from "../../kube/json.ts";
import { readIfThere } from "./plan.ts";

interface Author {
  readonly name: string;
  readonly email?: string;
}

/** The facts about a project that packages show. */
export interface PackageFacts {
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly links: readonly { readonly name: string; readonly url: string }[];
  readonly author: Author | undefined;
  readonly license: string | undefined;
}

/** The facts of the project in `root`; what is not said, or cannot be read, has a plain default. */
export async function packageFacts(root: string, projectName: string): Promise<PackageFacts> {
  const { version, description, keywords, homepage, author, license } = await readPackage(root);
  return {
    version: isText(version) ? version : "0.1.0",
    description: isText(description) ? description : `The operator ${projectName}`,
    keywords: Array.isArray(keywords) ? keywords.filter(isText) : [],
    links: isText(homepage) ? [{ name: "Home page", url: homepage }] : [],
    author: authorOf(author),
    license: isText(license) ? license : undefined,
  };
}

/** The name in the package.json of a folder; `undefined` when there is none. */
export async function packageName(folder: string): Promise<string | undefined> {
  const { name } = await readPackage(folder);
  return isText(name) ? name : undefined;
}

/** The package.json of a folder; empty when it is not there, or is not one. */
async function readPackage(folder: string): Promise<Record<string, unknown>> {
  const text = await readIfThere(join(folder, "package.json"));
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** An author as npm takes one: an object, or `Name <mail> (url)`. */
function authorOf(value: unknown): Author | undefined {
  if (isJsonObject(value)) {
    const { name, email } = value;
    return isText(name) ? { name, ...(isText(email) && { email }) } : undefined;
  }
  if (!isText(value)) return undefined;
  const [, name = "", email] = /^([^<(]*)(?:<([^>]*)>)?/.exec(value) ?? [];
  if (name.trim() === "") return undefined;
  return { name: name.trim(), ...(isText(email) && { email }) };
}
