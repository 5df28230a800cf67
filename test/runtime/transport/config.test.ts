import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import chains from "../kubeconfig/client-go/trust.json" with { type: "json" };
import { loadClusterConfig } from "../../../src/runtime/kubeconfig/load-config.ts";

const { pool: AUTHORITY = "", chain: CERT = "", key: KEY = "" } = chains[0] ?? {};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const kubeconfig = (user: object, cluster: object = {}): string =>
  JSON.stringify({
    "current-context": "main",
    contexts: [{ name: "main", context: { cluster: "c", user: "u", namespace: "crew" } }],
    clusters: [{ name: "c", cluster: { server: "https://example.com:6443/", ...cluster } }],
    users: [{ name: "u", user }],
  });

describe("loadClusterConfig", () => {
  it("takes the server, the namespace, inline data and files beside the kubeconfig", async () => {
    write("ca.pem", AUTHORITY);
    const path = write(
      "config",
      kubeconfig(
        {
          "client-certificate-data": Buffer.from(CERT).toString("base64"),
          "client-key-data": Buffer.from(KEY).toString("base64"),
        },
        { "certificate-authority": "ca.pem" },
      ),
    );
    const config = loadClusterConfig({ kubeconfig: path });
    expect(config).toMatchObject({
      server: "https://example.com:6443",
      namespace: "crew",
      ca: AUTHORITY,
    });
    expect(await config.credentials.get()).toEqual({ certificate: { cert: CERT, key: KEY } });
  });

  it("merges the files of KUBECONFIG; the first that names a thing wins", async () => {
    const first = write("a", kubeconfig({ token: "first" }));
    const second = write("b", kubeconfig({ token: "second" }));
    const environment = { KUBECONFIG: `${join(folder, "missing")}:${first}:${second}` };
    const config = loadClusterConfig({ environment });
    expect(await config.credentials.get()).toEqual({ token: "first" });
  });

  it("goes by the service account in a pod, and takes a renewed token", async () => {
    write("token", "one");
    write("ca.crt", AUTHORITY);
    write("namespace", "web-system\n");
    const clock = new VirtualClock();
    const environment = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    const config = loadClusterConfig({ environment, clock, serviceAccountFolder: folder });
    expect(config).toMatchObject({ server: "https://10.0.0.1:443", namespace: "web-system" });
    expect(await config.credentials.get()).toEqual({ token: "one" });
    write("token", "two");
    expect(await config.credentials.get()).toEqual({ token: "one" });
    await clock.advance(60_000);
    expect(await config.credentials.get()).toEqual({ token: "two" });
    write("token", "three");
    config.credentials.invalidate();
    expect(await config.credentials.get()).toEqual({ token: "three" });
    rmSync(join(folder, "token"));
    config.credentials.invalidate();
    expect(await config.credentials.get()).toEqual({ token: "three" });
  });

  it("looks in the home folder last", () => {
    mkdirSync(join(folder, ".kube"));
    write(".kube/config", kubeconfig({ token: "home" }));
    expect(loadClusterConfig({ environment: { HOME: folder } }).namespace).toBe("crew");
  });

  it.each([
    ["no-cluster", {}],
    ["kubeconfig-missing", { kubeconfig: "/nowhere/config" }],
    ["kubeconfig-unreadable", { kubeconfigText: "{ not yaml" }],
    ["kubeconfig-incomplete", { kubeconfigText: kubeconfig({}), context: "other" }],
    ["auth-provider-unsupported", { kubeconfigText: kubeconfig({ "auth-provider": {} }) }],
    [
      "kubeconfig-file-missing",
      { kubeconfigText: kubeconfig({}, { "certificate-authority": "/nowhere/ca" }) },
    ],
  ])("says what is wrong: %s", (code, options) => {
    const load = () => loadClusterConfig({ environment: { HOME: "/nowhere" }, ...options });
    expect(load).toThrow(expect.objectContaining({ code }));
  });
});
