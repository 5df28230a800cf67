/** Answers of an API server to requests that are not about one kind of object. */
import { parseExact } from "./json/exact-json.ts";

/**
 * A successful answer, undecoded.
 *
 * @example
 * const answer = await client.raw({ path: "/version" });
 * const { gitVersion } = answer.json() as { gitVersion: string };
 */
export class RawAnswer {
  /** The status code, from 200 to 299. */
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;

  constructor(status: number, headers: Readonly<Record<string, string>>, body: Buffer) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** The body, decoded as UTF-8. */
  text(): string {
    return this.body.toString("utf8");
  }

  /** The body as a value. @throws SyntaxError when it is not JSON */
  json(): unknown {
    return parseExact(this.text());
  }
}
