import { isIP } from "node:net";
import { describe, expect, it } from "vitest";
import { advertisedAddress } from "../../src/controlplane/advertised-address.ts";
import { endpointAddressErrors } from "../../src/controlplane/builtin/shared/addresses/addresses.ts";

describe("The address behind the Service kubernetes", () => {
  it("is the one that the server listens on", () => {
    expect(advertisedAddress("192.0.2.7")).toBe("192.0.2.7");
    expect(advertisedAddress("2001:db8::7")).toBe("2001:db8::7");
  });

  it("is always the same one of the simulated network when the server listens to its own machine only", () => {
    for (const host of ["127.0.0.1", "127.8.0.1", "::1", "localhost", "169.254.1.1"]) {
      expect(advertisedAddress(host)).toBe("10.240.255.254");
    }
  });

  it("is one that Endpoints may have when the server listens everywhere", () => {
    for (const host of ["0.0.0.0", "::", "a-name"]) {
      const address = advertisedAddress(host);
      expect(isIP(address)).not.toBe(0);
      expect(endpointAddressErrors(address)).toEqual([]);
    }
  });
});
