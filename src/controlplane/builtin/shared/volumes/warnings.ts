import type { Check } from "../../../../kube/check.ts";
import { quote } from "../../../../kube/field-errors.ts";
import { parseQuantity } from "../../../../kube/values/quantity.ts";
import { at } from "../../at.ts";
import type { Warn } from "../checks.ts";
import type { Projection, Volume } from "../pods/pod-shapes.ts";
import type { PersistentVolumeClaimSpec } from "../shapes.ts";

const WHOLE = 1_000_000_000n;
const GONE_LONG_AGO = "deprecated in v1.11, non-functional in v1.16+";
const GONE_IN_25 = "deprecated in v1.22, non-functional in v1.25+";
const GONE_IN_31 = "deprecated in v1.28, non-functional in v1.31+";

/** Volume sources that are deprecated or no longer work, with the warning about each. */
export const SOURCES: readonly (readonly [name: string, shown: string, note: string])[] = [
  ["photonPersistentDisk", "photonPersistentDisk", GONE_LONG_AGO],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", GONE_IN_25],
  ["storageos", "storageOS", GONE_IN_25],
  ["quobyte", "quobyte", GONE_IN_25],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", GONE_IN_31],
  ["rbd", "rbd", GONE_IN_31],
];

/** Warns about a fractional number of bytes. */
export function warnOfFraction(amount: Check<string | undefined>, warn: Warn): void {
  const { value } = amount;
  if (value === undefined || parseQuantity(value).nanos % WHOLE === 0n) return;
  warn(amount, `fractional byte value ${quote(value)} is invalid, must be an integer`);
}

export function warnOfClaimSize(spec: Check<PersistentVolumeClaimSpec>, warn: Warn): void {
  for (const part of ["requests", "limits"] as const) {
    warnOfFraction(spec.at("resources", part).entry("storage"), warn);
  }
}

export function warnOfVolumes(volumes: Check<Volume[] | undefined>, warn: Warn): void {
  volumes.each((volume) => {
    for (const [name, shown, note] of SOURCES) {
      if (at(volume.value, name) !== undefined) warn(volume.child(shown, undefined), note);
    }
    const claim = volume.at("ephemeral", "volumeClaimTemplate", "spec");
    claim.ifSet((spec) => warnOfClaimSize(spec, warn));
  });
  for (const volume of volumes.value ?? []) warnOfOverlaps(volume, warn);
}

interface Place {
  readonly path: string;
  readonly source: string;
}

/** The files of a source of a volume; `source` is shown beside their paths. */
const placesOf = (
  files: { readonly items?: readonly { readonly path: string }[] } | undefined,
  source = "",
): Place[] => (files?.items ?? []).map(({ path }) => ({ path, source }));

/** Warns about files of one volume with overlapping paths. */
function warnOfOverlaps(volume: Volume, warn: Warn): void {
  const { configMap, secret, downwardAPI, projected } = volume;
  const name = `volume ${quote(volume.name)}`;
  const check = (what: string, places: readonly Place[]): void => {
    for (const text of overlapsOf(places)) {
      warn(undefined, `${name} (${what}): overlapping paths: ${text}`);
    }
  };
  check(`ConfigMap ${quote(configMap?.name ?? "")}`, placesOf(configMap));
  check(`Secret ${quote(secret?.secretName ?? "")}`, placesOf(secret));
  check("DownwardAPI", placesOf(downwardAPI));
  const sources = projected?.sources ?? [];
  for (const source of sources) {
    if (Object.keys(source).length > 0) continue;
    warn(undefined, `${name} (Projected) has no sources provided`);
  }
  check("Projected", sources.flatMap(projectedPlaces));
}

/** The files of the first part of a projection that has some. */
function projectedPlaces(source: Projection): Place[] {
  const { configMap, secret, downwardAPI, serviceAccountToken: token } = source;
  const parts = [
    placesOf(configMap, `ConfigMap ${quote(configMap?.name ?? "")}`),
    placesOf(secret, `Secret ${quote(secret?.name ?? "")}`),
    placesOf(downwardAPI, "DownwardAPI"),
    token ? [{ path: token.path, source: "ServiceAccountToken" }] : [],
  ];
  return parts.find((places) => places.length > 0) ?? [];
}

function overlapsOf(places: readonly Place[]): string[] {
  const shown = ({ path, source }: Place): string =>
    source === "" ? quote(path) : `${quote(path)} (${source})`;
  const seen: Place[] = [];
  return places.flatMap((given) => {
    const place = { ...given, path: given.path.replace(/\/+$/, "") };
    const hit = seen.filter(
      ({ path }) =>
        path !== "" &&
        place.path !== "" &&
        (`${path}/`.startsWith(`${place.path}/`) || `${place.path}/`.startsWith(`${path}/`)),
    );
    seen.push(place);
    return hit.map((other) => `${shown(place)} with ${shown(other)}`);
  });
}
