/** The resourceVersion of a PUT, as kube-apiserver 1.37.2 reads it. */
import { describe, expect, it } from "vitest";
import { ConfigMap } from "../../../../src/k8s.ts";
import { clientFor, startControlPlane } from "../../../../src/testing.ts";

describe("the resourceVersion of a PUT", () => {
  it.each([
    ["00", undefined],
    ["007", /the object has been modified/],
    ["abc", /^strconv.ParseUint: parsing "abc": invalid syntax$/],
    [
      "18446744073709551616",
      /^strconv.ParseUint: parsing "18446744073709551616": value out of range$/,
    ],
  ])("%s", async (resourceVersion, refusal) => {
    await using cluster = await startControlPlane({ listen: false, controllers: "off" });
    const client = clientFor(cluster);
    const metadata = { name: "one", namespace: "default" };
    const live = await client.create(ConfigMap, { metadata });
    const write = client.update(ConfigMap, {
      ...live,
      metadata: { ...live.metadata, resourceVersion },
    });
    if (refusal) await expect(write).rejects.toThrow(refusal);
    else await expect(write).resolves.toMatchObject({ metadata });
  });
});
