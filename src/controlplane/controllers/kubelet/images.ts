/** Images of simulated nodes: every image is there, unless its name or the pod's annotation says otherwise. */
import type { Container } from "../../builtin/shared/pods/pod-shapes.ts";
import { isNoImage } from "./program/absence.ts";
import type { Simulation } from "./simulation.ts";

const DOMAIN =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::\d+)?$/;
const PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-fA-F]{32,}$/;

/** Why an image's name is none, in the words of the reference parser; `undefined` when it is one. */
export function imageNameProblem(image: string): string | undefined {
  const problem = referenceProblem(image);
  if (problem === undefined) return undefined;
  const name = JSON.stringify(image);
  return `Failed to apply default image tag ${name}: couldn't parse image name ${name}: ${problem}`;
}

function referenceProblem(image: string): string | undefined {
  if (/^[0-9a-f]{64}$/.test(image)) {
    return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  }
  const { domain, rest } = splitDomain(image);
  const [named = "", digest] = rest.split("@", 2);
  const colon = named.indexOf(":");
  const path = colon === -1 ? named : named.slice(0, colon);
  if (path !== path.toLowerCase()) {
    return `invalid reference format: repository name (${path}) must be lowercase`;
  }
  const isValid =
    DOMAIN.test(domain) &&
    PATH.test(path) &&
    (colon === -1 || TAG.test(named.slice(colon + 1))) &&
    (digest === undefined || DIGEST.test(digest));
  return isValid ? undefined : "invalid reference format";
}

function splitDomain(image: string): { domain: string; rest: string } {
  const slash = image.indexOf("/");
  const first = slash === -1 ? "" : image.slice(0, slash);
  const isDomain = /[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase();
  if (!isDomain) {
    return { domain: "docker.io", rest: image.includes("/") ? image : `library/${image}` };
  }
  return { domain: first, rest: image.slice(slash + 1) };
}

/** The full name of an image, as containerd writes it. */
function fullName(image: string): string {
  const { domain, rest } = splitDomain(image);
  const tag = /[:@]/.test(rest) ? "" : ":latest";
  return `${domain}/${rest}${tag}`;
}

/** Whether the image of a container cannot be had. */
export const isImageAbsent = ({ image = "" }: Container, simulation: Simulation): boolean =>
  simulation.kind === "no-image" || isNoImage(image);

/** What containerd says of an image that cannot be pulled. */
export function pullFailure(image: string): string {
  const name = fullName(image);
  const { domain, rest } = splitDomain(image);
  const failed = `failed to pull and unpack image "${name}": failed to resolve reference "${name}": `;
  if (!/\.invalid(?::\d+)?$/.test(domain))
    return `rpc error: code = NotFound desc = ${failed}${name}: not found`;
  const [path = "", tag = "latest"] = rest.split(/[:@]/);
  const url = `https://${domain}/v2/${path}/manifests/${tag}`;
  return `${failed}failed to do request: Head "${url}": dial tcp: lookup ${domain.replace(/:\d+$/, "")}: no such host`;
}

/** The size in bytes that a pulled image is said to have. */
export const IMAGE_BYTES = 10_000_000;
