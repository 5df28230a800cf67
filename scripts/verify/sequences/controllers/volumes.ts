/** Claims and volumes: what is bound to what. */
import type { Random } from "../../../../test/support/random.ts";
import type { Scenario, Step } from "../scenario.ts";
import { atRest, PATHS, readOne, restScenario, write } from "./at-rest.ts";

/** Claims and volumes that fit or do not, bound, released and deleted. */
export function volumeScenario(random: Random, id: string): Scenario {
  const volume = (index: number): string => `\${id}-v${index}`;
  const lists = [PATHS.claims];
  const one = (index: number): Step => readOne(`${PATHS.volumes}/${volume(index)}`);
  const modes = (): string[] =>
    random.pick([["ReadWriteOnce"], ["ReadOnlyMany"], ["ReadWriteOnce", "ReadWriteMany"]]);
  const makeVolume = (index: number): Step =>
    write("POST", PATHS.volumes, {
      metadata: { name: volume(index), labels: { set: "${ns}", tier: random.pick(["x", "y"]) } },
      spec: {
        capacity: { storage: random.pick(["1Gi", "2Gi", "5Gi"]) },
        accessModes: modes(),
        hostPath: { path: "/d" },
        storageClassName: "${ns}",
        persistentVolumeReclaimPolicy: random.pick(["Retain", "Delete"]),
        ...(random.chance(0.2) ? { volumeMode: "Block" } : {}),
        ...(random.chance(0.15) ? { claimRef: { namespace: "${ns}", name: "c1" } } : {}),
      },
    });
  const makeClaim = (index: number): Step =>
    write("POST", PATHS.claims, {
      metadata: { name: `c${index}` },
      spec: {
        accessModes: [random.pick(["ReadWriteOnce", "ReadOnlyMany"])],
        storageClassName: "${ns}",
        resources: { requests: { storage: random.pick(["1Gi", "2Gi", "3Gi"]) } },
        ...(random.chance(0.2) ? { selector: { matchLabels: { tier: "x" } } } : {}),
        ...(random.chance(0.15) ? { volumeName: volume(random.below(2)) } : {}),
        ...(random.chance(0.1) ? { volumeMode: "Block" } : {}),
      },
    });
  const actions: readonly (() => Step[])[] = [
    () => [makeVolume(random.below(3))],
    () => [makeClaim(random.below(3))],
    () => [makeClaim(random.below(3))],
    () => [write("DELETE", `${PATHS.claims}/c${random.below(3)}`)],
    () => [write("DELETE", `${PATHS.volumes}/${volume(random.below(3))}`)],
    () => [
      write("PATCH", `${PATHS.volumes}/${volume(random.below(3))}`, { spec: { claimRef: null } }),
    ],
  ];
  const steps: Step[] = [makeVolume(0)];
  for (let count = 0; count < 6; count++) {
    steps.push(...random.pick(actions)(), ...atRest(lists, 2200), one(0), one(1), one(2));
  }
  return restScenario(
    id,
    "claims and volumes that fit or do not",
    steps,
    [0, 1, 2].map((index) => `DELETE ${PATHS.volumes}/${volume(index)}`),
  );
}
