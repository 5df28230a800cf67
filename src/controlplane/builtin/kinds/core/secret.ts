import { Buffer } from "node:buffer";
import { type KeyObject, X509Certificate, createPrivateKey } from "node:crypto";
import type * as core from "../../../../generated/k8s/core-v1.ts";
import { messageOf } from "../../../../errors.ts";
import type { Check } from "../../../../kube/check.ts";
import { scanJson } from "../../../wire/json/json-scanner.ts";
import { checked, checkedChange, configKeyErrors } from "../../shared/checks.ts";
import type { ShapedObject } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { MAX_BYTES, checkFixed, decodedBytes } from "./data.ts";
import { fields } from "../../selectable-fields.ts";
import { tableOf } from "../../../../table.ts";

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

export type Secret = ShapedObject<Omit<core.Secret, "data">> & {
  data?: Record<string, string | null>;
};

/** The required keys of each type of Secret. */
const NEEDED = tableOf<readonly string[]>({
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
});

function checkSecret(secret: Check<Secret>): void {
  const { data = {}, type = "", metadata } = secret.value;
  const fields = secret.child("data", data);
  fields.eachEntry((value, key) => value.as(key).named(configKeyErrors));
  if (decodedBytes(data) > MAX_BYTES) fields.tooLong(MAX_BYTES);
  for (const key of NEEDED.get(type) ?? []) {
    const text = data[key] ?? "";
    const isEmpty = key === "ssh-privatekey" && text === "";
    if (!Object.hasOwn(data, key) || isEmpty) fields.entry(key).required();
    else if (key.startsWith(".docker")) {
      const problem = jsonObjectProblem(text);
      if (problem !== undefined) fields.entry(key).invalid(problem, "<secret contents redacted>");
    }
  }
  if (type === "kubernetes.io/basic-auth" && !("username" in data) && !("password" in data)) {
    fields.entry("username").required();
    fields.entry("password").required();
  }
  const account = "kubernetes.io/service-account.name";
  if (type === "kubernetes.io/service-account-token" && !metadata.annotations?.[account]) {
    secret.child(`metadata.annotations[${account}]`, "").required();
  }
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

export const secretRules: KindRules = {
  warnings: secretWarnings,
  validate: checked(checkSecret),
  validateUpdate: checkedChange<Secret>((secret, old) => {
    secret.at("type").unchanged(old.type);
    checkFixed(secret, old);
  }),
  changeFirst: true,
  setDefaults: setSecretDefaults,
  table: { Type: "type", Data: ["data", 0] },
  metadataChecks: ["change", "whole"],
  selectableFields: fields("type"),
};
