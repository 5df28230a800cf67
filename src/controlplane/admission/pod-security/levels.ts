/**
 * The Pod Security levels that the labels of a namespace set for its pods.
 *
 * @see
 * https://kubernetes.io/docs/concepts/security/pod-security-admission/#pod-security-admission-labels-for-namespaces
 */
import { type FieldError, invalidValue } from "../../../kube/field-errors.ts";
import { present } from "../../../present.ts";

const LEVELS = ["privileged", "baseline", "restricted"] as const;

/** A level of the Pod Security Standards. */
export type Level = (typeof LEVELS)[number];

/** A level as of a version of Kubernetes. */
export interface LevelVersion {
  readonly level: Level;
  /** The minor version; infinite for the latest. */
  readonly minor: number;
}

/** The level below which pods are refused, and the one below which they cause a warning. */
export interface SecurityPolicy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
}

const PREFIX = "pod-security.kubernetes.io/";
const MODES = ["enforce", "audit", "warn"] as const;

type Mode = (typeof MODES)[number];

/** Whether any label sets a level for pods. */
export const hasSecurityLabels = (labels: Readonly<Record<string, string>> = {}): boolean =>
  MODES.some(
    (mode) =>
      labels[PREFIX + mode] !== undefined || labels[`${PREFIX}${mode}-version`] !== undefined,
  );

/**
 * The policy of a namespace's labels; where they are wrong, writes are judged strictly and cause no
 * warnings.
 */
export function securityPolicyOf(labels: Readonly<Record<string, string>> = {}): {
  readonly policy: SecurityPolicy;
  readonly errors: readonly FieldError[];
} {
  const errors: FieldError[] = [];
  const read = (mode: Mode): Partial<LevelVersion> & { readonly isWrong: boolean } => {
    const level = labels[PREFIX + mode];
    const version = labels[`${PREFIX}${mode}-version`];
    const known = LEVELS.find((one) => one === level);
    const field = (name: string): string => `metadata.labels[${PREFIX}${name}]`;
    if (level !== undefined && known === undefined) {
      errors.push(invalidValue(field(mode), level, `must be one of ${LEVELS.join(", ")}`));
    }
    const minor = version === undefined ? undefined : parseMinor(version);
    if (version !== undefined && minor === undefined) {
      errors.push(invalidValue(field(`${mode}-version`), version, 'must be "latest" or "v1.x"'));
    }
    return {
      ...present({ level: known }),
      ...(version === undefined ? {} : { minor: minor ?? Infinity }),
      isWrong: level !== undefined && known === undefined,
    };
  };
  const enforced = read("enforce");
  // Errors of the audit label are listed, too, between those of the two others.
  read("audit");
  const warned = read("warn");
  const enforce: LevelVersion = {
    level: enforced.isWrong ? "restricted" : (enforced.level ?? "privileged"),
    minor: enforced.minor ?? Infinity,
  };
  // A namespace that enforces a level also warns about it, unless its labels say otherwise.
  const isTold = warned.level !== undefined || warned.isWrong;
  const follows = !isTold && enforced.level !== undefined && enforced.level !== "privileged";
  const warn: LevelVersion = {
    level: follows ? enforce.level : (warned.level ?? "privileged"),
    minor: warned.minor ?? (follows ? enforce.minor : Infinity),
  };
  return { policy: { enforce, warn }, errors };
}

function parseMinor(version: string): number | undefined {
  if (version === "latest") return Infinity;
  const [, minor] = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
}

/** Whether two levels and their versions are the same. */
export const sameLevel = (left: LevelVersion, right: LevelVersion): boolean =>
  left.level === right.level && left.minor === right.minor;

/** Whether the first level is stricter than the second. */
export const isStricter = (left: Level, right: Level): boolean =>
  LEVELS.indexOf(left) > LEVELS.indexOf(right);

/** As messages show it: `restricted:v1.30`. */
export const showLevel = ({ level, minor }: LevelVersion): string =>
  `${level}:${minor === Infinity ? "latest" : `v1.${minor}`}`;
