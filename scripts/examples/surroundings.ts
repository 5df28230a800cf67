/** The surroundings of an example on a machine without containers and hosts. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AcmeWorld } from "./acme-world.ts";

/** The surroundings of an example. */
export interface Surroundings {
  readonly hasWebhooks: boolean;
  /** The environment of the operator's process. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const NOTHING: Surroundings = {
  hasWebhooks: false,
  environment: {},
  stop: () => Promise.resolve(),
};

/** Prepares the copy of an example, and starts the servers that it needs. */
export async function surroundingsOf(
  name: string,
  folder: string,
  kubeconfigText: string,
): Promise<Surroundings> {
  if (name === "gateway") return { ...NOTHING, hasWebhooks: true };
  if (name === "postgres") {
    const flags = "          args:\n";
    editManager(folder, (text) =>
      text.replace(flags, `${flags}            - --simulate-instances\n`),
    );
  }
  if (name !== "mini-cert") return NOTHING;
  const world = await AcmeWorld.start(folder, () => kubeconfigText);
  editManager(folder, (text) =>
    text.replace(/--acme-directory=.*/, `--acme-directory=${world.directoryUrl}`),
  );
  return { ...NOTHING, environment: world.environment, stop: () => world.stop() };
}

function editManager(folder: string, edit: (text: string) => string): void {
  const path = join(folder, "config/manager/manager.yaml");
  writeFileSync(path, edit(readFileSync(path, "utf8")));
}
