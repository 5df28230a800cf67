/**
 * Validation of names, labels and keys, in the API server's words.
 *
 * Each function returns the errors of its argument, as sentences without the value; an empty list
 * means that it is valid. Lengths count bytes of UTF-8, as Go's `len` does (some texts say
 * characters).
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const dns1035LabelPattern = new RegExp(`^${DNS1035_LABEL}$`);
const qualifiedNamePattern = new RegExp(`^${QUALIFIED_NAME}$`);
const labelValuePattern = new RegExp(`^${LABEL_VALUE}$`);

const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;

/**
 * Whether a text has more than `max` bytes in UTF-8: it has at least one for each of its units, at
 * most three.
 */
const isLonger = (text: string, max: number): boolean =>
  text.length > max || (text.length * 3 > max && Buffer.byteLength(text, "utf8") > max);

/** A rule, examples that follow it, and its pattern: the form of the API server's messages. */
function mismatch(rule: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

const SUBDOMAIN_MISMATCH = mismatch(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  "example.com",
);

function subdomainErrors(name: string, unit: "bytes" | "characters"): string[] {
  const errors: string[] = [];
  if (isLonger(name, SUBDOMAIN_MAX)) errors.push(`must be no more than ${SUBDOMAIN_MAX} ${unit}`);
  if (!subdomainPattern.test(name)) errors.push(SUBDOMAIN_MISMATCH);
  return errors;
}

/** Names of most objects: at most 253 bytes, labels joined with dots. */
export function dns1123SubdomainErrors(name: string): string[] {
  return subdomainErrors(name, "characters");
}

/** Namespaces and parts of host names: at most 63 bytes, no dots. */
export function dns1123LabelErrors(name: string): string[] {
  const errors: string[] = [];
  if (isLonger(name, LABEL_MAX)) errors.push(`must be no more than ${LABEL_MAX} characters`);
  if (!labelPattern.test(name)) {
    errors.push(
      subdomainPattern.test(name)
        ? "must not contain dots"
        : mismatch(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            LABEL,
            "my-name",
            "123-abc",
          ),
    );
  }
  return errors;
}

/** Services, versions, plurals: a label that starts with a letter. */
export function dns1035LabelErrors(name: string): string[] {
  const errors: string[] = [];
  if (isLonger(name, LABEL_MAX)) errors.push(`must be no more than ${LABEL_MAX} characters`);
  if (!dns1035LabelPattern.test(name)) {
    errors.push(
      mismatch(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        DNS1035_LABEL,
        "my-name",
        "abc-123",
      ),
    );
  }
  return errors;
}

/**
 * Names that only have to fit in a URL, such as those of roles.
 *
 * @param prefix - whether the name is a `generateName`, to which something is appended
 */
export function pathSegmentErrors(name: string, prefix = false): string[] {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  const errors: string[] = [];
  for (const part of ["/", "%"]) {
    if (name.includes(part)) errors.push(`may not contain '${part}'`);
  }
  return errors;
}

const QUALIFIED_SHAPE = mismatch(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED_NAME,
  "MyName",
  "my.name",
  "123-abc",
);

/** Label and annotation keys, finalizers: `name` or `example.com/name`. */
export function qualifiedNameErrors(key: string): string[] {
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${QUALIFIED_SHAPE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? parts[0] : undefined;
  if (prefix === "") errors.push("prefix part must be non-empty");
  else if (prefix !== undefined) {
    errors.push(...subdomainErrors(prefix, "bytes").map((error) => `prefix part ${error}`));
  }
  if (name === "") errors.push("name part must be non-empty");
  else if (isLonger(name, LABEL_MAX)) {
    errors.push(`name part must be no more than ${LABEL_MAX} bytes`);
  }
  if (!qualifiedNamePattern.test(name)) errors.push(`name part ${QUALIFIED_SHAPE}`);
  return errors;
}

/** Values of labels: empty, or at most 63 bytes. */
export function labelValueErrors(value: string): string[] {
  const errors: string[] = [];
  if (isLonger(value, LABEL_MAX)) errors.push(`must be no more than ${LABEL_MAX} bytes`);
  if (!labelValuePattern.test(value)) {
    errors.push(
      mismatch(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        LABEL_VALUE,
        "MyValue",
        "my_value",
        "12345",
      ),
    );
  }
  return errors;
}

/**
 * A `generateName` for the name rules: a trailing dash is fine, as something follows it. Like the
 * API server, this also replaces the character before the dash.
 */
export function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
}
