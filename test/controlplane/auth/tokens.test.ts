import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { TokenAuthority } from "../../../src/controlplane/auth/tokens.ts";
import type { ObjectSource } from "../../../src/controlplane/resource-name.ts";
import { VirtualClock } from "../../../src/clock.ts";
import type { SentObject } from "../../../src/kube/object.ts";
import { timeOf } from "../../../src/kube/values/times.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const MINUTE_MS = 60_000;

/** An authority that issues a token for the account `bot`, and a store without anything in it. */
function start(): {
  readonly clock: VirtualClock;
  readonly objects: Map<string, SentObject>;
  readonly tokens: TokenAuthority;
} {
  const clock = new VirtualClock({ startMs: Date.parse("2026-01-05T10:00:00Z") });
  const objects = new Map<string, SentObject>();
  const source = {
    get: (collection: string, key: string) => objects.get(`${collection}/${key}`),
    list: () => [],
  } as unknown as ObjectSource;
  return { clock, objects, tokens: new TokenAuthority(clock, source, privateKey) };
}

const object = (uid: string, more: object = {}): SentObject =>
  ({ metadata: { uid, ...more } }) as unknown as SentObject;

const ACCOUNT = { namespace: "team", name: "bot", uid: "account-1" };
const PLACES = {
  Pod: "pods/team/thing",
  Secret: "secrets/team/thing",
  Node: "nodes/thing",
} as const;
type Kind = keyof typeof PLACES;

/** What happens to an object, and what the token is told `waitMs` later; nothing: it is good. */
interface Case {
  readonly name: string;
  /** What is in its place, `at` the time; absent: nothing changes. */
  readonly now?: (uid: string, at: string) => SentObject | undefined;
  readonly waitMs?: number;
  readonly told?: string;
}

const changes = (word: string, notFound: string, mismatch: string, deleted: string): Case[] => [
  { name: `${word} stays` },
  { name: `${word} is gone`, now: () => undefined, told: notFound },
  { name: `another ${word} has its name`, now: () => object("another"), told: mismatch },
  {
    name: `the deletion of ${word} waits for a finalizer since 59 s`,
    now: (uid, at) => object(uid, { deletionTimestamp: at, finalizers: ["a.b/c"] }),
    waitMs: MINUTE_MS - 1000,
  },
  {
    name: `the deletion of ${word} waits for a finalizer since 61 s`,
    now: (uid, at) => object(uid, { deletionTimestamp: at, finalizers: ["a.b/c"] }),
    waitMs: MINUTE_MS + 1000,
    told: deleted,
  },
];

