/**
 * PEM, read as Go's `encoding/pem` does it: whatever checks, signs or admits what a text holds
 * reads the same bytes in it.
 *
 * @see https://pkg.go.dev/encoding/pem#Decode
 */

import { X509Certificate } from "node:crypto";

export interface PemBlock {
  /** What it holds: `CERTIFICATE`. */
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const BEGIN = "-----BEGIN ";
const END = "\n-----END ";
const END_OF_LINE = "-----";

/** The certificates in a text, as Go's `CertPool` takes them: others, and those that cannot be read, are left out. */
export function certificatesInPem(text: string): X509Certificate[] {
  return pemBlocks(text).flatMap(({ type, hasHeaders, bytes }) =>
    type === "CERTIFICATE" && !hasHeaders ? (certificateOf(bytes) ?? []) : [],
  );
}

function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

/** The blocks in a text; what stands between them, and blocks that are broken, are left out. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let from = 0; ;) {
    const found = nextBlock(text, from);
    if (!found) return blocks;
    blocks.push(found.block);
    from = found.next;
  }
}

function nextBlock(text: string, from: number): { block: PemBlock; next: number } | undefined {
  for (let start = from; ;) {
    const end = text.indexOf(END, start);
    if (end < 0) return undefined;
    const afterEnd = end + END.length;
    // The last beginning before an end: those before it have none.
    const begin = text.slice(start, end).lastIndexOf(BEGIN) + start;
    const isBegin = begin >= start && (begin === start || text[begin - 1] === "\n");
    const read = isBegin ? blockAt(text, begin, end) : "broken";
    if (read === undefined) return undefined;
    if (read !== "broken") return { block: read, next: lineAt(text, end + 1).next };
    start = afterEnd;
  }
}

/** The block between two places; `undefined` when the text ends in its headers. */
function blockAt(text: string, begin: number, end: number): PemBlock | "broken" | undefined {
  const first = lineAt(text, begin + BEGIN.length);
  if (!first.line.endsWith(END_OF_LINE)) return "broken";
  const type = first.line.slice(0, -END_OF_LINE.length);
  let body = first.next;
  for (;;) {
    if (body >= text.length) return undefined;
    const { line, next } = lineAt(text, body);
    if (!line.includes(":")) break;
    body = next;
  }
  const hasHeaders = body > first.next;
  if (hasHeaders && body > end) return "broken";
  const last = lineAt(text, end + END.length).line;
  if (last !== type + END_OF_LINE) return "broken";
  const bytes = base64Bytes(text.slice(body, Math.max(body, end)));
  return bytes ? { type, hasHeaders, bytes } : "broken";
}

/** The line at a place, without the spaces at its end. */
function lineAt(text: string, at: number): { readonly line: string; readonly next: number } {
  const feed = text.indexOf("\n", at);
  const end = feed < 0 ? text.length : feed;
  const line = text.slice(at, end);
  return {
    line: (feed < 0 ? line : line.replace(/\r$/, "")).replace(/[ \t]+$/, ""),
    next: feed < 0 ? end : end + 1,
  };
}

const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

function base64Bytes(text: string): Buffer | undefined {
  const digits = text.replaceAll(/[ \t\r\n]/g, "");
  return BASE64.test(digits) ? Buffer.from(digits, "base64") : undefined;
}
