/** Converters: one for every version of a kind but the storage version. */
import type { Findings } from "../findings.ts";
import type { ConversionModel, KindModel, ProjectModel, VersionModel } from "../model.ts";

/** A converter of which both versions could be read. */
type Converter = Required<ConversionModel>;

type Model = Pick<ProjectModel, "kinds" | "externalKinds" | "conversions">;

/** The command that writes the converter between two versions of a kind. */
export function conversionCommand(
  { group, version, kind }: Pick<KindModel, "group" | "version" | "kind">,
  spoke: Pick<KindModel, "version">,
  domain = "",
): string {
  const isBelow = domain !== "" && `.${group}`.endsWith(`.${domain}`);
  const flag = isBelow ? group.slice(0, -domain.length).replace(/\.$/, "") : group;
  const words = [
    ...(flag === "" ? [] : [`--group ${flag}`]),
    `--version ${version} --kind ${kind} --conversion --spoke ${spoke.version}`,
  ];
  return `tsop create webhook ${words.join(" ")}`;
}

/**
 * Notes converters that are not possible, and versions that none of a kind's converters converts.
 *
 * @param domain - of the project, which the flag `--group` leaves out
 */
export function checkConversions(model: Model, findings: Findings, domain?: string): void {
  const usable = model.conversions.filter(isRead).filter((converter) => {
    const mistake = mistakeOf(converter, model);
    if (mistake) refuse(converter[mistake.of], mistake.message, mistake.fix, findings);
    return !mistake;
  });
  for (const kind of kindsOf(model.kinds)) {
    checkOptions(kind, model.conversions, findings);
    checkConverters(
      kind,
      usable.filter(({ hub }) => isOf(hub, kind.versions[0])),
      // A converter that cannot be read may be the one that is missing.
      usable.length < model.conversions.length,
      findings,
      domain,
    );
  }
}

interface OneKind {
  readonly kind: string;
  readonly versions: readonly KindModel[];
  /** The version in which objects are stored, where it is clear which. */
  readonly stored: KindModel | undefined;
}

function kindsOf(kinds: readonly KindModel[]): OneKind[] {
  const names = new Set(kinds.map(({ group, kind }) => `${group}/${kind}`));
  return [...names].map((name) => {
    const versions = kinds.filter(({ group, kind }) => `${group}/${kind}` === name);
    const stored = versions.filter(({ storage }) => storage ?? versions.length === 1);
    const [kind = ""] = versions.map((version) => version.kind);
    return { kind, versions, stored: stored.length === 1 ? stored[0] : undefined };
  });
}

const isRead = (conversion: ConversionModel): conversion is Converter =>
  conversion.hub !== undefined && conversion.spoke !== undefined;

const isOf = (
  version: Pick<VersionModel, "group" | "kind">,
  kind: Pick<KindModel, "group" | "kind"> | undefined,
): boolean => version.group === kind?.group && version.kind === kind.kind;

const isVersion = (version: VersionModel, kind: KindModel): boolean =>
  isOf(version, kind) && version.version === kind.version;

function refuse(
  { at }: Pick<VersionModel, "at">,
  message: string,
  fix: string,
  findings: Findings,
): void {
  findings.error(at, "wrong-conversion", message, fix);
}

interface Mistake {
  readonly of: "hub" | "spoke";
  readonly message: string;
  readonly fix: string;
}

