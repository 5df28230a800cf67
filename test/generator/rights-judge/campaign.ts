/** Judges many random projects, and keeps count. */
import { Random } from "../../support/random.ts";
import type { RightsJudge, Verdict } from "./judge.ts";
import type { Project } from "./project.ts";
import { randomProject, simplerProjects, straight } from "./random.ts";

/** A project that the generator got wrong, as small as it gets. */
export interface Failure {
  readonly seed: number;
  readonly project: Project;
  readonly verdict: Verdict;
}

/** A project that has another role than the same without any detour. */
export interface Changed {
  readonly seed: number;
  readonly project: Project;
  /** The rights that one of both has, with a sign: `- get secrets` lacks on the detour. */
  readonly change: readonly string[];
}

/** One in so many projects is compared with the same without any detour. */
const COMPARED_EVERY = 4;

/** The difference of the roles of a project and of the same without any detour; `undefined` where there is none such. */
export async function changeOf(
  judge: RightsJudge,
  project: Project,
): Promise<readonly string[] | undefined> {
  const plain = straight(project);
  if (!plain) return undefined;
  const before = new Set(await judge.grantedTo(plain));
  const after = new Set(await judge.grantedTo(project));
  return [
    ...[...before].filter((right) => !after.has(right)).map((right) => `- ${right}`),
    ...[...after].filter((right) => !before.has(right)).map((right) => `+ ${right}`),
  ];
}

/** How often a choice was made in projects of one deed, and how often there were warnings. */
interface Share {
  all: number;
  warned: number;
}

/** Figures of a campaign. */
export class Figures {
  projects = 0;
  granted = 0;
  unused = 0;
  missing = 0;
  unannounced = 0;
  /** Announced by a warning at another line, which names the kind or the verb. */
  elsewhere = 0;
  warned = 0;
  failed = 0;
  mistakes = 0;
  /** Projects that were compared with the same without any detour, and those that had another role. */
  compared = 0;
  changed = 0;
  readonly shares = new Map<string, Share>();
  readonly unusedBy = new Map<string, number>();

  add(project: Project, verdict: Verdict): void {
    const { missing, unused, granted, warnings, mistakes } = verdict;
    this.projects++;
    this.granted += granted.length;
    this.unused += unused.length;
    this.missing += missing.length;
    this.unannounced += missing.filter(({ announced }) => announced === "no").length;
    this.elsewhere += missing.filter(({ announced }) => announced === "elsewhere").length;
    const isWarned = warnings.length > 0;
    if (isWarned) this.warned++;
    if (isWrong(verdict)) this.failed++;
    if (mistakes.length > 0) this.mistakes++;
    const { deeds, features, host, wiring } = project;
    const [deed, ...others] = deeds;
    if (others.length > 0) return;
    for (const [field, name] of [
      ...Object.entries(deed ?? {}),
      ...features.map(({ feature }) => ["feature", feature]),
      ["host", host],
      ["wiring", wiring],
    ]) {
      if (field === "other" || field === "kind") continue;
      const choice = `${field}: ${name}`;
      const share = this.shares.get(choice) ?? { all: 0, warned: 0 };
      share.all++;
      if (isWarned) share.warned++;
      this.shares.set(choice, share);
      if (unused.length > 0)
        this.unusedBy.set(choice, (this.unusedBy.get(choice) ?? 0) + unused.length);
    }
  }

  /** The choices with the largest shares of warnings, and with rights that nothing needs. */
  families(): string[] {
    const shares = [...this.shares]
      .map(([choice, { all, warned }]) => ({ choice, all, warned, share: warned / all }))
      .filter(({ warned }) => warned > 0)
      .sort((a, b) => b.share - a.share);
    return [
      ...shares.map(
        ({ choice, all, warned, share }) =>
          `  ${(share * 100).toFixed(0).padStart(3)} % warned | ${warned} of ${all} | ${choice}`,
      ),
      ...[...this.unusedBy]
        .sort(([, a], [, b]) => b - a)
        .map(([choice, count]) => `  ${count} unused | ${choice}`),
    ];
  }

  /** The figures in lines. */
  lines(): string[] {
    const percent = (part: number, whole: number): string =>
      `${part} of ${whole} (${((100 * part) / Math.max(whole, 1)).toFixed(2)} %)`;
    return [
      `projects with a refusal that no warning announced: ${percent(this.failed, this.projects)}`,
      `rights that were missing: ${this.missing}; ${this.unannounced} without a warning, ${this.elsewhere} with one at another line`,
      `granted rights that no run needed: ${percent(this.unused, this.granted)}`,
      `projects with warnings: ${percent(this.warned, this.projects)}`,
      `projects whose role a detour changed: ${percent(this.changed, this.compared)}`,
      `projects that were not reconcilers: ${this.mistakes}`,
    ];
  }
}

/** Whether the server refused what no warning announced. */
export const isWrong = ({ missing }: Verdict): boolean =>
  missing.some(({ announced }) => announced === "no");

/** The project of a seed. */
export const projectOf = (seed: number): Project => randomProject(new Random(seed));

/** The smallest project that still holds. */
export async function shrink(
  project: Project,
  holds: (candidate: Project) => Promise<boolean>,
): Promise<Project> {
  for (const candidate of simplerProjects(project)) {
    if (await holds(candidate)) return shrink(candidate, holds);
  }
  return project;
}

/** Judges the projects of `count` seeds from `seed` on. */
export async function judgeMany(
  judge: RightsJudge,
  { seed, count }: { readonly seed: number; readonly count: number },
  tell: {
    done?(figures: Figures): void;
    failed(failure: Failure): void;
    changed(changed: Changed): void;
  },
): Promise<Figures> {
  const figures = new Figures();
  for (let at = seed; at < seed + count; at++) {
    const project = projectOf(at);
    const verdict = await judge.judge(project);
    figures.add(project, verdict);
    tell.done?.(figures);
    if (isWrong(verdict) || verdict.mistakes.length > 0) {
      tell.failed({ seed: at, project, verdict });
    }
    if (at % COMPARED_EVERY !== 0 || verdict.warnings.length > 0) continue;
    const change = await changeOf(judge, project);
    if (change === undefined) continue;
    figures.compared++;
    if (change.length === 0) continue;
    figures.changed++;
    tell.changed({ seed: at, project, change });
  }
  return figures;
}
