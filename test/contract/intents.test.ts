/** An intent that the server answered is not sent again while the fields that its manager owns are as answered. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient, type Client } from "../../src/index.ts";
import { Random } from "../support/random.ts";
import { connect, TARGETS, type Target } from "./targets.ts";
import { foreignChange, IntentJudge, type Named } from "./intents/judge.ts";
import { installGadgets, namedShapes, removeGadgets, TITLES } from "./intents/shapes.ts";

const ROUNDS = 10;

describe.each(TARGETS)("intents on %s", (_, kubeconfig) => {
  let target: Target;
  let client: Client;
  let judge: IntentJudge;
  let namespace: string;
  let intents: ReadonlyMap<string, Named>;

  beforeAll(async () => {
    target = await connect(kubeconfig);
    ({ client } = target);
    [namespace] = target.namespaces;
    intents = namedShapes(namespace, await installGadgets(client, target.run));
    judge = new IntentJudge(target.config);
    await judge.start([...intents.values()]);
    const refused: string[] = [];
    for (const [title, intent] of intents) {
      await judge.apply(intent).catch((error: unknown) => {
        refused.push(`${title}: ${String(error)}`);
      });
    }
    expect(refused).toEqual([]);
    await judge.settle();
  });
  afterAll(async () => {
    await judge.end();
    await removeGadgets(client, target.run);
    await target.end();
  });

  const intentOf = (title: string): Named => intents.get(title) as Named;

  it.each(TITLES)("%s is sent once", async (title) => {
    const intent = intentOf(title);
    const first = await client.get(judge.token(intent), intent.metadata);
    expect(await judge.apply(intent)).toBe(0);
    const reordered = Object.fromEntries(Object.entries(intent).reverse()) as unknown as Named;
    expect(await judge.apply(reordered)).toBe(0);
    const now = await client.get(judge.token(intent), intent.metadata);
    expect(now.metadata.generation).toBe(first.metadata.generation);
  });

  it("are not sent when others change fields that they do not own", async () => {
    const sentAfter = async (theirs: string): Promise<string[]> => {
      for (const intent of intents.values()) {
        const change = { metadata: { annotations: { "example.com/theirs": theirs } } };
        await foreignChange(client, judge.token(intent), intent, change);
      }
      await judge.settle();
      const sent: string[] = [];
      for (const [title, intent] of intents) if ((await judge.apply(intent)) > 0) sent.push(title);
      return sent;
    };
    // Whoever adds to an empty map takes it over.
    expect(await sentAfter("1")).toEqual(["empty annotations and finalizers"]);
    expect(await sentAfter("2")).toEqual([]);
    expect(await sentAfter("3")).toEqual([]);
  });

  it("leave the object as if each were sent, whatever others did to it", async () => {
    const others = createClient(target.config, { warnings: "ignore" });
    const random = new Random(1);
    const problems: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      problems.push(...(await judge.round([...intents.values()], others, random)));
    }
    expect(problems).toEqual([]);
  });
});
