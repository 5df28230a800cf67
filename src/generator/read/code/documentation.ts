/** Reads descriptions and tags from JSDoc. */
import type { ts } from "../../load.ts";
import type { Module } from "./module.ts";

/** A block tag of a JSDoc comment. */
export interface Tag {
  readonly name: string;
  readonly text: string;
  readonly node: ts.JSDocTag;
}

function commentOf(node: ts.Node): ts.JSDoc | undefined {
  return (node as { readonly jsDoc?: readonly ts.JSDoc[] }).jsDoc?.at(-1);
}

/**
 * The description of a declaration: the text before the first tag. Lines that begin with TODO are notes
 * to the authors and left out; a line of dashes ends the text. Both hold outside code fences only.
 */
export function descriptionOf(node: ts.Node): string | undefined {
  const text = plain(commentOf(node)?.comment);
  const lines: string[] = [];
  let fenced = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (!fenced && line.startsWith("---")) break;
    if (!fenced && line.startsWith("TODO")) continue;
    lines.push(line.trimEnd().replaceAll("*\\/", "*/"));
  }
  const description = [lines.join("\n").trim(), deprecationOf(node)]
    .filter((part) => part !== "")
    .join("\n\n");
  return description === "" ? undefined : description;
}

/**
 * The deprecation as Go and its tools write it, for `@deprecated use b`: a paragraph that begins
 * with "Deprecated:".
 */
function deprecationOf(node: ts.Node): string {
  const tag = commentOf(node)?.tags?.find(({ tagName }) => tagName.text === "deprecated");
  const text = plain(tag?.comment).trim();
  return text === "" ? "" : `Deprecated: ${text}`;
}

/** The block tags of a declaration. */
export function tagsOf(node: ts.Node, module: Module): Tag[] {
  return (commentOf(node)?.tags ?? []).map((tag) => ({
    name: tag.tagName.text,
    text: tagText(tag, module),
    node: tag,
  }));
}

/**
 * The text of a tag as it was written. The parser takes some tags apart (`@default`'s braces are a
 * type to it), so that the text is cut from the file.
 */
function tagText(tag: ts.JSDocTag, module: Module): string {
  return module.file.text
    .slice(tag.tagName.end, tag.end)
    .replace(/\*\/\s*$/, "")
    .replaceAll("*\\/", "*/")
    .replace(/\n[ \t]*\*[ \t]?/g, "\n")
    .trim();
}

function plain(comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string {
  if (comment === undefined) return "";
  if (typeof comment === "string") return comment;
  return comment
    .map((part) => {
      if (!("name" in part)) return part.text;
      const { name } = part as ts.JSDocLink;
      const target = name ? name.getText() : "";
      // `{@link https://x y}` reads as `y`; without a text, the target is the text.
      const text = part.text.replace(/^\s*\|?\s*/, "");
      const url = /^(:\/\/\S+)\s*\|?\s*(.*)$/s.exec(part.text);
      if (url) return url[2] === "" ? `${target}${url[1] ?? ""}` : (url[2] ?? "");
      return text === "" ? target : text;
    })
    .join("");
}
