import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { WaitingProcesses } from "../../../../src/cli/operator/dev/waiting-processes.ts";
import { VirtualClock } from "../../../../src/clock.ts";
import { emptyFolder, testContext } from "../../support/run-cli.ts";

const ENDS_WITH_COMMAND = new URL(
  "../../../../dist/cli/operator/ends-with-command.js",
  import.meta.url,
).href;
const PROGRAM = fileURLToPath(
  new URL("../../../../dist/cli/operator/dev/waiting-operator.js", import.meta.url),
);

/** A folder with an operator that says what it is, and a package that says which process loaded it. */
function project(): { root: string; shared: string } {
  const root = emptyFolder();
  const shared = join(root, "shared.mjs");
  writeFileSync(shared, "console.log(`loaded by ${process.pid}`); export const loaded = true;");
  writeFileSync(
    join(root, "main.mjs"),
    `import "./shared.mjs";
console.log(JSON.stringify({ pid: process.pid, argv: process.argv.slice(1), flavor: process.env.FLAVOR }));`,
  );
  return { root, shared };
}

/** What the operator of `project` says, with the lines before it. */
async function operatorOf(processes: WaitingProcesses, root: string) {
  const lines: string[] = [];
  const env = { FLAVOR: "mint" };
  const started = processes.launch({ root, file: "main.mjs", args: ["--fast"], env }, (line) => {
    lines.push(line);
  });
  expect(await started.exited).toBe(0);
  const said = JSON.parse(lines.at(-1) ?? "") as Record<string, unknown>;
  return { lines, said };
}

describe("WaitingProcesses", () => {
  it("the operator is the process that waited, with its own arguments and environment, as if it were its program", async () => {
    const { root, shared } = project();
    const processes = new WaitingProcesses(root, testContext(root));
    processes.prepare([shared]);
    const { lines, said } = await operatorOf(processes, root);
    expect(said).toEqual({
      pid: expect.any(Number) as number,
      argv: [join(root, "main.mjs"), "--fast"],
      flavor: "mint",
    });
    // Loaded once, and by the process that waited.
    expect(lines.slice(0, -1)).toEqual([`loaded by ${String(said["pid"])}`]);
  });

  it("starts a process where none waits", async () => {
    const { root } = project();
    const { said } = await operatorOf(new WaitingProcesses(root, testContext(root)), root);
    expect(said["flavor"]).toBe("mint");
  });

  it("takes no process that has loaded what is another file by now", async () => {
    const { root, shared } = project();
    const processes = new WaitingProcesses(root, testContext(root));
    processes.prepare([shared]);
    writeFileSync(shared, "console.log('the next version'); export const loaded = true;");
    const { lines } = await operatorOf(processes, root);
    expect(lines.slice(0, -1)).toEqual(["the next version"]);
  });

  it("waits for a moment before it prepares one, and not once it was stopped", () => {
    const { root, shared } = project();
    const clock = new VirtualClock();
    const processes = new WaitingProcesses(root, { ...testContext(root), clock });
    processes.prepareSoon([shared]);
    expect(clock.pending).toBe(1);
    processes.stop();
    expect(clock.pending).toBe(0);
  });

  it("what waits, and the operator that it became, end when the command is gone, even if that was killed", async () => {
    const { root } = project();
    const file = join(root, "operator.mjs");
    // A program with a worker thread, as operators have one.
    writeFileSync(
      file,
      `import { Worker } from "node:worker_threads";
new Worker("setInterval(() => 0, 1000)", { eval: true }).once("online", () => console.log("runs"));`,
    );
    for (const message of [undefined, { file, args: [], env: {} }]) {
      const execArgv = ["--import", ENDS_WITH_COMMAND];
      const child = fork(PROGRAM, [], { stdio: ["ignore", "pipe", "inherit", "ipc"], execArgv });
      onTestFinished(() => void child.kill("SIGKILL"));
      if (message) {
        child.send(message);
        await once(child.stdout ?? child, "data");
      }
      expect(child.exitCode).toBeNull();
      child.disconnect();
      await eventually(() => {
        expect(child.signalCode).toBe("SIGTERM");
      });
    }
  });

  it("an operator that fails while it is loaded ends with its error, as a program does", async () => {
    const { root } = project();
    writeFileSync(join(root, "main.mjs"), "await undefined; throw new Error('no such flag');");
    const lines: string[] = [];
    const processes = new WaitingProcesses(root, testContext(root));
    processes.prepare([]);
    const started = processes.launch({ root, file: "main.mjs", args: [], env: {} }, (line) => {
      lines.push(line);
    });
    expect(await started.exited).toBe(1);
    expect(lines.join("\n")).toContain("Error: no such flag");
  });
});
