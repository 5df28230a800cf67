import type { CliContext } from "../context.ts";
import { leaveRunning } from "../processes.ts";

/** The platform's own opener, and its arguments before the address. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
const OF_OTHERS = ["xdg-open"] as const;

/** Opens the address. @throws TsopError `program-not-found`, `program-failed` */
export async function openInBrowser(
  url: string,
  { clock, cwd, env }: Pick<CliContext, "clock" | "cwd" | "env">,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  const [program, ...args] = OPENERS[platform] ?? OF_OTHERS;
  await leaveRunning({ program, args: [...args, url], cwd, env }, { clock });
}
