import { describe, expect, it } from "vitest";
import {
  managerFlags,
  managerOptions,
  webhookFlags,
  webhookOptions,
} from "../../../src/runtime/manager/manager-flags.ts";
import { parseFlags } from "../../../src/runtime/manager/flags.ts";

const leaderElection = { id: "shop.example.com" };
const files = { certFile: "/certs/tls.crt", keyFile: "/certs/tls.key" };

const managed = (...args: string[]) =>
  managerOptions(parseFlags(managerFlags, args), { leaderElection });
const answered = (...args: string[]) =>
  webhookOptions(parseFlags({ ...managerFlags, ...webhookFlags }, args), { namePrefix: "shop-" });

describe("the flags of every operator", () => {
  it.each([
    [[], {}],
    [["--leader-elect"], { leaderElection }],
    [["--health-port=0"], { health: { port: 0 } }],
    [["--debug-port=0"], { debug: { port: 0 } }],
    [["--metrics-port=8443"], { metrics: { port: 8443, reviewed: true, tls: "self-signed" } }],
    [
      ["--metrics-port=8443", "--metrics-cert-path=/certs"],
      { metrics: { port: 8443, reviewed: true, tls: files } },
    ],
    [["--metrics-port=8443", "--metrics-insecure"], { metrics: { port: 8443, host: "127.0.0.1" } }],
    [["--metrics-cert-path=/certs", "--metrics-insecure"], {}],
  ])("%j", (args, options) => {
    expect(managed(...args)).toStrictEqual(options);
  });
});

describe("the flags of webhooks", () => {
  it.each([
    [[], {}],
    [["--webhook-cert-path=/certs"], {}],
    [
      ["--webhook-port=9443"],
      { webhooks: { port: 9443, certificate: { selfManaged: { namePrefix: "shop-" } } } },
    ],
    [
      ["--webhook-port=9443", "--webhook-name-prefix=web-shop-"],
      { webhooks: { port: 9443, certificate: { selfManaged: { namePrefix: "web-shop-" } } } },
    ],
    [
      ["--webhook-port=9443", "--webhook-cert-path=/certs"],
      { webhooks: { port: 9443, certificate: files } },
    ],
    [
      ["--webhook-port=9443", "--webhook-cert-path=/certs", "--webhook-client-ca=/ca.crt"],
      { webhooks: { port: 9443, certificate: files, clients: { caFile: "/ca.crt" } } },
    ],
    [
      [
        "--webhook-port=9443",
        "--webhook-cert-path=/certs",
        "--webhook-client-ca=/ca.crt",
        "--webhook-client-names=a,b",
      ],
      {
        webhooks: {
          port: 9443,
          certificate: files,
          clients: { caFile: "/ca.crt", names: ["a", "b"] },
        },
      },
    ],
  ])("%j", (args, options) => {
    expect(answered(...args)).toStrictEqual(options);
  });

  it("refuse names of clients whose certificates nobody verifies", () => {
    expect(() => answered("--webhook-port=9443", "--webhook-client-names=a")).toThrow(
      "--webhook-client-names is given without --webhook-client-ca",
    );
  });
});
