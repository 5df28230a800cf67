import { createHash, createPublicKey, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { repeatableSignature, seededKey } from "../../../src/kube/x509/seeded-keys.ts";

const RFC_KEY = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721";

describe("a signature that follows from the data and the key", () => {
  // RFC 6979, A.2.5: ECDSA, P-256, with SHA-256.
  it.each([
    [
      "sample",
      "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
      "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8",
    ],
    [
      "test",
      "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
      "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083",
    ],
  ])("is that of RFC 6979 for %j", (message, r, s) => {
    const key = seededKey(() => Buffer.from(RFC_KEY, "hex"));
    const signature = repeatableSignature(Buffer.from(message), key);
    expect(signature.r.toString("hex").toUpperCase()).toBe(r);
    expect(signature.s.toString("hex").toUpperCase()).toBe(s);
  });

  it("is one that OpenSSL takes, for any key and text", () => {
    const clock = new VirtualClock({ seed: 5 });
    for (let round = 0; round < 100; round++) {
      const key = seededKey((size) => clock.seededBytes(size));
      const data = Buffer.from(clock.seededBytes(round));
      const { r, s } = repeatableSignature(data, key);
      const pair = { key: createPublicKey(key), dsaEncoding: "ieee-p1363" as const };
      expect(verify("sha256", data, pair, Buffer.concat([r, s]))).toBe(true);
      const other = createHash("sha256").update(data).digest();
      expect(verify("sha256", other, pair, Buffer.concat([r, s]))).toBe(false);
    }
  });
});

describe("a key from a seed", () => {
  it("is drawn again when the bytes are no number below the order", () => {
    const draws = [new Uint8Array(32), new Uint8Array(32).fill(255), Buffer.from(RFC_KEY, "hex")];
    const key = seededKey(() => draws.shift() ?? new Uint8Array());
    expect(Buffer.from(key.export({ format: "jwk" }).d ?? "", "base64url")).toEqual(
      Buffer.from(RFC_KEY, "hex"),
    );
  });
});
