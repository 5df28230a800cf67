/** Validation of the Windows options of pods and containers. */
import type { WindowsSecurityContextOptions } from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { Shaped } from "../shapes.ts";

const MAX_CREDENTIAL_KIB = 64;
const MAX_DOMAIN = 256;
const MAX_USER = 104;
const NETBIOS_NAME = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;

const DNS_NAME =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Validates the Windows options of a pod or a container. */
export function checkWindowsOptions(options: Check<Shaped<WindowsSecurityContextOptions>>): void {
  options.at("gmsaCredentialSpecName").ifSet((name) => name.named(dns1123SubdomainErrors));
  options.at("gmsaCredentialSpec").ifSet((spec) => {
    if (spec.value === "") spec.invalid("gmsaCredentialSpec cannot be an empty string");
    else if (Buffer.byteLength(spec.value) > MAX_CREDENTIAL_KIB * 1024) {
      spec.invalid(`gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_KIB} KiB`);
    }
  });
  options.at("runAsUserName").ifSet(checkUserName);
}

function checkUserName(name: Check<string>): void {
  const parts = name.value.split("\\");
  const user = parts.at(-1) ?? "";
  const bytes = Buffer.byteLength(user);
  const refuse = (detail: string): void => name.invalid(`runAsUserName${detail}`);
  if (name.value === "") {
    refuse(" cannot be an empty string");
    return;
  }
  // eslint-disable-next-line no-control-regex -- it matches control characters
  if (/[\u0000-\u001f\u007f]/.test(name.value)) {
    refuse(" cannot contain control characters");
    return;
  }
  if (parts.length > 2) {
    refuse(" cannot contain more than one backslash");
    return;
  }
  const domain = parts.length === 2 ? parts[0] : undefined;
  if (Buffer.byteLength(domain ?? "") >= MAX_DOMAIN) {
    refuse(`'s Domain length must be under ${MAX_DOMAIN} characters`);
  }
  if (domain !== undefined && !NETBIOS_NAME.test(domain) && !DNS_NAME.test(domain)) {
    refuse("'s Domain doesn't match the NetBios nor the DNS format");
  }
  if (bytes === 0) refuse("'s User cannot be empty");
  if (bytes > MAX_USER) refuse(`'s User length must not be longer than ${MAX_USER} characters`);
  if (/^[. ]+$/.test(user)) refuse("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    refuse("'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
}
