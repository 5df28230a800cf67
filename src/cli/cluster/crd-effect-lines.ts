/** What a changed CRD does to those who have objects of its kind, as lines for people. */
import { type Change, pathText } from "../../generator/changes/change.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";
import type { CrdEffects } from "./deploy-plan.ts";

/** How many of the objects that the CRD would refuse are shown. */
const SHOWN_OBJECTS = 10;

/**
 * A line for each change, and for each live object that the changed CRD would refuse or shorten.
 *
 * @param rest - how to see the objects that are not shown
 */
export function* crdEffectLines(
  { crdChanges, invalid }: CrdEffects,
  rest: string,
  context: CliContext,
): Generator<string> {
  const { red, dim } = paint(context);
  for (const change of crdChanges) yield changeLine(change, context);
  for (const { name, errors, dropped } of invalid.slice(0, SHOWN_OBJECTS)) {
    for (const error of errors) yield `${red("refuses")} ${name}: ${error}`;
    if (dropped.length > 0) yield `${red("drops")} ${name}: ${dropped.join(", ")}`;
  }
  const more = invalid.length - SHOWN_OBJECTS;
  if (more > 0) yield dim(`and ${more} more objects: ${rest}`);
}

function changeLine({ severity, version, path, message }: Change, context: CliContext): string {
  const { red, yellow, dim } = paint(context);
  const color = { breaking: red, risky: yellow, safe: dim }[severity];
  const where = [version, pathText(path)].filter((part) => part !== "").join(" ");
  return `${color(severity)} ${where === "" ? "" : `${where}: `}${message}`;
}
