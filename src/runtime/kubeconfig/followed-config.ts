/** A configuration that is read again when its files change. */
import { messageOf } from "../../errors.ts";
import { sameJson } from "../../kube/json.ts";
import { FollowedFiles } from "../followed-files.ts";
import { ToldBefore } from "../told-before.ts";
import type { ClusterConfig, ConfigSource } from "../transport/cluster-config.ts";
import type { Surroundings } from "./surroundings.ts";

/** The parts of a read that only `followed` knows. */
export interface Reading {
  readonly surroundings: Surroundings;
  /** Notes a file on whose content the configuration depends. */
  readonly note: (path: string) => void;
  /** Whether a file that ends inside a PEM block is refused, because it is being written. */
  readonly isRenewal: boolean;
}

/**
 * The configuration that `read` returns, followed from now on. If it depends on no file, it has no
 * source.
 */
export function followed(
  surroundings: Surroundings,
  read: (reading: Reading) => ClusterConfig,
): ClusterConfig {
  const told = new ToldBefore();
  const warn = (message: string): void => {
    if (told.isFirst(message)) surroundings.warn(message);
  };
  let paths: ReadonlySet<string> = new Set();
  const readOnce = (isRenewal: boolean): ClusterConfig => {
    const noted = new Set<string>();
    const note = (path: string): void => void noted.add(path);
    try {
      return read({ surroundings: { ...surroundings, warn }, note, isRenewal });
    } finally {
      paths = isRenewal ? new Set([...paths, ...noted]) : noted;
    }
  };
  const first = readOnce(false);
  if (paths.size === 0) return first;
  let last = first;
  const files = new FollowedFiles({
    paths: () => [...paths],
    read: () => {
      last = withKeptCredentials(last, readOnce(true));
      return last;
    },
    clock: surroundings.clock,
    first,
  });
  const source: ConfigSource = {
    first,
    get: () => files.fresh ?? files.get(),
    invalidate: () => {
      files.invalidate();
    },
    get problem() {
      return files.problem && messageOf(files.problem).replace(/\.$/, "");
    },
  };
  return { ...first, source };
}

/** Unchanged credentials stay, because a token of a program would be lost with them. */
function withKeptCredentials(last: ClusterConfig, now: ClusterConfig): ClusterConfig {
  const { recipe: before } = last.credentials;
  const { recipe: after } = now.credentials;
  const isSame = before !== undefined && after !== undefined && sameJson(before, after);
  const kept = isSame ? { ...now, credentials: last.credentials } : now;
  return isSameConfig(last, kept) ? last : kept;
}

function isSameConfig(one: ClusterConfig, other: ClusterConfig): boolean {
  const { credentials: ofOne, ...plainOne } = one;
  const { credentials: ofOther, ...plainOther } = other;
  return ofOne === ofOther && sameJson(plainOne, plainOther);
}
