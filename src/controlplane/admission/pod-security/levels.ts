/**
 * The Pod Security levels that the labels of a namespace set for its pods.
 *
 * @see
 * https://kubernetes.io/docs/concepts/security/pod-security-admission/#pod-security-admission-labels-for-namespaces
 */
import { type FieldError, invalidValue } from "../../../kube/field-errors.ts";

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

/** Whether any label sets a level for pods. */
export const hasSecurityLabels = (labels: Readonly<Record<string, string>> = {}): boolean =>
  MODES.flatMap((mode) => [mode, `${mode}-version`]).some(
    (name) => labels[PREFIX + name] !== undefined,
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
  const refuse = (name: string, rule: string): void => {
    errors.push(invalidValue(`metadata.labels[${PREFIX}${name}]`, labels[PREFIX + name], rule));
  };
  const read = (mode: (typeof MODES)[number]) => {
    const [label, version] = [labels[PREFIX + mode], labels[`${PREFIX}${mode}-version`]];
    const level = LEVELS.find((one) => one === label);
    if (label !== undefined && !level) refuse(mode, `must be one of ${LEVELS.join(", ")}`);
    const [, minor] = /^v1\.(0|[1-9][0-9]*)$/.exec(version ?? "latest") ?? [];
    if (minor === undefined && (version ?? "latest") !== "latest") {
      refuse(`${mode}-version`, 'must be "latest" or "v1.x"');
    }
    return { label, level, minor: version === undefined ? undefined : Number(minor ?? Infinity) };
  };
  const enforced = read("enforce");
  // Errors of the audit label are listed, too, between those of the two others.
  read("audit");
  const warned = read("warn");
  const enforce: LevelVersion = {
    level: enforced.level ?? (enforced.label === undefined ? "privileged" : "restricted"),
    minor: enforced.minor ?? Infinity,
  };
  // A namespace that enforces a level also warns about it, unless its labels say otherwise.
  const follows = warned.label === undefined && (enforced.level ?? "privileged") !== "privileged";
  const warn: LevelVersion = {
    level: follows ? enforce.level : (warned.level ?? "privileged"),
    minor: warned.minor ?? (follows ? enforce.minor : Infinity),
  };
  return { policy: { enforce, warn }, errors };
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
