/** What a Secret holds, as texts: the API has it as base64. */
import { getField } from "../json.ts";

/** What has data as a Secret has it. */
export interface WithSecretData {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

/**
 * One value of a Secret as text (UTF-8); `undefined` where the Secret has no such key.
 *
 * @example
 * const secret = await client.live.get(Secret, key);
 * const password = secretText(secret, "password");
 */
export function secretText({ data = {} }: WithSecretData, key: string): string | undefined {
  const value = getField(data, key);
  return value === undefined ? undefined : Buffer.from(value, "base64").toString();
}

/**
 * Texts as the `data` of a Secret. Unlike `stringData` they are compared with what is there: an apply or a
 * `createOrUpdate` of the same texts writes nothing.
 *
 * @example
 * const data = secretData({ user: "web", password: "secret" });
 * await client.apply(Secret, { metadata: { name: "web-login" }, data }, { owner: web });
 */
export function secretData(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
}
