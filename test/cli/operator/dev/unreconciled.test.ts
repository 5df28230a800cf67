import { expect, it } from "vitest";
import { unreconciled } from "../../../../src/cli/commands/dev/run.ts";
import type { ProjectResource } from "../../../../src/cli/project/project-file.ts";

const resource = (
  kind: string,
  version: string,
  said: Partial<ProjectResource> = {},
): ProjectResource => ({
  group: "net",
  version,
  kind,
  plural: `${kind.toLowerCase()}s`,
  controller: false,
  api: true,
  ...said,
});

it("tells of kinds that nothing reconciles, once each, with a command that adds a controller", () => {
  const lines = unreconciled([
    resource("Gateway", "v1", { controller: true }),
    resource("Gateway", "v2"),
    resource("Route", "v1"),
    resource("Route", "v2"),
    resource("Gateway", "v1", { group: "" }),
  ]);
  expect(lines).toEqual([
    "nothing reconciles Route yet: `tsop create api --group net --version v2 --kind Route --no-resource` adds it",
    "nothing reconciles Gateway yet: `tsop create api --version v1 --kind Gateway --no-resource` adds it",
  ]);
});
