/** Runs the rules over what was read. */
import type { Found } from "../rule.ts";
import type { Reading } from "../examine.ts";
import { RULES } from "./index.ts";

/** A finding, with the name of its rule. */
export interface Diagnosis extends Found {
  readonly rule: string;
}

/** The name of what is found where a file cannot be read. */
const UNREADABLE = "unreadable";

/** All mistakes, by file and line; the same one at the same place once. */
export async function diagnose({ views, unreadable }: Reading): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = unreadable.map((one) => ({ rule: UNREADABLE, ...one }));
  for (const { examined, tells } of views) {
    for (const rule of RULES) {
      for (const one of await rule.find(examined)) {
        if (tells(partsOf(one.place)[0])) found.push({ rule: rule.name, ...one });
      }
    }
  }
  const byText = new Map<string, Diagnosis>();
  for (const one of found) {
    const key = `${one.rule} ${one.place} ${one.message}`;
    if (!byText.has(key)) byText.set(key, one);
  }
  return [...byText.values()].sort(byPlace);
}

function byPlace(one: Diagnosis, other: Diagnosis): number {
  const [file, line] = partsOf(one.place);
  const [otherFile, otherLine] = partsOf(other.place);
  if (file !== otherFile) return file < otherFile ? -1 : 1;
  return line - otherLine;
}

function partsOf(place: string): [file: string, line: number] {
  const [, file = place, line = "1"] = /^(.*?):(\d+)(?::\d+)?$/.exec(place) ?? [];
  return [file, Number(line)];
}
