import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  type ControlPlane,
  startControlPlane,
} from "../../../../../src/controlplane/control-plane.ts";
import { fastClock } from "../../../../support/fast-clock.ts";
import answers from "./answers.json" with { type: "json" };
import { type PlayedAnswer, type Server, play, prepare } from "./play.ts";
import { SCENARIOS } from "./scenarios.ts";

let cluster: ControlPlane;
let server: Server;
let token: string;

beforeAll(async () => {
  cluster = await startControlPlane({ controllers: "off", clock: fastClock() });
  const { users } = parse(cluster.kubeconfig) as { users: { user: Record<string, string> }[] };
  const pem = (name: string): string =>
    Buffer.from(users[0]?.user[`client-${name}-data`] ?? "", "base64").toString("utf8");
  const { url, caCertificate: ca } = cluster;
  server = { url, ca, cert: pem("certificate"), key: pem("key") };
  token = await prepare(server);
});
afterAll(() => cluster.stop());

/** The recorded answer of a real API server. */
const recorded = new Map((answers as readonly PlayedAnswer[]).map((one) => [one.about, one]));

describe("a request to upgrade the connection is answered as by a real API server", () => {
  it.each(SCENARIOS.map((scenario) => [scenario.about, scenario] as const))(
    "%s",
    async (about, scenario) => {
      expect(await play(server, token, scenario)).toEqual(recorded.get(about));
    },
  );
});
