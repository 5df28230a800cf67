/**
 * The parameter `continue` of lists.
 *
 * @see
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
 */
import { messageOf } from "../../../errors.ts";
import { isJsonObject } from "../../../kube/json.ts";
import { badRequest } from "../../failures.ts";
import { scanJson } from "../../wire/json/json-scanner.ts";
import { plainNumbers } from "../../wire/json/number-literal.ts";

/** A place in a list, as of a version; a version below zero is the current one. */
export interface ContinuePoint {
  readonly version: number;
  readonly key: string;
}

const FORM = "meta.k8s.io/v1";

/** The token of a point. A real server with a watch cache writes a slash before the key. */
export function writeContinue({ version, key }: ContinuePoint, cached: boolean): string {
  const start = cached ? `/${key}` : key;
  return Buffer.from(JSON.stringify({ v: FORM, rv: version, start })).toString("base64url");
}

/** The point of a token. @throws StatusError 400, in the words of the real server */
export function readContinue(token: string): ContinuePoint {
  const bad = (why: string): Error =>
    badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const { v, rv, start } = readPoint(token, bad);
  if (v !== FORM) throw bad(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw bad(`incorrect encoded start resourceVersion (version ${FORM})`);
  if (start === "") throw bad(`encoded start key empty (version ${FORM})`);
  const key = start.replace(/^\//, "");
  const parts = key.split("/");
  // A path above the collection, or beside it, is not the client's to read.
  const leaves = parts.some((part) => part === "." || part === ".." || part === "");
  if (leaves && key !== "") throw bad(start);
  return { version: rv, key };
}

function readPoint(
  token: string,
  bad: (why: string) => Error,
): { readonly v: string; readonly rv: number; readonly start: string } {
  // Base64 without padding.
  let wrongByte = token.search(/[^\w-]/);
  if (wrongByte < 0 && token.length % 4 === 1) wrongByte = token.length - 1;
  if (wrongByte >= 0) throw bad(`illegal base64 data at input byte ${wrongByte}`);
  const value = readValue(Buffer.from(token, "base64url"), bad);
  if (value === null) return { v: "", rv: 0, start: "" };
  const mismatch = (shown: string, where: string): Error =>
    bad(`json: cannot unmarshal ${shown} into Go ${where}`);
  if (!isJsonObject(value)) throw mismatch(typeName(value), "value of type storage.continueToken");
  const read = <T>(
    name: string,
    type: string,
    isRight: (part: unknown) => part is T,
    zero: T,
  ): T => {
    const part = value[name] ?? zero;
    if (isRight(part)) return part;
    const shown = typeof part === "number" ? `number ${part}` : typeName(part);
    throw mismatch(shown, `struct field continueToken.${name} of type ${type}`);
  };
  const isText = (part: unknown): part is string => typeof part === "string";
  return {
    v: read("v", "string", isText, ""),
    rv: Number(read("rv", "int64", isVersion, 0)),
    start: read("start", "string", isText, ""),
  };
}

const isVersion = (part: unknown): part is number | bigint =>
  typeof part === "bigint" || Number.isSafeInteger(part);

function readValue(bytes: Buffer, bad: (why: string) => Error): unknown {
  try {
    return plainNumbers(scanJson(bytes).value);
  } catch (error) {
    throw bad(messageOf(error));
  }
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