/** The mistake in a converter by itself. */
function mistakeOf({ hub, spoke }: Converter, model: Model): Mistake | undefined {
  if (!isOf(spoke, hub)) {
    return {
      of: "spoke",
      message: `${hub.shown} is the kind ${named(hub)}, and ${spoke.shown} the kind ${named(spoke)}: nothing is converted between two kinds.`,
      fix: "Name two versions of one kind.",
    };
  }
  if (hub.version === spoke.version) {
    return {
      of: "spoke",
      message: `${hub.shown} and ${spoke.shown} are one version, ${hub.version}: there is nothing to convert.`,
      fix: `Name another version of ${hub.kind} as the spoke.`,
    };
  }
  if (model.externalKinds.some((kind) => isOf(hub, kind))) {
    return {
      of: "hub",
      message: `The CRD of ${named(hub)} is external (external: true), so its conversion belongs to its owner.`,
      fix: "Remove the converter, or external: true when the CRD is generated here.",
    };
  }
  for (const part of ["hub", "spoke"] as const) {
    const version = { hub, spoke }[part];
    if (model.kinds.some((kind) => isVersion(version, kind))) continue;
    return {
      of: part,
      message: `No CRD of this project has the version ${version.version} of ${named(version)}, which ${version.shown} represents.`,
      fix: "Name classes with @Resource in this project.",
    };
  }
  return undefined;
}

const named = ({ group, kind }: Pick<VersionModel, "group" | "kind">): string =>
  group === "" ? kind : `${kind} of ${group}`;

/** Notes `@Resource({ conversion })` beside a converter: the CRD can have one of them. */
function checkOptions(
  { kind, versions }: OneKind,
  conversions: readonly ConversionModel[],
  findings: Findings,
): void {
  const converter = conversions.find(({ hub, spoke }) =>
    [hub, spoke].some((one) => one && isOf(one, versions[0])),
  );
  if (!converter) return;
  for (const { saidAt } of versions) {
    const at = saidAt.get("conversion");
    if (!at) continue;
    refuse(
      { at },
      `${kind} has a converter, at ${converter.at.file}:${converter.at.line}, which contradicts the option conversion.`,
      "Remove the option: @ConversionWebhook writes the CRD's spec.conversion.",
      findings,
    );
  }
}

/** The converters of one kind together. */
function checkConverters(
  { kind, versions, stored }: OneKind,
  converters: readonly Converter[],
  isPartial: boolean,
  findings: Findings,
  domain: string | undefined,
): void {
  const [first] = converters;
  if (!first) return;
  const hub = stored ?? versions.find((version) => isVersion(first.hub, version));
  if (!hub) return;
  const converted = new Map<string, Converter>();
  for (const converter of converters) {
    if (isVersion(converter.hub, hub)) {
      const twin = converted.get(converter.spoke.version);
      if (twin) {
        refuse(
          converter.spoke,
          `There is a converter between ${hub.version} and ${converter.spoke.version} of ${kind} already, at ${twin.at.file}:${twin.at.line}.`,
          "Remove one of the two.",
          findings,
        );
      }
      converted.set(converter.spoke.version, converter);
      continue;
    }
    // A converter that is reported here is not reported again as a version without a converter.
    converted.set(converter.hub.version, converter).set(converter.spoke.version, converter);
    tellHub(converter, kind, hub, stored !== undefined, findings);
  }
  if (isPartial) return;
  for (const version of versions) {
    if (version === hub || converted.has(version.version)) continue;
    findings.error(
      version.at,
      "versions-not-converted",
      `${kind} has converters, but none between its version ${version.version} and the hub ${hub.version}, so objects cannot be read or written in that version.`,
      `Write a class with @ConversionWebhook for it: \`${conversionCommand(hub, version, domain)}\`.`,
    );
  }
}

/** A hub that is not the version that the other converters name, or that is stored. */
function tellHub(
  { hub, spoke }: Converter,
  kind: string,
  right: KindModel,
  isStored: boolean,
  findings: Findings,
): void {
  const message = isStored
    ? `The hub of ${kind} must be its storage version, ${right.version}, but ${hub.shown} is ${hub.version}.`
    : `The converters of ${kind} name two hubs, ${right.version} and ${hub.version}.`;
  const fix = isVersion(spoke, right)
    ? `Swap the two: @ConversionWebhook(${spoke.shown}, ${hub.shown}), with toHub and fromHub.`
    : `Name the class of ${right.version} first${isStored ? `, or move storage: true to ${hub.shown}` : ""}.`;
  refuse(hub, message, fix, findings);
}
