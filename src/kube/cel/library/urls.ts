/**
 * URLs.
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library
 */
import { type FunctionDeclaration, member, overload, functionOf } from "../functions.ts";
import type { Library } from "../environment.ts";
import { BOOL, type CelType, listOf, mapOf, STRING, struct } from "../types.ts";
import { CelError, type CelValue, noSuchOverload, ValueList, ValueMap } from "../values.ts";
import { type GoUrl, parseGoUrl, parseQuery, requestUrlError, splitHostPort } from "./go-url.ts";
import { KubernetesValue } from "./kubernetes-value.ts";

const URL_TYPE = struct("kubernetes.URL");

class UrlValue extends KubernetesValue {
  readonly type = URL_TYPE;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof UrlValue ? other.toString() === this.toString() : noSuchOverload();
  }

  toString(): string {
    const { scheme, opaque, user, host, escapedPath, query, fragment } = this.url;
    const path = opaque === "" ? `//${user}${host}${escapedPath}` : opaque;
    return `${scheme}:${path}?${query}#${fragment}`;
  }
}

function read(text: CelValue): CelValue | CelError {
  if (typeof text !== "string") return noSuchOverload();
  const parsed = requestUrlError(text) ?? parseGoUrl(text);
  if (parsed instanceof Error) {
    return new CelError(`URL parse error during conversion from string: ${parsed.message}`);
  }
  return new UrlValue(parsed);
}

function queryOf({ query }: GoUrl): ValueMap {
  const map = new ValueMap();
  for (const [name, values] of parseQuery(query)) map.set(name, new ValueList(values));
  return map;
}

const getter = (
  name: string,
  id: string,
  run: (url: GoUrl) => CelValue,
  result: CelType = STRING,
): FunctionDeclaration => ({
  name,
  overloads: [
    member(id, [URL_TYPE], result, (url) =>
      url instanceof UrlValue ? run(url.url) : noSuchOverload(),
    ),
  ],
});

export const urlLibrary: Library = {
  functions: [
    functionOf("url", overload("string_to_url", [STRING], URL_TYPE, read)),
    functionOf(
      "isURL",
      overload("is_url_string", [STRING], BOOL, (text) =>
        typeof text === "string" ? requestUrlError(text) === undefined : noSuchOverload(),
      ),
    ),
    getter("getScheme", "url_get_scheme", ({ scheme }) => scheme),
    getter("getHost", "url_get_host", ({ host }) => host),
    getter("getHostname", "url_get_hostname", ({ host }) => splitHostPort(host).hostname),
    getter("getPort", "url_get_port", ({ host }) => splitHostPort(host).port),
    getter("getEscapedPath", "url_get_escaped_path", ({ escapedPath }) => escapedPath),
    getter("getQuery", "url_get_query", queryOf, mapOf(STRING, listOf(STRING))),
  ],
};
