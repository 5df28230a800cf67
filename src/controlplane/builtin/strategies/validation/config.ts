/**
 * Validation of ConfigMaps and Secrets.
 *
 * @module
 */
import { sameJson } from "../../../../kube/json.ts";
import { Buffer } from "node:buffer";
import { messageOf } from "../../../../errors.ts";
import {
  type FieldError,
  forbidden,
  invalidValue,
  required,
  tooLong,
  nameErrorsAt,
} from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { ConfigMap, Secret } from "../shapes.ts";
import { scanJson } from "../../../wire/json-scanner.ts";
import { configKeyErrors } from "./checks.ts";

const MAX_BYTES = 1024 * 1024;
const FIXED = "field is immutable when `immutable` is set";

const decodedBytes = (data: Readonly<Record<string, string | null>> | undefined): number =>
  Object.values(data ?? {}).reduce(
    (sum, value) => sum + Buffer.byteLength(value ?? "", "base64"),
    0,
  );

export function configMapErrors(object: SentObject): FieldError[] {
  const { data = {}, binaryData = {} } = object as ConfigMap;
  const errors: FieldError[] = [];
  for (const key of Object.keys(data)) {
    errors.push(...nameErrorsAt(`data[${key}]`, key, configKeyErrors));
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
  }
  for (const key of Object.keys(binaryData)) {
    errors.push(...nameErrorsAt(`binaryData[${key}]`, key, configKeyErrors));
  }
  const text = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (text + decodedBytes(binaryData) > MAX_BYTES) errors.push(tooLong("[]", MAX_BYTES));
  return errors;
}

export function configMapUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const map = object as ConfigMap;
  const old = previous as ConfigMap;
  if (old.immutable !== true) return [];
  const errors: FieldError[] = [];
  if (map.immutable !== true) errors.push(forbidden("immutable", FIXED));
  if (!sameJson(map.data ?? {}, old.data ?? {})) errors.push(forbidden("data", FIXED));
  if (!sameJson(map.binaryData ?? {}, old.binaryData ?? {})) {
    errors.push(forbidden("binaryData", FIXED));
  }
  return errors;
}

/** The keys that a type of Secret cannot do without. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

export function secretErrors(object: SentObject): FieldError[] {
  const { data = {}, type = "", metadata } = object as Secret;
  const errors = Object.keys(data).flatMap((key) =>
    nameErrorsAt(`data[${key}]`, key, configKeyErrors),
  );
  if (decodedBytes(data) > MAX_BYTES) errors.push(tooLong("data", MAX_BYTES));
  for (const key of NEEDED[type] ?? []) {
    const isEmpty = key === "ssh-privatekey" && (data[key] ?? "") === "";
    if (!Object.hasOwn(data, key) || isEmpty) errors.push(required(`data[${key}]`));
    else if (key.startsWith(".docker")) {
      const problem = jsonObjectProblem(data[key] ?? "");
      if (problem === undefined) continue;
      errors.push(invalidValue(`data[${key}]`, "<secret contents redacted>", problem));
    }
  }
  if (type === "kubernetes.io/basic-auth" && !("username" in data) && !("password" in data)) {
    errors.push(required("data[username]"), required("data[password]"));
  }
  const account = "kubernetes.io/service-account.name";
  if (type === "kubernetes.io/service-account-token" && !metadata.annotations?.[account]) {
    errors.push(required(`metadata.annotations[${account}]`));
  }
  return errors;
}

/** A JSON object; what is wrong with another text is said in Go's words. */
function jsonObjectProblem(base64: string): string | undefined {
  const text = Buffer.from(base64, "base64");
  if (text.length === 0) return "unexpected end of JSON input";
  try {
    const { value } = scanJson(text);
    if (typeof value === "object" && !Array.isArray(value)) return undefined;
    const what = Array.isArray(value)
      ? "array"
      : typeof value === "boolean"
        ? "bool"
        : typeof value;
    return `json: cannot unmarshal ${what} into Go value of type map[string]interface {}`;
  } catch (error) {
    return messageOf(error);
  }
}

export function secretUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const secret = object as Secret;
  const old = previous as Secret;
  const errors: FieldError[] = [];
  if (secret.type !== old.type) {
    errors.push(invalidValue("type", secret.type, "field is immutable"));
  }
  if (old.immutable !== true) return errors;
  if (secret.immutable !== true) errors.push(forbidden("immutable", FIXED));
  if (!sameJson(secret.data ?? {}, old.data ?? {})) errors.push(forbidden("data", FIXED));
  return errors;
}
