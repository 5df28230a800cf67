/**
 * The files that were scaffolded, and whether they still are as written: `PROJECT` keeps a digest
 * of each.
 *
 * The layout is not in the digest: a formatter's change is no work of the user that could be lost.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { visit } from "yaml";
import { ts } from "../../../generator/load.ts";
import { readIfThere } from "../plan.ts";
import { parseProject, withResource, type Project } from "../project-file.ts";
import { readYaml } from "../yaml/yaml-documents.ts";

/** The length of a digest: long enough that two texts do not share one by accident. */
const DIGEST_LENGTH = 16;

/** Texts by path in the project; `undefined` for a file that is deleted. */
type Files = ReadonlyMap<string, string | undefined>;

/** The digest of each file that `PROJECT` keeps, by path in the project. */
export function digestsOf(files: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...files].map(([path, text]) => [path, digestOf(path, text)]));
}

/** The digest of what a file says. */
export function digestOf(path: string, text: string): string {
  const said = path.endsWith(".ts") ? tokensOf(text) : valuesOf(path, text);
  const hash = createHash("sha256").update(JSON.stringify(said)).digest("hex");
  return `sha256:${hash.slice(0, DIGEST_LENGTH)}`;
}

/**
 * The text of `PROJECT` where files that a command edits beside its own, such as the class that becomes the stored one,
 * are known as scaffolded still.
 */
export async function withFreshDigests(
  { root, resources }: Project,
  text: string,
  files: Files,
): Promise<string> {
  let now = text;
  for (const { files: known = {}, ...named } of resources) {
    const fresh: Record<string, string> = {};
    for (const [path, digest] of Object.entries(known)) {
      const after = files.get(path);
      const before = after === undefined ? undefined : await readIfThere(join(root, path));
      if (after === undefined || before === undefined) continue;
      if (digestOf(path, before) === digest) fresh[path] = digestOf(path, after);
    }
    const project = parseProject(root, now);
    const resource = project.resources.find(
      (one) =>
        one.group === named.group && one.version === named.version && one.kind === named.kind,
    );
    if (resource?.files && Object.keys(fresh).length > 0) {
      now = withResource(project, { ...resource, files: { ...resource.files, ...fresh } });
    }
  }
  return now;
}

/** Tokens and comments of a TypeScript file, without what formatters add and take away. */
function tokensOf(text: string): unknown {
  const file = ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true);
  const said: string[] = [];
  const walk = (node: ts.Node): void => {
    const children = node.getChildren(file).filter((child) => !ts.isJSDoc(child));
    if (children.length > 0) {
      children.forEach(walk);
      return;
    }
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      said.push(textOfComment(text.slice(pos, end)));
    }
    const token = ts.isStringLiteral(node) ? JSON.stringify(node.text) : node.getText(file);
    if (!/^[,;]?$/.test(token)) said.push(token);
    for (const { pos, end } of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) {
      said.push(textOfComment(text.slice(pos, end)));
    }
  };
  walk(file);
  return said;
}

const textOfComment = (comment: string): string => comment.replace(/\s+\*?\s*/g, " ").trim();

/** Values and comments of a YAML file. */
function valuesOf(path: string, text: string): unknown {
  return readYaml(text, path).map(({ value, tree }) => {
    const comments: unknown[] = [tree.commentBefore, tree.comment];
    visit(tree, {
      Node: (_key, node) => void comments.push(node.commentBefore, node.comment),
    });
    return [value, comments.filter(Boolean)];
  });
}
