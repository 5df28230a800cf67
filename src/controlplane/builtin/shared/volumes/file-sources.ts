/**
 * Validation of volumes whose files come from the API: secrets, config maps, fields of the pod,
 * tokens and certificates.
 */
import type { DownwardAPIVolumeFile, KeyToPath } from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { internalForm } from "../../go/internal.ts";
import { checkLocalPath, checkSelector } from "../checks.ts";
import { checkFieldRef, checkResourceFieldRef } from "../pods/field-references.ts";
import type { Projection, Volume } from "../pods/pod-shapes.ts";
import type { Shaped } from "../shapes.ts";
import {
  SHORTEST_SECONDS,
  checkSignerName,
  checkSignerNotes,
  longestSeconds,
  trustBundleNameErrors,
} from "../signers.ts";

type Source<K extends keyof Projection> = NonNullable<Projection[K]>;

/** Validates a file's path, and that no other source of the volume has it. */
type CheckPath = (path: Check<string | undefined>) => void;

type DownwardFile = Shaped<DownwardAPIVolumeFile>;

const DOWNWARD_FIELDS = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

const KEY_TYPES = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];

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

function checkToken(token: Check<Source<"serviceAccountToken">>, path: Check<string>): void {
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

/** Validates a projection of a bundle. */
function checkBundleSource(
  source: Check<Source<"clusterTrustBundle">>,
  checkPath: CheckPath,
): void {
  const { name, signerName, labelSelector } = source.value;
  if (name !== undefined && signerName !== undefined) {
    const shown = internalForm("core.ClusterTrustBundleProjection", source.value);
    source.invalid("only one of name and signerName may be used", shown);
  } else if (name !== undefined) {
    source.at("name").given("must be a valid object name");
    const end = name.lastIndexOf(":");
    const signer = end < 0 ? "" : name.slice(0, end).replaceAll(":", "/");
    for (const detail of trustBundleNameErrors(signer, name)) {
      source.at("name").invalid(`not a valid clustertrustbundlename: ${detail}`);
    }
    if (labelSelector !== undefined) {
      const shown = internalForm("*metav1.LabelSelector", labelSelector);
      source.at("labelSelector").invalid("labelSelector must be unset if name is specified", shown);
    }
  } else if (signerName !== undefined) {
    source.at("signerName").given("must be a valid signer name");
    checkSignerName(source.at("signerName"));
    checkSelector(source.at("labelSelector"));
  } else source.required("either name or signerName must be specified");
  source.at("path").given();
  checkPath(source.at("path"));
}

/** Validates a projection of a certificate of the pod. */
function checkCertificateSource(
  source: Check<Source<"podCertificate">>,
  checkPath: CheckPath,
): void {
  const { signerName, userAnnotations, maxExpirationSeconds: seconds } = source.value;
  checkSignerName(source.at("signerName"));
  if (userAnnotations) checkSignerNotes(source.at("userAnnotations"));
  source.at("keyType").oneOf(KEY_TYPES);
  if (seconds !== undefined) {
    const lifetime = source.at("maxExpirationSeconds");
    const longest = longestSeconds(signerName);
    const rule = "if provided, maxExpirationSeconds must be";
    if (seconds < SHORTEST_SECONDS) lifetime.invalid(`${rule} >= ${SHORTEST_SECONDS}`);
    if (seconds > longest) lifetime.invalid(`${rule} <= ${longest}`);
  }
  const paths = (["credentialBundlePath", "keyPath", "certificateChainPath"] as const)
    .map((part) => source.at(part))
    .filter(({ value = "" }) => value !== "");
  for (const path of paths) checkPath(path);
  if (paths.length === 0) {
    const parts = "credentialBundlePath, keyPath, and certificateChainPath";
    source.required(`specify at least one of ${parts}`);
  }
}
