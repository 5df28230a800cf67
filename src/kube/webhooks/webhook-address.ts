/**
 * Validation of the addresses of webhooks.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/util/webhook
 */
import { X509Certificate } from "node:crypto";
import { type FieldError, invalidValue, required } from "../field-errors.ts";
import { dns1123SubdomainErrors } from "../names.ts";

/** The address of a webhook. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly path?: string;
    port?: number;
  };
  /** PEM in base64. */
  readonly caBundle?: string;
}

/**
 * The address of a webhook in a stored configuration; without `caBundle` the system's authorities
 * are trusted.
 */
export interface WebhookTarget extends WebhookClientConfig {
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
}

const URL_FORM = "; desired format: https://host[/path]";

/** Errors of the address in a client configuration. */
export function webhookAddressErrors(config: WebhookClientConfig, path: string): FieldError[] {
  if ((config.url === undefined) === (config.service === undefined)) {
    return [required(path, "exactly one of url or service is required")];
  }
  if (config.url !== undefined) return urlErrors(config.url, `${path}.url`);
  return serviceErrors(config.service ?? {}, `${path}.service`);
}

function urlErrors(url: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  // oxlint-disable-next-line no-control-regex -- these are what a URL may not hold
  if (/[\u0000-\u001f\u007f]/.test(url)) {
    const problem = `parse ${JSON.stringify(url)}: net/url: invalid control character in URL`;
    return [required(path, `url must be a valid URL: ${problem}${URL_FORM}`)];
  }
  const parts =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/.exec(url);
  const [, scheme = "", authority = "", query = "", fragment = ""] = parts ?? [];
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  if (scheme.toLowerCase() !== "https") {
    const rule = `'https' is the only allowed URL scheme${URL_FORM}`;
    errors.push(invalidValue(path, scheme.toLowerCase(), rule));
  }
  if (host === "") errors.push(invalidValue(path, host, `host must be specified${URL_FORM}`));
  if (at >= 0) {
    const rule = "user information is not permitted in the URL";
    errors.push(invalidValue(path, authority.slice(0, at), rule));
  }
  if (fragment !== "") {
    errors.push(invalidValue(path, fragment, "fragments are not permitted in the URL"));
  }
  if (query !== "") {
    errors.push(invalidValue(path, query, "query parameters are not permitted in the URL"));
  }
  return errors;
}

function serviceErrors(
  service: NonNullable<WebhookClientConfig["service"]>,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  // The API server mixes the two up: it reports the name when the namespace is missing.
  if (!service.namespace) errors.push(required(`${path}.name`));
  if (!service.name) errors.push(required(`${path}.namespace`));
  const port = service.port ?? 443;
  if (port < 1 || port > 65535) {
    const rule = "port is not valid: must be between 1 and 65535, inclusive";
    errors.push(invalidValue(`${path}.port`, port, rule));
  }
  const { path: urlPath } = service;
  return urlPath === undefined
    ? errors
    : [...errors, ...servicePathErrors(urlPath, `${path}.path`)];
}

function servicePathErrors(urlPath: string, path: string): FieldError[] {
  if (urlPath === "" || urlPath === "/") return [];
  const invalid = (rule: string): FieldError => invalidValue(path, urlPath, rule);
  if (urlPath === "//") return [invalid("segment[0] may not be empty")];
  const errors = urlPath.startsWith("/") ? [] : [invalid("must start with a '/'")];
  const steps = urlPath.slice(1).replace(/\/$/, "").split("/");
  for (const [index, step] of steps.entries()) {
    if (step === "") errors.push(invalid(`segment[${index}] may not be empty`));
    else {
      for (const message of dns1123SubdomainErrors(step)) {
        errors.push(invalid(`segment[${index}]: ${message}`));
      }
    }
  }
  return errors;
}

/** Errors of a bundle of certificates (PEM, in base64). */
export function caBundleErrors(bundle: string, path: string): FieldError[] {
  const pem = Buffer.from(bundle, "base64").toString("latin1");
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  const problem = blocks.length === 0 ? "unable to parse bytes as PEM block" : firstProblem(blocks);
  if (problem === undefined) return [];
  return [invalidValue(path, bundle, `unable to load root certificates: ${problem}`)];
}

function firstProblem(blocks: readonly string[]): string | undefined {
  for (const block of blocks) {
    try {
      new X509Certificate(block);
    } catch {
      return "failed to parse certificate: x509: malformed certificate";
    }
  }
  return undefined;
}
