/**
 * Validation of volumes whose files come from the API: secrets, config maps, fields of the pod,
 * tokens.
 */
import type { DownwardAPIVolumeFile, KeyToPath } from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { checkLocalPath } from "../checks.ts";
import { checkFieldRef, checkResourceFieldRef } from "../pods/field-references.ts";
import type { Projection, Volume } from "../pods/shapes.ts";
import type { Shaped } from "../shapes.ts";
import {
  type CheckPath,
  checkBundleSource,
  checkCertificateSource,
} from "./certificate-sources.ts";

type DownwardFile = Shaped<DownwardAPIVolumeFile>;

const DOWNWARD_FIELDS = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

const SHORTEST_TOKEN_SECONDS = 600;
const LONGEST_TOKEN_SECONDS = 2 ** 32;

function checkMode(mode: Check<number | undefined>): void {
  const { value = 0 } = mode;
  if (value < 0 || value > 0o777) {
    mode.invalid("must be a number between 0 and 0777 (octal), both inclusive");
  }
}

/**
 * Validates a path inside of the volume, whose first step must not begin with `..`, as the volume's
 * own files do.
 */
function checkFilePath(path: Check<string>): void {
  checkLocalPath(path);
  if (path.value.startsWith("..") && !path.value.startsWith("../")) {
    path.invalid("must not start with '..'");
  }
}

function checkKey(item: Check<KeyToPath>): void {
  item.at("key").given();
  item.at("path").given();
  checkFilePath(item.at("path"));
  checkMode(item.at("mode"));
}

/** Validates a volume of the keys of a secret or of a config map, whose name is given before. */
export function checkKeyFiles(
  source: Check<{ readonly defaultMode?: number; readonly items?: KeyToPath[] }>,
): void {
  checkMode(source.at("defaultMode"));
  source.at("items").each(checkKey);
}

/** Validates a volume of fields of the pod. */
export function checkDownward(source: Check<NonNullable<Volume["downwardAPI"]>>): void {
  checkMode(source.at("defaultMode"));
  for (const item of source.value.items ?? []) checkDownwardItem(source.as(item));
}

function checkDownwardItem(item: Check<DownwardFile>): void {
  const { fieldRef, resourceFieldRef } = item.value;
  item.at("path").given();
  checkFilePath(item.at("path"));
  if (fieldRef) {
    checkFieldRef(item.child("fieldRef", fieldRef), DOWNWARD_FIELDS);
    if (resourceFieldRef) {
      item.invalid("fieldRef and resourceFieldRef can not be specified simultaneously", "resource");
    }
  } else if (resourceFieldRef) {
    checkResourceFieldRef(item.child("resourceFieldRef", resourceFieldRef), true);
  } else item.required("one of fieldRef and resourceFieldRef is required");
  checkMode(item.at("mode"));
}

/** Validates a volume that projects several of these sources into one folder. */
export function checkProjected(projected: Check<NonNullable<Volume["projected"]>>): void {
  const paths = new Set<string>();
  /** Takes the path of a file; messages about one that is taken show `shown`. */
  const claim = (path: string, shown: string | undefined): void => {
    if (path !== "" && paths.has(path)) projected.invalid("conflicting duplicate paths", shown);
    paths.add(path);
  };
  const checkPath: CheckPath = (path) => {
    const { value = "" } = path;
    checkFilePath(path.as(value));
    claim(value, value);
  };
  checkMode(projected.at("defaultMode"));
  projected.at("sources").each((source) => {
    checkProjectedFiles(source, claim);
    source.at("serviceAccountToken").ifSet((token) => {
      checkToken(token, projected.child("path", token.value.path));
    });
    source.at("clusterTrustBundle").ifSet((bundle) => checkBundleSource(bundle, checkPath));
    source.at("podCertificate").ifSet((one) => checkCertificateSource(one, checkPath));
    if (source.count > 1) source.forbidden("may not specify more than 1 volume type per source");
  });
}

function checkProjectedFiles(
  source: Check<Projection>,
  claim: (path: string, shown: string | undefined) => void,
): void {
  for (const part of ["secret", "configMap"] as const) {
    source.at(part).ifSet((files) => {
      files.at("name").given();
      files.at("items").each((item) => {
        checkKey(item);
        claim(item.value.path, files.value.name);
      });
    });
  }
  for (const item of source.value.downwardAPI?.items ?? []) {
    checkDownwardItem(source.child("downwardAPI", item));
    claim(item.path, item.path);
  }
}

function checkToken(
  token: Check<NonNullable<Projection["serviceAccountToken"]>>,
  path: Check<string>,
): void {
  const lifetime = token.at("expirationSeconds");
  const { value: seconds = 0 } = lifetime;
  if (seconds < SHORTEST_TOKEN_SECONDS) {
    lifetime.invalid("may not specify a duration less than 10 minutes", seconds);
  }
  if (seconds > LONGEST_TOKEN_SECONDS) {
    lifetime.invalid("may not specify a duration larger than 2^32 seconds");
  }
  if (path.given()) checkFilePath(path);
}
