/**
 * Semantic versions.
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-semver-library
 */
import { capitalized } from "../../text/capitalized.ts";
import { quote } from "../../field-errors.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
  functionOf,
} from "../functions.ts";
import type { Library } from "../environment.ts";
import { BOOL, INT, STRING, struct } from "../types.ts";
import { CelError, type CelValue, noSuchOverload, UINT_MAX } from "../values.ts";
import { KubernetesValue } from "./kubernetes-value.ts";
import { orderingFunctions } from "./ordering.ts";

const SEMVER = struct("kubernetes.Semver");

type Part = string | bigint;

class SemverValue extends KubernetesValue {
  readonly type = SEMVER;
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly Part[];

  constructor(numbers: readonly bigint[], prerelease: readonly Part[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  compare(other: SemverValue): number {
    for (const [index, number] of this.numbers.entries()) {
      const order = compareParts(number, other.numbers[index] ?? 0n);
      if (order !== 0) return order;
    }
    const [mine, theirs] = [this.prerelease, other.prerelease];
    if (mine.length === 0 || theirs.length === 0) {
      return Number(mine.length === 0) - Number(theirs.length === 0);
    }
    for (const [index, part] of mine.entries()) {
      const against = theirs[index];
      if (against === undefined) return 1;
      const order = compareParts(part, against);
      if (order !== 0) return order;
    }
    return mine.length === theirs.length ? 0 : -1;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof SemverValue ? this.compare(other) === 0 : noSuchOverload();
  }

  toString(): string {
    const prerelease = this.prerelease.join(".");
    return this.numbers.join(".") + (prerelease && `-${prerelease}`);
  }
}

/** Compares two parts; numbers come before words. */
function compareParts(left: Part, right: Part): number {
  if (typeof left !== typeof right) return typeof left === "bigint" ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Thrown within the parser. */
class BadVersion extends Error {}

function unsigned(text: string): bigint {
  if (text === "") throw new BadVersion('strconv.ParseUint: parsing "": invalid syntax');
  const value = BigInt(text);
  if (value > UINT_MAX) {
    throw new BadVersion(`strconv.ParseUint: parsing ${quote(text)}: value out of range`);
  }
  return value;
}

function numberPart(name: string, text: string): bigint {
  if (!/^\d*$/.test(text)) {
    throw new BadVersion(`Invalid character(s) found in ${name} number ${quote(text)}`);
  }
  if (/^0./.test(text)) {
    const title = capitalized(name);
    throw new BadVersion(`${title} number must not contain leading zeroes ${quote(text)}`);
  }
  return unsigned(text);
}

function prereleasePart(text: string): Part {
  if (text === "") throw new BadVersion("Prerelease is empty");
  if (/^\d+$/.test(text)) {
    if (/^0./.test(text)) {
      const rule = "Numeric PreRelease version must not contain leading zeroes";
      throw new BadVersion(`${rule} ${quote(text)}`);
    }
    return unsigned(text);
  }
  if (/^[0-9A-Za-z-]+$/.test(text)) return text;
  throw new BadVersion(`Invalid character(s) found in prerelease ${quote(text)}`);
}

function parseVersion(text: string): SemverValue {
  if (text === "") throw new BadVersion("Version string empty");
  const match = /^([^.]*)\.([^.]*)\.([^]*)$/.exec(text);
  if (!match) throw new BadVersion("No Major.Minor.Patch elements found");
  const [, majorText = "", minorText = "", rest = ""] = match;
  const major = numberPart("major", majorText);
  const minor = numberPart("minor", minorText);
  const [release, build] = cut(rest, "+");
  const [patchText, prerelease] = cut(release, "-");
  const patch = numberPart("patch", patchText);
  const parts = prerelease?.split(".").map(prereleasePart) ?? [];
  for (const part of build?.split(".") ?? []) {
    if (part === "") throw new BadVersion("Build meta data is empty");
    if (!/^[0-9A-Za-z-]+$/.test(part)) {
      throw new BadVersion(`Invalid character(s) found in build meta data ${quote(part)}`);
    }
  }
  return new SemverValue([major, minor, patch], parts);
}

function cut(text: string, separator: string): [string, string | undefined] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}

/** The normalized form: `v1.02` as `1.2.0`. */
function normalized(text: string): string {
  const match = /^([^.]*)(?:\.([^.]*))?(?:\.([^]*))?$/.exec(text.replace(/^v/, ""));
  const groups: readonly (string | undefined)[] = match?.slice(1) ?? [];
  const parts = groups.filter((part) => part !== undefined);
  const short = parts.map((part) => {
    if (part.length <= 1) return part;
    const stripped = part.replace(/^0+/, "");
    return /^\d/.test(stripped) ? stripped : `0${stripped}`;
  });
  if (parts.length < 3 && /[+-]/.test(short.at(-1) ?? "")) {
    throw new BadVersion("short version cannot contain PreRelease/Build meta data");
  }
  return [...short, "0", "0"].slice(0, 3).join(".");
}

const read: Implementation = (text, normalize = false) => {
  if (typeof text !== "string" || typeof normalize !== "boolean") return noSuchOverload();
  try {
    return parseVersion(normalize ? normalized(text) : text);
  } catch (error) {
    if (error instanceof BadVersion) return new CelError(error.message);
    throw error;
  }
};

const isVersion: Implementation = (...args) => {
  const version = read(...args);
  return !(version instanceof CelError);
};

const part = (name: string, index: number): FunctionDeclaration => ({
  name,
  overloads: [
    member(`semver_${name}`, [SEMVER], INT, (version) =>
      version instanceof SemverValue
        ? BigInt.asIntN(64, version.numbers[index] ?? 0n)
        : noSuchOverload(),
    ),
  ],
});

const functions: readonly FunctionDeclaration[] = [
  functionOf(
    "semver",
    overload("string_to_semver", [STRING], SEMVER, read),
    overload("string_bool_to_semver", [STRING, BOOL], SEMVER, read),
  ),
  functionOf(
    "isSemver",
    overload("is_semver_string", [STRING], BOOL, isVersion),
    overload("is_semver_string_bool", [STRING, BOOL], BOOL, isVersion),
  ),
  ...orderingFunctions("semver", SEMVER, (left, right) =>
    left instanceof SemverValue && right instanceof SemverValue ? left.compare(right) : undefined,
  ),
  part("major", 0),
  part("minor", 1),
  part("patch", 2),
];

/** The library of semantic versions. */
export const semverLibrary: Library = { functions };
