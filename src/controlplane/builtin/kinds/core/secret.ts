/** Rules of the kind Secret. */
import { Buffer } from "node:buffer";
import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import { messageOf } from "../../../../errors.ts";
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  required,
  tooLong,
} from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { scanJson } from "../../../wire/json-scanner.ts";
import { configKeyErrors } from "../../shared/checks.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, countColumn, nameColumn, printer, textColumn } from "../../tables/column.ts";
import { FIXED, MAX_BYTES, decodedBytes } from "./data-limits.ts";
import { fields, labelNotSupported } from "../../selectable-fields.ts";

/** Writes `stringData` into `data`, in base64. */
function setSecretDefaults(secret: Secret): void {
  secret.type ??= "Opaque";
  if (!secret.stringData) return;
  const data = (secret.data ??= {});
  for (const [key, value] of Object.entries(secret.stringData)) {
    data[key] = Buffer.from(value, "utf8").toString("base64");
  }
  delete secret.stringData;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Warns about a Secret of the type `kubernetes.io/tls` whose certificate and key do not match. */
function secretWarnings(object: Secret): string[] {
  const { type, data = {} } = object;
  if (type !== "kubernetes.io/tls") return [];
  const decode = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  const problem = pairProblem(decode("tls.crt"), decode("tls.key"));
  return problem === undefined ? [] : [problem];
}

/** The mistake in a certificate and its key, in the words of Go's crypto/tls. */
function pairProblem(certificate: string, key: string): string | undefined {
  const blocks = [...certificate.matchAll(BLOCK)];
  const leaf = blocks.find(([, type]) => type === "CERTIFICATE")?.[0];
  if (leaf === undefined) {
    if (blocks.length === 0) return "tls: failed to find any PEM data in certificate input";
    const types = blocks.map(([, type]) => type).join(" ");
    return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types}]`;
  }
  const keys = [...key.matchAll(BLOCK)];
  const wanted = keys.find(([, type = ""]) => type.endsWith("PRIVATE KEY"))?.[0];
  if (wanted === undefined) {
    if (keys.length === 0) return "tls: failed to find any PEM data in key input";
    const types = keys.map(([, type]) => type).join(" ");
    return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types}]`;
  }
  let parsed: X509Certificate;
  let secret: KeyObject;
  try {
    parsed = new X509Certificate(leaf);
  } catch {
    return "x509: malformed certificate";
  }
  try {
    secret = createPrivateKey(wanted);
  } catch {
    return "tls: failed to parse private key";
  }
  return parsed.checkPrivateKey(secret) ? undefined : "tls: private key does not match public key";
}

export interface Secret extends SentObject {
  data?: Record<string, string | null>;
  stringData?: Record<string, string>;
  type?: string;
  immutable?: boolean;
}

/** The required keys of each type of Secret. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

function secretErrors(object: Secret): FieldError[] {
  const { data = {}, type = "", metadata } = object;
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

/** The mistake in a text that must be a JSON object, in Go's words. */
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

function secretUpdateErrors(secret: Secret, old: Secret): FieldError[] {
  const errors: FieldError[] = [];
  if (secret.type !== old.type) {
    errors.push(invalidValue("type", secret.type, "field is immutable"));
  }
  if (old.immutable !== true) return errors;
  if (secret.immutable !== true) errors.push(forbidden("immutable", FIXED));
  if (!sameJson(secret.data ?? {}, old.data ?? {})) errors.push(forbidden("data", FIXED));
  return errors;
}

/** The rules of Secrets. */
export const secretRules: KindRules = {
  warnings: secretWarnings,
  validate: secretErrors,
  validateUpdate: secretUpdateErrors,
  changeFirst: true,
  setDefaults: setSecretDefaults,
  table: printer([
    nameColumn,
    textColumn("Type", "type"),
    countColumn("Data", "data", { type: "string" }),
    ageColumn,
  ]),
  metadataChecks: ["change", "whole"],
  refuseFieldLabel: labelNotSupported,
  selectableFields: fields("type"),
  columnFields: {
    Type: "core.v1.Secret.type",
    Data: "core.v1.Secret.data",
  },
};
