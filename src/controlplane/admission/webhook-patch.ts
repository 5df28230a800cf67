/**
 * JSON patches of mutating webhooks, applied as a PATCH request would be, but refused in the patch
 * library's words.
 */
import { messageOf } from "../../errors.ts";
import { goKindOf, applyJsonPatch } from "../../kube/patch.ts";
import { getField, isJsonObject } from "../../kube/json.ts";
import { StatusError } from "../../kube/status.ts";
import { internalError } from "../failures.ts";
import { scanJson } from "../wire/json/json-scanner.ts";
import { plainNumbers } from "../wire/json/number-literal.ts";
import { WebhookCallError } from "./webhook-failures.ts";

const OPERATIONS = new Set(["add", "remove", "replace", "move", "copy", "test"]);

/**
 * The operations of a patch in an answer.
 *
 * @throws WebhookCallError when it is not a list of operations
 */
export function readWebhookPatch(bytes: Buffer): unknown[] {
  const undecodable = (why: string): WebhookCallError =>
    new WebhookCallError(`received undecodable patch in webhook response: ${why}`);
  let patch: unknown;
  try {
    patch = plainNumbers(scanJson(bytes).value);
  } catch (cause) {
    throw undecodable(messageOf(cause));
  }
  if (patch === null) return [];
  if (Array.isArray(patch)) return patch as unknown[];
  throw undecodable(
    `json: cannot unmarshal ${goKindOf(patch)} into Go value of type jsonpatch.Patch`,
  );
}

/** Thrown for a patch that does not apply, in the words of the patch library. */
export class PatchFailure extends Error {
  override readonly name = "PatchFailure";
  /** Whether a `test` operation failed. */
  readonly isTest: boolean;

  constructor(message: string, isTest: boolean) {
    super(message);
    this.isTest = isTest;
  }
}

/** The object after the operations; the one handed in stays as it is. @throws PatchFailure */
export function applyOperations(object: unknown, operations: readonly unknown[]): unknown {
  let document = object;
  for (const operation of operations) {
    try {
      document = applyJsonPatch(document, [operation]);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const isTest = isJsonObject(operation) && getField(operation, "op") === "test";
      throw new PatchFailure(whyNot(document, operation), isTest);
    }
  }
  return document;
}

/** The object after a patch of a webhook. @throws StatusError 500 when it does not fit */
export function applyWebhookPatch(object: unknown, operations: readonly unknown[]): unknown {
  try {
    return applyOperations(object, operations);
  } catch (error) {
    if (error instanceof PatchFailure) throw internalError(error.message);
    throw error;
  }
}

function whyNot(document: unknown, operation: unknown): string {
  const field = (name: string): string => {
    const value = isJsonObject(operation) ? getField(operation, name) : undefined;
    return typeof value === "string" ? value : "";
  };
  const [op, path, from] = [field("op"), field("path"), field("from")];
  if (!OPERATIONS.has(op))
    return `Unexpected kind: ${isJsonObject(operation) && Object.hasOwn(operation, "op") ? op : "unknown"}`;
  if (op === "test") return `testing value ${path} failed: test failed`;
  const isCopied = op === "move" || op === "copy";
  const source = isCopied ? from : path;
  if (source === "" || !hasContainer(document, source)) {
    const isQuoted = op === "add" || op === "remove";
    const where = isCopied ? "from path" : "path";
    const shown = isQuoted ? JSON.stringify(source) : source;
    return `${op} operation does not apply: doc is missing ${where}: ${shown}: missing value`;
  }
  if (isCopied && !hasContainer(document, path)) {
    return `${op} operation does not apply: doc is missing destination path: ${path}: missing value`;
  }
  const key = source.slice(source.lastIndexOf("/") + 1);
  const why =
    op === "remove" || op === "move"
      ? `Unable to remove nonexistent key: ${key}: missing value`
      : `Unable to access invalid index: ${key}: invalid index referenced`;
  return `error in ${op} for ${op === "move" ? `path: '${key}'` : op === "copy" ? `from: '${source}'` : `path: '${source}'`}: ${why}`;
}

function hasContainer(document: unknown, path: string): boolean {
  const steps = path.split("/").slice(1, -1);
  let node: unknown = document;
  for (const step of steps) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(node)) node = (node as unknown[])[Number(key)];
    else node = isJsonObject(node) ? getField(node, key) : undefined;
  }
  return typeof node === "object" && node !== null;
}
