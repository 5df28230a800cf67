/**
 * Validation of the volumes of a pod.
 *
 * @module
 */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import { parseQuantity } from "../../../../kube/quantity.ts";
import type { DownwardItem, Volume } from "../pod-shapes.ts";
import { backstepErrors, localPathErrors, nameErrorsAt } from "./checks.ts";
import { claimSpecErrors, csiDriverNameErrors } from "./storage.ts";
import { fieldPathErrors } from "./containers.ts";

const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];
const DOWNWARD_FIELDS = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
const MAX_MODE = 0o777;

/** Everything wrong with the volumes: names, one source each, and what the sources need. */
export function volumesErrors(field: string, volumes: readonly Volume[] = []): FieldError[] {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const at = `${field}[${index}]`;
    const errors = sourceErrors(at, volume);
    if (volume.name === "") errors.push(required(`${at}.name`));
    else errors.push(...nameErrorsAt(`${at}.name`, volume.name, dns1123LabelErrors));
    if (names.has(volume.name)) errors.push(duplicate(`${at}.name`, volume.name));
    names.add(volume.name);
    return errors;
  });
}

function sourceErrors(at: string, volume: Volume): FieldError[] {
  const errors: FieldError[] = [];
  const [, ...surplus] = Object.keys(volume).filter((key) => key !== "name");
  for (const source of surplus) {
    errors.push(forbidden(`${at}.${source}`, "may not specify more than 1 volume type"));
  }
  if (surplus.length > 0) return errors;
  const { hostPath, secret, configMap, downwardAPI, projected, persistentVolumeClaim } = volume;
  if (hostPath) {
    const { path = "", type = "" } = hostPath;
    if (path === "") errors.push(required(`${at}.hostPath.path`));
    else errors.push(...backstepErrors(`${at}.hostPath.path`, path));
    if (!HOST_PATH_TYPES.includes(type)) {
      errors.push(notSupported(`${at}.hostPath.type`, type, HOST_PATH_TYPES));
    }
  }
  if (secret) {
    if (!secret.secretName) errors.push(required(`${at}.secret.secretName`));
    errors.push(...filesErrors(`${at}.secret`, secret));
  }
  if (configMap) {
    if (!configMap.name) errors.push(required(`${at}.configMap.name`));
    errors.push(...filesErrors(`${at}.configMap`, configMap));
  }
  if (downwardAPI) {
    errors.push(...modeErrors(`${at}.downwardAPI.defaultMode`, downwardAPI.defaultMode));
    for (const item of downwardAPI.items ?? []) {
      errors.push(...downwardErrors(`${at}.downwardAPI`, item));
    }
  }
  if (projected) errors.push(...projectedErrors(`${at}.projected`, projected));
  if (persistentVolumeClaim && !persistentVolumeClaim.claimName) {
    errors.push(required(`${at}.persistentVolumeClaim.claimName`));
  }
  const { csi, emptyDir, ephemeral, nfs } = volume;
  if (emptyDir?.sizeLimit !== undefined && parseQuantity(emptyDir.sizeLimit).nanos < 0n) {
    const detail = "SizeLimit field must be a valid resource quantity";
    errors.push(forbidden(`${at}.emptyDir.sizeLimit`, detail));
  }
  if (csi) {
    errors.push(...csiDriverNameErrors(`${at}.csi.driver`, csi.driver));
    if (csi.nodePublishSecretRef && !csi.nodePublishSecretRef.name) {
      errors.push(required(`${at}.csi.nodePublishSecretRef.name`));
    }
  }
  if (nfs) {
    if (nfs.server === "") errors.push(required(`${at}.nfs.server`));
    if (nfs.path === "") errors.push(required(`${at}.nfs.path`));
    else if (!nfs.path.startsWith("/")) {
      errors.push(invalidValue(`${at}.nfs.path`, nfs.path, "must be an absolute path"));
    }
  }
  if (ephemeral) {
    const field = `${at}.ephemeral.volumeClaimTemplate`;
    errors.push(
      ...(ephemeral.volumeClaimTemplate
        ? claimSpecErrors(`${field}.spec`, ephemeral.volumeClaimTemplate.spec)
        : [required(field)]),
    );
  }
  return errors;
}

function filesErrors(
  at: string,
  source: { defaultMode?: number; items?: (DownwardItem & { key?: string })[] },
): FieldError[] {
  const errors = modeErrors(`${at}.defaultMode`, source.defaultMode);
  for (const [index, { key = "", path }] of (source.items ?? []).entries()) {
    const item = `${at}.items[${index}]`;
    if (key === "") errors.push(required(`${item}.key`));
    if (path === "") errors.push(required(`${item}.path`));
    else errors.push(...localPathErrors(`${item}.path`, path));
  }
  return errors;
}

function modeErrors(field: string, mode: number | undefined): FieldError[] {
  return mode !== undefined && (mode < 0 || mode > MAX_MODE)
    ? [invalidValue(field, mode, "must be a number between 0 and 0777 (octal), both inclusive")]
    : [];
}

function downwardErrors(at: string, item: DownwardItem): FieldError[] {
  const errors =
    item.path === "" ? [required(`${at}.path`)] : localPathErrors(`${at}.path`, item.path);
  if (item.fieldRef) {
    errors.push(...fieldPathErrors(`${at}.fieldRef`, item.fieldRef.fieldPath, DOWNWARD_FIELDS));
    if (item.resourceFieldRef) {
      errors.push(
        invalidValue(
          at,
          "resource",
          "fieldRef and resourceFieldRef can not be specified simultaneously",
        ),
      );
    }
  } else if (!item.resourceFieldRef) {
    errors.push(required(at, "one of fieldRef and resourceFieldRef is required"));
  }
  return errors;
}

function projectedErrors(at: string, projected: NonNullable<Volume["projected"]>): FieldError[] {
  const errors = modeErrors(`${at}.defaultMode`, projected.defaultMode);
  for (const [index, source] of (projected.sources ?? []).entries()) {
    const field = `${at}.sources[${index}]`;
    if (Object.keys(source).length > 1) {
      errors.push(forbidden(field, "may not specify more than 1 volume type per source"));
      continue;
    }
    const token = source.serviceAccountToken;
    if (token) {
      const { expirationSeconds = 0, path = "" } = token;
      const tokenAt = `${field}.serviceAccountToken`;
      if (expirationSeconds < 600) {
        errors.push(
          invalidValue(
            `${tokenAt}.expirationSeconds`,
            expirationSeconds,
            "may not specify a duration less than 10 minutes",
          ),
        );
      }
      if (path === "") errors.push(required(`${tokenAt}.path`));
      else errors.push(...localPathErrors(`${tokenAt}.path`, path));
    }
    for (const item of source.downwardAPI?.items ?? []) {
      errors.push(...downwardErrors(`${field}.downwardAPI`, item));
    }
  }
  return errors;
}
