import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";
import {
  type PlayedAnswer,
  type Server,
  play,
  prepare,
} from "../../test/controlplane/server/http/web-socket/play.ts";
import { SCENARIOS } from "../../test/controlplane/server/http/web-socket/scenarios.ts";
import { defineMaker } from "../programs/program.ts";

const FILE = "test/controlplane/server/http/web-socket/answers.json";

/** The values of a kubeconfig, inline or in files. */
function serverOf(kubeconfig: string): Server {
  const { clusters, users } = parse(readFileSync(kubeconfig, "utf8")) as {
    clusters: { cluster: Record<string, string> }[];
    users: { user: Record<string, string> }[];
  };
  const values = { ...clusters[0]?.cluster, ...users[0]?.user };
  const pem = (name: string): string => {
    const { [name]: file, [`${name}-data`]: data = "" } = values;
    return file === undefined
      ? Buffer.from(data, "base64").toString("utf8")
      : readFileSync(file, "utf8");
  };
  return {
    url: values["server"] ?? "",
    ca: pem("certificate-authority"),
    cert: pem("client-certificate"),
    key: pem("client-key"),
  };
}

export const program = defineMaker({
  about: "Records the answers of a real API server to requests for watches over WebSocket.",
  needs: ["a real API server"],
  options: {
    kubeconfig: { type: "text", required: true, about: "of the real API server" },
  },
  run: async ({ values: { kubeconfig } }) => {
    const server = serverOf(kubeconfig);
    const token = await prepare(server);
    const answers: PlayedAnswer[] = [];
    for (const scenario of SCENARIOS) {
      const answer = await play(server, token, scenario);
      answers.push(answer);
      console.log(`${answer.about}: ${answer.status}`);
    }
    writeFileSync(FILE, `${JSON.stringify(answers, undefined, 2)}\n`);
    return [FILE];
  },
});
