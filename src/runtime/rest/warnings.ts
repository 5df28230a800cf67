/**
 * The `Warning` headers of an API server's answers: of deprecated versions, unknown fields, and of webhooks.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7234#section-5.5
 */
import type { Logger } from "../../log.ts";
import { ToldBefore } from "../told-before.ts";

/** A warning of the API server in its answer to a request. */
export interface ApiWarning {
  /** The code; 299 in the answers of API servers. */
  readonly code: number;
  /** The agent that warns; `-` in the answers of API servers. */
  readonly agent: string;
  readonly text: string;
  /** The method of the request: `POST`. */
  readonly method: string;
  /** The path of the request, without its query. */
  readonly path: string;
}

/**
 * Gets each warning, repeated ones included.
 *
 * @example
 * const warnings: ApiWarning[] = [];
 * const client = createClient(config, { warnings: (warning) => warnings.push(warning) });
 */
export type WarningHandler = (warning: ApiWarning) => void;

/** The handling of warnings: `ignore` drops them. */
export type WarningOption = "ignore" | WarningHandler;

// The only code that client-go accepts: "miscellaneous persistent warning".
const MISCELLANEOUS = 299;

/** The handler for an option; `undefined` for none. */
export function warningHandler(
  option: WarningOption | undefined,
  byDefault: WarningHandler,
): WarningHandler | undefined {
  if (option === "ignore") return undefined;
  return option ?? oncePerText(byDefault);
}

export function logWarning(log: Logger): WarningHandler {
  return ({ text, method, path }) => {
    log.warn({ method, path }, `the API server warns: ${text}`);
  };
}

export function oncePerText(handler: WarningHandler): WarningHandler {
  const told = new ToldBefore();
  return (warning) => {
    if (told.isFirst(warning.text)) handler(warning);
  };
}

type ParsedWarning = Pick<ApiWarning, "code" | "agent" | "text">;

/**
 * The warnings of a header, several of which may be joined by commas. Everything after a part that
 * is not a warning is left out, as in client-go.
 */
export function parseWarnings(header: string): ParsedWarning[] {
  const warnings: ParsedWarning[] = [];
  let rest = decodeUtf8(header);
  while (rest !== "") {
    const match = WARNING.exec(rest);
    if (!match) break;
    const [whole, code = "", agent = "", quoted = ""] = match;
    const text = quoted.replaceAll(/\\(.)/gsu, "$1");
    if (CONTROL_CHARACTER.test(agent + text)) break;
    if (Number(code) === MISCELLANEOUS && text !== "") {
      warnings.push({ code: Number(code), agent, text });
    }
    rest = rest.slice(whole.length);
  }
  return warnings;
}

// Code, agent, text with escaped quotes, and an optional date; then a comma, or the end.
const WARNING = /^\s*(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"\s*(?:"[^"]*"\s*)?(?:,\s*|$)/su;
// oxlint-disable-next-line no-control-regex -- no warning has these characters, as in client-go
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f\ufffd]/;

/** Headers arrive as Latin-1; their content is UTF-8. */
function decodeUtf8(header: string): string {
  // oxlint-disable-next-line no-control-regex -- bytes
  if (!/^[\u0000-\u00ff]*$/.test(header)) return header;
  return Buffer.from(header, "latin1").toString("utf8");
}
