import { generateKeyPairSync } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { TokenAuthority } from "../../../src/controlplane/auth/tokens.ts";
import { AccountTokenController } from "../../../src/controlplane/controllers/account-token-controller.ts";
import { toolsOf } from "../../../src/controlplane/controllers/framework/controller.ts";
import type { ControllerClient } from "../../../src/controlplane/controllers/framework/client.ts";
import { SECRETS, SERVICE_ACCOUNTS } from "../../../src/controlplane/builtin/tokens.ts";
import { WorkLoop } from "../../../src/controlplane/controllers/framework/work-loop.ts";
import { controllerContext } from "../../../src/controlplane/server/controller-client.ts";
import { bareCluster } from "../bare-cluster.ts";
import type { SentObject } from "../../../src/kube/object.ts";

let running: WorkLoop | undefined;
afterEach(() => running?.stop());

const KEY = { namespace: "default", name: "bot-token" };

/** A cluster in which the account `bot` has a Secret for its token. */
async function start(): Promise<{
  readonly client: ControllerClient;
  readonly loop: WorkLoop;
  readonly tokens: TokenAuthority;
  readonly token: string;
}> {
  const cluster = bareCluster();
  const { clock, store } = cluster;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const tokens = new TokenAuthority(clock, store, privateKey);
  const tools = toolsOf(controllerContext(cluster), "test");
  const { client } = tools;
  const issue = tokens.issueForSecret.bind(tokens);
  const loop = new WorkLoop([new AccountTokenController(tools, issue, "PEM")], tools);
  running = loop;
  loop.start();
  await client.create(SERVICE_ACCOUNTS, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: "default", name: "bot" },
  });
  const annotations = { "kubernetes.io/service-account.name": "bot" };
  await client.create(SECRETS, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...KEY, annotations },
    type: "kubernetes.io/service-account-token",
  } as SentObject);
  await loop.settle();
  const { data } = client.find(SECRETS, KEY) as SentObject & { data: Record<string, string> };
  expect(Object.keys(data).sort()).toEqual(["ca.crt", "namespace", "token"]);
  expect(data["namespace"]).toBe(Buffer.from("default").toString("base64"));
  const token = Buffer.from(data["token"] ?? "", "base64").toString("utf8");
  return { client, loop, tokens, token };
}

describe("AccountTokenController", () => {
  it("fills a Secret with a token that speaks for the account", async () => {
    const { tokens, token } = await start();
    expect(tokens.verify(token)).toMatchObject({
      user: { name: "system:serviceaccount:default:bot", extra: {} },
    });
  });

  it("removes the Secret with its account, and its token is worth nothing then", async () => {
    const { client, loop, tokens, token } = await start();
    await client.remove(SERVICE_ACCOUNTS, { namespace: "default", name: "bot" });
    await loop.settle();
    expect(client.find(SECRETS, KEY)).toBeUndefined();
    expect(tokens.verify(token)).toEqual({
      error: "[invalid bearer token, Token has been invalidated]",
    });
  });

  it("does not believe a token that was taken out of its Secret", async () => {
    const { client, tokens, token } = await start();
    await client.patch(SECRETS, KEY, { data: { token: Buffer.from("x").toString("base64") } });
    expect(tokens.verify(token)).toEqual({
      error: "[invalid bearer token, Token does not match server's copy]",
    });
  });
});
