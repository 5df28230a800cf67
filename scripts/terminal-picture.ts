/**
 * The picture of the README, from a real run: `node scripts/run-ts.mjs scripts/terminal-picture.ts` plays the first minutes of a
 * project in an empty folder and writes `docs/images/terminal.svg`. Nothing is fetched; times and ports are those of the run.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Newcomer } from "../test/journeys/support/newcomer.ts";
import { clientFolder } from "../test/support/kubectl.ts";
import { type Shown, terminalSvg } from "./terminal-svg.ts";

const COLUMNS = 100;
const CREATE = "npx tsop create api --group operator --version v1 --kind MyWeb --image nginx:1.29";
const picture = fileURLToPath(new URL("../docs/images/terminal.svg", import.meta.url));

const session: Shown[] = [];
/** Shows a command with those lines of its output that say something to a reader. */
function show(command: string, output: string, wanted: RegExp, most = 20): void {
  const lines = output.split("\n").filter((line) => wanted.test(line));
  session.push({ command, output: lines.slice(0, most) });
}

const reader = await Newcomer.arrive({ programs: clientFolder() });
try {
  const folder = join(reader.home, "web-operator");
  const init = "npx tsop init web-operator --domain example.org";
  await reader.succeed(init);
  show(init, "", /./);
  show(CREATE, await reader.succeed(CREATE, folder), /create (?:src|test)/);

  const dev = reader.start("npx tsop dev --samples", folder);
  await dev.waitFor(/operator +ready/);
  reader.export("KUBECONFIG=$PWD/.tsop/kubeconfig", folder);
  await reader.succeed("kubectl wait --for=condition=Ready myweb/myweb-sample", folder);
  const told = await dev.waitFor(/operator +ready/);
  // The address of the page has a secret after its `#`.
  show("npx tsop dev --samples", told.replaceAll(/#\S+/g, ""), /^(?:control|page|inst|oper)/);
  const get = "kubectl get mywebs,pods";
  show(get, (await reader.succeed(get, folder)).replaceAll(/^\n/gm, ""), /./);
  const why = "npx tsop why myweb/myweb-sample --last 1";
  show(why, await reader.succeed(why, folder), /reconciled|because|wrote|->/, 7);
  await dev.stop();
} finally {
  reader.leave();
}
mkdirSync(dirname(picture), { recursive: true });
writeFileSync(picture, terminalSvg("The first minutes with tsop, in a terminal", session, COLUMNS));
console.log(picture);
