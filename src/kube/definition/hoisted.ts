/**
 * A definition in the API server's internal form: the parts that all versions share are at the top.
 *
 * Clients see that form in the paths of errors (`spec.validation...` instead of
 * `spec.versions[0].schema...`), which is why it is here.
 */
import { sameJson } from "../json.ts";
import type { Definition, DefinitionVersion } from "./definition.ts";

/** The parts of a version that move to the top when they are the same in all of them. */
const SHARED = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

type Shared = (typeof SHARED)[number];

/** The versions without their shared parts, and the shared parts. */
export interface HoistedVersions {
  readonly common: Readonly<Partial<Pick<DefinitionVersion, Shared>>>;
  readonly versions: readonly DefinitionVersion[];
}

const orNothing = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 0 ? undefined : value;

/** Moves the parts that are the same in all versions to the top. */
export function hoistVersions(definition: Definition): HoistedVersions {
  const all = definition.spec.versions ?? [];
  const common: Partial<Record<Shared, unknown>> = {};
  const versions = all.map((version) => ({ ...version }));
  const [first] = all;
  if (!first) return { common: {}, versions };
  for (const part of SHARED) {
    const value = orNothing(first[part]);
    if (!all.every((version) => sameJson(orNothing(version[part]), value))) continue;
    if (value !== undefined) common[part] = value;
    for (const version of versions) delete version[part];
  }
  return { common: common as HoistedVersions["common"], versions };
}
