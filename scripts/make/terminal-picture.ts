import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Newcomer } from "../../test/journeys/support/newcomer.ts";
import { clientFolder } from "../../test/support/kubectl.ts";
import { defineMaker } from "../programs/program.ts";
import { type Shown, terminalSvg } from "./terminal-picture/svg.ts";

const COLUMNS = 100;
const CREATE = "npx tsop create api --group operator --version v1 --kind MyWeb --image nginx:1.29";
const PICTURE = "docs/images/terminal.svg";

export const program = defineMaker({
  about: "Plays the first minutes of a project in a terminal, for the picture of the README.",
  needs: ["a build", "kubectl"],
  options: {},
  run: async () => {
    const session: Shown[] = [];
    /** Shows a command with the matching lines of its output. */
    const show = (command: string, output: string, wanted: RegExp, most = 20): void => {
      const lines = output.split("\n").filter((line) => wanted.test(line));
      session.push({ command, output: lines.slice(0, most) });
    };

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
    writeFileSync(
      PICTURE,
      terminalSvg("The first minutes with tsop, in a terminal", session, COLUMNS),
    );
    return [PICTURE];
  },
});
