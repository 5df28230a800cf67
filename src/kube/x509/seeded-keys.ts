/**
 * Keys and signatures that a seed determines, for simulations that are to run the same way each
 * time. Node's own use random numbers that cannot be chosen.
 */
import { createECDH, createHash, createHmac, createPrivateKey, type KeyObject } from "node:crypto";

/** The order of the base point of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const BYTES = 32;

/**
 * A private key of P-256.
 *
 * @param draw - random bytes; called again in the rare case that they are not a key
 */
export function seededKey(draw: (size: number) => Uint8Array): KeyObject {
  let secret = numberOf(draw(BYTES));
  while (secret === 0n || secret >= ORDER) secret = numberOf(draw(BYTES));
  const point = pointOf(secret);
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
  return createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      d: text(bytesOf(secret)),
      x: text(point.subarray(1, 1 + BYTES)),
      y: text(point.subarray(1 + BYTES)),
    },
  });
}

/**
 * The ECDSA signature of the SHA-256 of `data`, both of whose numbers follow from the data and the
 * key alone.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6979#section-3.2
 * @param key - a private key of P-256
 */
export function repeatableSignature(
  data: Uint8Array,
  key: KeyObject,
): { readonly r: Buffer; readonly s: Buffer } {
  const secret = Buffer.from(key.export({ format: "jwk" }).d ?? "", "base64url");
  const digest = numberOf(createHash("sha256").update(data).digest()) % ORDER;
  for (const nonce of nonces(secret, bytesOf(digest))) {
    const r = numberOf(pointOf(nonce).subarray(1, 1 + BYTES)) % ORDER;
    const s = (inverse(nonce) * ((digest + r * numberOf(secret)) % ORDER)) % ORDER;
    if (r !== 0n && s !== 0n) return { r: bytesOf(r), s: bytesOf(s) };
  }
  // The nonces never end.
  throw new RangeError("no signature");
}

function* nonces(secret: Buffer, digest: Buffer): Generator<bigint> {
  const mac = (key: Buffer, ...parts: Uint8Array[]): Buffer => {
    const hmac = createHmac("sha256", key);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  };
  let value: Buffer = Buffer.alloc(BYTES, 1);
  let key: Buffer = Buffer.alloc(BYTES);
  for (const round of [0, 1]) {
    key = mac(key, value, Uint8Array.of(round), secret, digest);
    value = mac(key, value);
  }
  for (;;) {
    value = mac(key, value);
    const nonce = numberOf(value);
    if (nonce > 0n && nonce < ORDER) yield nonce;
    key = mac(key, value, Uint8Array.of(0));
    value = mac(key, value);
  }
}

/** The multiple of the base point, uncompressed: a byte, then both coordinates. */
function pointOf(factor: bigint): Buffer {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(bytesOf(factor));
  return curve.getPublicKey();
}

/** The inverse modulo the order, by Euclid. */
function inverse(value: bigint): bigint {
  let [high, low] = [ORDER, value];
  let [before, now] = [0n, 1n];
  while (low > 1n) {
    const quotient = high / low;
    [high, low] = [low, high % low];
    [before, now] = [now, before - quotient * now];
  }
  return now < 0n ? now + ORDER : now;
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

function bytesOf(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * BYTES, "0"), "hex");
}
