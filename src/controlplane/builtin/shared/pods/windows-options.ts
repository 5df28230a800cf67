/** Validation of the Windows options of pods and containers. */
import { type FieldError, invalidValue, nameErrorsAt } from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { WindowsOptions } from "./shapes.ts";

const MAX_CREDENTIAL_KIB = 64;
const MAX_DOMAIN = 256;
const MAX_USER = 104;
const NETBIOS_NAME = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;

const DNS_NAME =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Validates the Windows options of a pod or a container; absent ones are valid. */
export function windowsErrors(field: string, options: WindowsOptions | undefined): FieldError[] {
  if (!options) return [];
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  const errors =
    gmsaCredentialSpecName === undefined
      ? []
      : nameErrorsAt(
          `${field}.gmsaCredentialSpecName`,
          gmsaCredentialSpecName,
          dns1123SubdomainErrors,
        );
  const refuse = (name: string, value: string, detail: string): void => {
    errors.push(invalidValue(`${field}.${name}`, value, `${name}${detail}`));
  };
  if (gmsaCredentialSpec === "") {
    refuse("gmsaCredentialSpec", "", " cannot be an empty string");
  } else if (Buffer.byteLength(gmsaCredentialSpec ?? "") > MAX_CREDENTIAL_KIB * 1024) {
    const detail = ` size must be under ${MAX_CREDENTIAL_KIB} KiB`;
    refuse("gmsaCredentialSpec", gmsaCredentialSpec ?? "", detail);
  }
  for (const detail of runAsUserName === undefined ? [] : userNameProblems(runAsUserName)) {
    refuse("runAsUserName", runAsUserName ?? "", detail);
  }
  return errors;
}

/** The mistakes in the name of a user, without the name of the field. */
function userNameProblems(name: string): string[] {
  if (name === "") return [" cannot be an empty string"];
  // eslint-disable-next-line no-control-regex -- it matches control characters
  if (/[\u0000-\u001f\u007f]/.test(name)) return [" cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return [" cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? (parts[0] ?? "") : undefined;
  const length = Buffer.byteLength(user);
  return [
    ...(Buffer.byteLength(domain ?? "") >= MAX_DOMAIN
      ? [`'s Domain length must be under ${MAX_DOMAIN} characters`]
      : []),
    ...(domain === undefined || NETBIOS_NAME.test(domain) || DNS_NAME.test(domain)
      ? []
      : ["'s Domain doesn't match the NetBios nor the DNS format"]),
    ...(length === 0 ? ["'s User cannot be empty"] : []),
    ...(length > MAX_USER ? [`'s User length must not be longer than ${MAX_USER} characters`] : []),
    ...(/^[. ]+$/.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
      ? ["'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"]
      : []),
  ];
}
