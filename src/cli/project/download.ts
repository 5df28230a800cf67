/** Text from a URL, within limits of time and size. */
import { timeoutSignal, type Clock } from "../../clock.ts";
import { reasonOf, TsopError } from "../../errors.ts";

// All CRDs of a large project are 2 MB; those of a whole cluster came to 20.
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The server's answer cannot be used. */
class DownloadProblem extends Error {}

/**
 * Follows a few redirects, only to http and https, and never from https to http.
 *
 * @throws TsopError `download-failed`
 */
export async function download(url: string, timeoutSeconds: number, clock: Clock): Promise<string> {
  const limit = timeoutSignal(clock, timeoutSeconds * 1000);
  const shown = withoutSecrets(url);
  try {
    return await readBounded(await follow(url, limit.signal));
  } catch (error) {
    throw new TsopError(
      "download-failed",
      `${shown} could not be read: ${limit.signal.aborted ? `it took longer than ${timeoutSeconds} s` : reasonOf(error)}.`,
      limit.signal.aborted
        ? "Check the network, give it longer with --timeout SECONDS, or download the file and import that."
        : "Check the address and the network, or download the file and import that.",
      { cause: error },
    );
  } finally {
    limit.clear();
  }
}

async function follow(url: string, signal: AbortSignal): Promise<Response> {
  if (hasLogin(url)) {
    throw new DownloadProblem("the address holds a user name or password, which are not sent");
  }
  let at = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(at, { signal, redirect: "manual" });
    if (!REDIRECTS.has(response.status)) {
      if (response.ok) return response;
      await response.body?.cancel();
      throw new DownloadProblem(`the server answered ${response.status}`);
    }
    await response.body?.cancel();
    at = target(response.headers.get("location"), at);
  }
  throw new DownloadProblem(`the server redirected more than ${MAX_REDIRECTS} times`);
}

function target(location: string | null, from: string): string {
  if (location === null || !URL.canParse(location, from)) {
    throw new DownloadProblem("the server redirected to no address");
  }
  const { protocol, href } = new URL(location, from);
  if (hasLogin(href)) {
    throw new DownloadProblem(
      "the server redirected to an address with a user name or password, which are not sent",
    );
  }
  const secure = new URL(from).protocol === "https:";
  if (protocol === "https:" || (protocol === "http:" && !secure)) return href;
  throw new DownloadProblem(
    protocol === "http:"
      ? "the server redirected from https to http"
      : `the server redirected to ${protocol}, and only http and https are possible`,
  );
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const part of body ?? []) {
    bytes += part.length;
    // Leaving the loop closes the connection.
    if (bytes > MAX_BYTES) {
      throw new DownloadProblem(`the answer is larger than ${MAX_BYTES / 2 ** 20} MiB`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function hasLogin(text: string): boolean {
  const { username, password } = URL.canParse(text) ? new URL(text) : {};
  return Boolean(username) || Boolean(password);
}

/** An address for messages: a login is a secret, and so is the query of an address that is signed. */
export function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return text;
  const { protocol, host, pathname, search } = new URL(text);
  if (search === "" && !hasLogin(text)) return text;
  return `${protocol}//${host}${pathname}`;
}
