import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lookAtGateways } from "../../test/journeys/support/gateway-journey.ts";
import { Newcomer } from "../../test/journeys/support/newcomer.ts";
import { WebhookJourney } from "../../test/journeys/support/webhook-journey.ts";
import { copyExampleTo } from "../../test/support/example.ts";
import { Kubectl } from "../../test/support/kubectl.ts";
import { defineVerification } from "../programs/program.ts";
import { type FaultyControlPlane, HOME, withFaultyControlPlane } from "./faults/control-plane.ts";

const CONFIGURATIONS = ["get", "mutatingwebhookconfigurations,validatingwebhookconfigurations"];

type Operator = ReturnType<Newcomer["start"]>;
type Check = readonly [title: string, work: () => Promise<unknown>];

async function end(operator: Operator): Promise<void> {
  const { code, err } = await operator.stop();
  if (code !== 0) throw new Error(`exit code ${code}; ${err}`);
}

/** The checks in order; each builds on those before it. */
function* checksOf(
  plane: FaultyControlPlane,
  newcomer: Newcomer,
  kubectl: Kubectl,
  objects: number,
): Generator<Check> {
  const kubeconfig = join(plane.folder, "admin.kubeconfig");
  const journey = new WebhookJourney(newcomer);
  const client = plane.admin();
  yield [
    "a kind of one version, installed, with objects",
    async () => {
      await journey.begin();
      await journey.tsop(`install --kubeconfig ${kubeconfig}`);
      await journey.fill(client, objects);
      return `${objects} objects`;
    },
  ];
  yield [
    "a second version and all webhooks, installed",
    async () => {
      await journey.addWebhooks();
      await journey.tsop(`install --kubeconfig ${kubeconfig}`);
    },
  ];
  const operator = newcomer.start(`npx tsop run --kubeconfig ${kubeconfig}`, journey.folder);
  yield [
    "tsop run answers",
    async () => /^webhooks (.*)$/m.exec(await operator.waitFor(/^webhooks .*\n/m))?.[1],
  ];
  yield ["defaults, refusals and both versions, with kubectl", () => journey.look(kubectl)];
  yield [
    "tsop migrate while others write",
    async () => {
      const report = await journey.migrate(client, kubeconfig);
      const { failures, storedVersions } = report;
      const figures = `${report.objects} objects, ${report.requests} requests of writers, ${failures.length} failed; storedVersions ${storedVersions.join()}`;
      if (failures.length === 0 && storedVersions.join() === "v1") return figures;
      throw new Error(`${figures}: ${failures[0] ?? ""}`);
    },
  ];
  yield [
    "tsop run exits, and its webhooks are not called any more",
    async () => {
      await end(operator);
      const left = await kubectl.output([...CONFIGURATIONS, "-o", "name"]);
      if (left !== "") throw new Error(`left ${left}`);
    },
  ];
  yield [
    "examples/gateway answers and reconciles",
    async () => {
      const example = join(newcomer.home, "gateway");
      copyExampleTo(example, "gateway");
      await newcomer.succeed("npm install", example);
      await newcomer.succeed(`npx tsop install --kubeconfig ${kubeconfig}`, example);
      const gateway = newcomer.start(`npx tsop run --kubeconfig ${kubeconfig}`, example);
      await gateway.waitFor(/^webhooks /m);
      await lookAtGateways(kubectl, example);
      await end(gateway);
    },
  ];
}

export const program = defineVerification({
  about:
    "Installs, calls and migrates webhooks on a real control plane while the operator runs here, then plays examples/gateway.",
  compares: "steps",
  needs: ["a build", "a real control plane", "kubectl", "the network"],
  options: {
    home: HOME,
    objects: { type: "number", default: 1000, about: "number of migrated objects" },
  },
  run: ({ values: { home, objects }, tally }) =>
    withFaultyControlPlane({ home }, async (plane) => {
      const kubectl = new Kubectl(readFileSync(join(plane.folder, "admin.kubeconfig"), "utf8"));
      const newcomer = await Newcomer.arrive();
      try {
        await tally.checkAll(checksOf(plane, newcomer, kubectl, objects));
      } finally {
        newcomer.leave();
        kubectl.close();
      }
    }),
});
