/** Warnings about volumes and their claims. */
import { quote } from "../../../../kube/field-errors.ts";
import { parseQuantity } from "../../../../kube/values/quantity.ts";
import { at, listAt, textAt } from "../../at.ts";
import type { Volume } from "../pods/shapes.ts";
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
export function fractionWarnings(field: string, amount: string | undefined): string[] {
  return amount === undefined || parseQuantity(amount).nanos % WHOLE === 0n
    ? []
    : [`${field}: fractional byte value ${quote(amount)} is invalid, must be an integer`];
}

/** Warns about fractional sizes in a claim. */
export const claimSizeWarnings = (
  field: string,
  { resources = {} }: PersistentVolumeClaimSpec,
): string[] =>
  (["requests", "limits"] as const).flatMap((part) =>
    fractionWarnings(`${field}.resources.${part}[storage]`, resources[part]?.["storage"]),
  );

/** Warnings about the volumes of a pod. */
export function volumeWarnings(field: string, volumes: readonly Volume[]): string[] {
  const gone = volumes.flatMap((volume, index) => {
    const where = `${field}[${index}]`;
    const claim = volume.ephemeral?.volumeClaimTemplate;
    const sizes = claim
      ? claimSizeWarnings(`${where}.ephemeral.volumeClaimTemplate.spec`, claim.spec)
      : [];
    const notes = SOURCES.filter(([name]) => at(volume, name) !== undefined);
    return [...notes.map(([, shown, note]) => `${where}.${shown}: ${note}`), ...sizes];
  });
  return [...gone, ...volumes.flatMap(overlapWarnings)];
}

interface Place {
  readonly path: string;
  readonly source: string;
}

const placesOf = (source: unknown, name: string): Place[] =>
  listAt(source, "items").map((item) => ({ path: textAt(item, "path"), source: name }));

/** Warns about files of one volume with overlapping paths. */
function overlapWarnings(volume: Volume): string[] {
  const { name, configMap, secret, downwardAPI, projected } = volume;
  const say = (what: string, places: readonly Place[]): string[] =>
    overlapsOf(places).map((text) => `volume ${quote(name)} (${what}): overlapping paths: ${text}`);
  const warnings = [
    ...say(`ConfigMap ${quote(textAt(configMap, "name"))}`, placesOf(configMap, "")),
    ...say(`Secret ${quote(textAt(secret, "secretName"))}`, placesOf(secret, "")),
    ...say("DownwardAPI", placesOf(downwardAPI, "")),
  ];
  const all: Place[] = [];
  for (const source of projected?.sources ?? []) {
    if (Object.keys(source).length === 0) {
      warnings.push(`volume ${quote(name)} (Projected) has no sources provided`);
    }
    all.push(...projectedPlaces(source));
  }
  return [...warnings, ...say("Projected", all)];
}

function projectedPlaces(source: object): Place[] {
  for (const [part, kind] of [
    ["configMap", "ConfigMap"],
    ["secret", "Secret"],
  ] as const) {
    const files = at(source, part);
    if (listAt(files, "items").length > 0) {
      return placesOf(files, `${kind} ${quote(textAt(files, "name"))}`);
    }
  }
  const fields = at(source, "downwardAPI");
  if (listAt(fields, "items").length > 0) return placesOf(fields, "DownwardAPI");
  const token = at(source, "serviceAccountToken");
  return token === undefined
    ? []
    : [{ path: textAt(token, "path"), source: "ServiceAccountToken" }];
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
