/** The `Accept` header, read as the API server reads it. */

/** One media type of the header, with its parameters except `q`. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The types that an endpoint offers, as `[type, subtype]`. */
export type MediaType = readonly [string, string];

/** `application/json`. */
export const JSON_TYPE: MediaType = ["application", "json"];
/** `application/yaml`. */
export const YAML_TYPE: MediaType = ["application", "yaml"];

const PLAIN_JSON: readonly AcceptClause[] = [
  { type: "application", subtype: "json", quality: 1, parameters: {} },
];

/** The clauses of the header, most preferred first. Malformed ones are left out. */
export function parseAccept(header: string): readonly AcceptClause[] {
  if (header === "application/json") return PLAIN_JSON;
  return header
    .split(",")
    .flatMap((part) => parseClause(part))
    .sort(
      (one, other) =>
        other.quality - one.quality ||
        Number(one.type === "*") - Number(other.type === "*") ||
        Number(one.subtype === "*") - Number(other.subtype === "*"),
    );
}

function parseClause(part: string): AcceptClause[] {
  const [range = "", ...rest] = part.split(";");
  const [type = "", subtype, ...more] = range.split("/").map((piece) => piece.trim());
  if (more.length > 0 || (subtype === undefined && type !== "*")) return [];
  const parameters: Record<string, string> = {};
  let quality = 1;
  for (const pair of rest) {
    const [name = "", value, ...others] = pair.split("=").map((piece) => piece.trim());
    if (value === undefined || value === "" || others.length > 0) continue;
    if (name === "q") quality = Number.parseFloat(value) || 0;
    else parameters[name] = value;
  }
  return [{ type, subtype: subtype ?? "*", quality, parameters }];
}

/**
 * The first offered type that the header accepts and `isServed` agrees to; wildcards match offers
 * in their order. An absent or empty header accepts anything.
 */
export function chooseMediaType<T>(
  header: string | undefined,
  offered: readonly MediaType[],
  serve: (type: MediaType, parameters: Readonly<Record<string, string>>) => T | undefined,
): T | undefined {
  for (const clause of parseAccept(header === undefined || header === "" ? "*/*" : header)) {
    for (const offer of offered) {
      const isWanted =
        (clause.type === "*" && clause.subtype === "*") ||
        (clause.type === offer[0] && (clause.subtype === "*" || clause.subtype === offer[1]));
      const served = isWanted ? serve(offer, clause.parameters) : undefined;
      if (served !== undefined) return served;
    }
  }
  return undefined;
}