describe("A token", () => {
  const INVALIDATED = "service account token has been invalidated";
  const told = (error: string | undefined): object =>
    error === undefined
      ? { user: { name: "system:serviceaccount:team:bot" } }
      : { error: `[invalid bearer token, ${error}]` };

  it.each(
    changes(
      "the account",
      'serviceaccounts "bot" not found',
      "service account UID (another) does not match claim (account-1)",
      "service account team/bot has been deleted",
    ),
  )("is valid as long as its account is: $name", async ({ now, waitMs = 0, told: error }) => {
    const { clock, objects, tokens } = start();
    objects.set("serviceaccounts/team/bot", object("account-1"));
    const token = tokens.issue(ACCOUNT, { audiences: ["a"], seconds: 3600, id: "1" });
    const after = now ? now("account-1", timeOf(clock.now())) : object("account-1");
    if (after) objects.set("serviceaccounts/team/bot", after);
    else objects.delete("serviceaccounts/team/bot");
    await clock.advance(waitMs);
    expect(tokens.verify(token, ["a"])).toMatchObject(told(error));
  });

  it.each(
    (["Pod", "Secret", "Node"] as const).flatMap((kind: Kind) => {
      const word = kind.toLowerCase();
      const mismatch = `${word} UID (another) does not match service account ${word} ref claim (thing-1)`;
      return changes(`the ${word}`, INVALIDATED, mismatch, INVALIDATED).map((one) => ({
        ...one,
        kind,
      }));
    }),
  )(
    "is valid as long as what it is bound to is: $name",
    async ({ kind, now, waitMs = 0, told: error }) => {
      const { clock, objects, tokens } = start();
      const place = PLACES[kind];
      objects.set("serviceaccounts/team/bot", object("account-1")).set(place, object("thing-1"));
      const bound = { kind, name: "thing", uid: "thing-1" };
      const token = tokens.issue(ACCOUNT, { audiences: ["a"], seconds: 3600, id: "1", bound });
      const after = now ? now("thing-1", timeOf(clock.now())) : object("thing-1");
      if (after) objects.set(place, after);
      else objects.delete(place);
      await clock.advance(waitMs);
      expect(tokens.verify(token, ["a"])).toMatchObject(told(error));
    },
  );

  it("is valid until a minute after its end, and from a minute before its beginning", async () => {
    const { clock, objects, tokens } = start();
    objects.set("serviceaccounts/team/bot", object("account-1"));
    const token = tokens.issue(ACCOUNT, { audiences: ["a"], seconds: 600, id: "1" });
    await clock.advance(660_000);
    expect(tokens.verify(token, ["a"])).toMatchObject(told(undefined));
    await clock.advance(1000);
    expect(tokens.verify(token, ["a"])).toEqual(told("service account token has expired"));
    const ahead = new TokenAuthority(
      new VirtualClock({ startMs: clock.now() + 61_000 }),
      { get: () => undefined, list: () => [] },
      privateKey,
    );
    const early = ahead.issue(ACCOUNT, { audiences: ["a"], seconds: 600, id: "1" });
    expect(tokens.verify(early, ["a"])).toEqual(told("service account token is not valid yet"));
    await clock.advance(1000);
    expect(tokens.verify(early, ["a"])).toMatchObject(told(undefined));
  });

  it("is valid for its audiences only", () => {
    const { objects, tokens } = start();
    objects.set("serviceaccounts/team/bot", object("account-1"));
    const token = tokens.issue(ACCOUNT, { audiences: ["a", "b"], seconds: 600, id: "1" });
    expect(tokens.verify(token, ["b", "c"])).toMatchObject({ audiences: ["b"] });
    expect(tokens.verify(token)).toMatchObject({ error: expect.stringContaining("audiences") });
  });

  it("names the pod that it is bound to, and the pod's node, whether that is there or not", () => {
    const { objects, tokens } = start();
    objects.set("serviceaccounts/team/bot", object("account-1"));
    objects.set(PLACES.Pod, object("thing-1"));
    const bound = { kind: "Pod", name: "thing", uid: "thing-1" };
    const extraOf = (podNode: { name: string; uid?: string }): unknown => {
      const terms = { audiences: ["a"], seconds: 600, id: "1", bound, podNode };
      const verdict = tokens.verify(tokens.issue(ACCOUNT, terms), ["a"]);
      return "user" in verdict ? verdict.user.extra : verdict;
    };
    const prefix = "authentication.kubernetes.io/";
    expect(extraOf({ name: "node-1", uid: "u" })).toEqual({
      [`${prefix}credential-id`]: ["JTI=1"],
      [`${prefix}pod-name`]: ["thing"],
      [`${prefix}pod-uid`]: ["thing-1"],
      [`${prefix}node-name`]: ["node-1"],
      [`${prefix}node-uid`]: ["u"],
    });
    expect(extraOf({ name: "node-1" })).not.toHaveProperty([`${prefix}node-uid`]);
  });

  it("in a Secret has no minute, and none when it is marked as invalid", () => {
    const { clock, objects, tokens } = start();
    const token = tokens.issueForSecret(ACCOUNT, "kept");
    const kept = (labels: object): SentObject =>
      ({
        metadata: { uid: "s", labels },
        data: { token: Buffer.from(token).toString("base64") },
      }) as unknown as SentObject;
    objects.set("serviceaccounts/team/bot", object("account-1"));
    objects.set("secrets/team/kept", kept({}));
    expect(tokens.verify(token)).toMatchObject(told(undefined));
    objects.set(
      "secrets/team/kept",
      kept({ "kubernetes.io/legacy-token-invalid-since": "2026-01-01" }),
    );
    expect(tokens.verify(token)).toMatchObject({
      error: expect.stringContaining("has been marked invalid"),
    });
    objects.set("secrets/team/kept", kept({}));
    const deletionTimestamp = timeOf(clock.now());
    objects.set("serviceaccounts/team/bot", object("account-1", { deletionTimestamp }));
    expect(tokens.verify(token)).toEqual(told("ServiceAccount team/bot has been deleted"));
    objects.delete("serviceaccounts/team/bot");
    expect(tokens.verify(token)).toEqual(told('serviceaccounts "bot" not found'));
  });
});
