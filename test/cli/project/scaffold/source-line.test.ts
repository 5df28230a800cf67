import { describe, expect, it } from "vitest";
import { articleOf } from "../../../../src/cli/project/scaffold/source-line.ts";

describe("articleOf", () => {
  it.each([
    [
      "an",
      "Order Issuer Address Upgrade Image Egress HTTPRoute SQLDatabase MQTTBroker EC2Instance Hour",
    ],
    ["a", "User Page Unicorn Unit Utility URL UPSDevice Horse Europe OneTimeJob TCPRoute Database"],
  ])("is `%s` for %s", (article, kinds) => {
    const wrong = kinds.split(" ").filter((kind) => articleOf(kind) !== article);
    expect(wrong).toEqual([]);
  });
});
