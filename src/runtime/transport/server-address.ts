/** The address of an API server, as in kubeconfigs and programs. */
import { TsopError } from "../../errors.ts";

// A scheme ends in `://`; `my.cluster:6443` has none.
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
// oxlint-disable-next-line no-control-regex -- those are what URLs silently lose
const LOST_IN_URLS = /[\u0000-\u0020\u007f\\]/;

/** The URL of an address (`https:` by default), or its mistake, without any password. */
export function readServerAddress(
  address: string,
): { readonly url: URL } | { readonly mistake: string } {
  if (address === "" || LOST_IN_URLS.test(address)) {
    return { mistake: "is empty or has spaces, backslashes or control characters" };
  }
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "https" && scheme !== "http") {
    return { mistake: `begins with ${scheme}://, but only https and http are supported` };
  }
  if (scheme === undefined && /^[^/]*\/./.test(address)) {
    return { mistake: "has a path and does not begin with https://" };
  }
  const text = scheme === undefined ? `https://${address}` : address;
  // A URL takes the first word of the path for a missing host.
  const hasHost = !/^https?:\/\/[/?#:@]/i.test(text) && URL.canParse(text);
  if (!hasHost) return { mistake: "is not a URL with a host" };
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    return {
      mistake: "holds a user name or a password, which belong in the user of the kubeconfig",
    };
  }
  if (url.search !== "" || url.hash !== "") return { mistake: "has a query or a fragment" };
  return { url };
}

/**
 * The URL of an address: `https:` where it names no scheme.
 *
 * @throws TsopError `server-address` for an address that HTTP cannot reach
 */
export function serverUrl(address: string): URL {
  const read = readServerAddress(address);
  if ("url" in read) return read.url;
  throw new TsopError(
    "server-address",
    `The address of the API server ${read.mistake}.`,
    "Write it as https://host:port, or as http://host:port for a server without TLS.",
  );
}
