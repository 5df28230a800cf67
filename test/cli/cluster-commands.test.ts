import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startControlPlane, type ControlPlane } from "../../src/controlplane/control-plane.ts";
import { createClient } from "../../src/runtime/client/create-client.ts";
import { loadClusterConfig } from "../../src/runtime/kubeconfig/load-config.ts";
import type { Client } from "../../src/runtime/client/client.ts";
import { mergePatch } from "../../src/runtime/client/patches.ts";
import type { ResourceType } from "../../src/kube/resource.ts";
import { emptyFolder, filesIn, projectAfter, runCli, type CliResult } from "./support/run-cli.ts";
import { WaitingClock } from "./support/waiting-clock.ts";

const PAGE: ResourceType = {
  group: "web.example.com",
  version: "v1",
  kind: "Page",
  plural: "pages",
  namespaced: true,
};

describe("tsop install, deploy, undeploy, uninstall", () => {
  const clock = new WaitingClock();
  let cluster: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    cluster = await startControlPlane({ clock });
    client = createClient(loadClusterConfig({ kubeconfigText: cluster.kubeconfig }));
  });
  afterAll(() => cluster.stop());

  async function project(): Promise<string> {
    const folder = await projectAfter([
      ["create", "api", "--group", "web", "--version", "v1", "--kind", "Page"],
    ]);
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
    return folder;
  }
  const tsop = (folder: string, ...argv: string[]): Promise<CliResult> =>
    runCli(folder, [...argv, "--kubeconfig", join(folder, "kubeconfig")], { clock });
  const crds = (): (string | undefined)[] =>
    cluster
      .objects("customresourcedefinitions.apiextensions.k8s.io")
      .map(({ metadata }) => metadata.name);

  it("installs the CRDs once, and uninstalls them", async () => {
    const folder = await project();
    const first = await tsop(folder, "install");
    expect([first.code, first.err]).toEqual([0, ""]);
    expect(first.out).toContain("CRD pages.web.example.com is established");
    expect((await tsop(folder, "install")).out).toContain("unchanged ");
    expect((await tsop(folder, "uninstall", "--dry-run")).out).toContain("to delete ");
    expect(crds()).toContain("pages.web.example.com");
    expect((await tsop(folder, "uninstall")).code).toBe(0);
    expect(crds()).not.toContain("pages.web.example.com");
    expect((await tsop(folder, "uninstall")).out).toContain("absent ");
  });

  it("does not delete objects with their CRD unless it is told to", async () => {
    const folder = await project();
    await tsop(folder, "install");
    await client.create(PAGE, {
      metadata: { namespace: "default", name: "one" },
      spec: {},
    });
    const refused = await tsop(folder, "uninstall");
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("default/one")]);
    expect(crds()).toContain("pages.web.example.com");
    expect((await tsop(folder, "uninstall", "--delete-objects")).code).toBe(0);
    expect(crds()).not.toContain("pages.web.example.com");
  });

  it("deploys everything in order, waits for the pods, and takes it all away again", async () => {
    const folder = await project();
    const deployed = await tsop(folder, "deploy", "--image", "ghcr.io/me/shop:0.1.0");
    expect([deployed.code, deployed.err]).toEqual([0, ""]);
    expect(deployed.out).toContain(
      "ready      deployments.apps shop-system/shop-controller-manager",
    );
    const versions = (): Record<string, string | undefined> =>
      Object.fromEntries(
        ["deployments.apps", "serviceaccounts", "services", "roles.rbac.authorization.k8s.io"].map(
          (kind) => [kind, cluster.objects(kind, "shop-system")[0]?.metadata.resourceVersion],
        ),
      );
    const before = versions();
    const again = await tsop(folder, "deploy", "--image", "ghcr.io/me/shop:0.1.0");
    expect(again.code).toBe(0);
    expect(again.out).not.toMatch(/created|configured/);
    expect(versions()).toEqual(before);
    const [deployment] = cluster.objects("deployments.apps", "shop-system");
    expect(JSON.stringify(deployment)).toContain('"image":"ghcr.io/me/shop:0.1.0"');
    expect(deployment?.metadata.managedFields?.map(({ manager }) => manager)).toContain("tsop");
    const removed = await tsop(folder, "undeploy");
    expect([removed.code, removed.err]).toEqual([0, ""]);
    const namespaces = cluster.objects("namespaces").map(({ metadata }) => metadata.name);
    expect(namespaces).not.toContain("shop-system");
    expect(crds()).not.toContain("pages.web.example.com");
  });

  it("says that webhooks answer nobody where pods are simulated", async () => {
    const folder = await project();
    const kind = ["--group", "web", "--version", "v1", "--kind", "Page"];
    await runCli(folder, ["create", "webhook", ...kind, "--validation"]);
    const { code, err } = await tsop(folder, "deploy", "--image", "shop:1");
    expect([code, err]).toEqual([0, expect.stringContaining("use `tsop run` or `tsop dev`")]);
    expect((await tsop(folder, "undeploy")).code).toBe(0);
  });

  it("changes nothing on a dry run: neither the cluster nor a file", async () => {
    const folder = await project();
    const before = filesIn(folder);
    for (const argv of [["install"], ["deploy", "--image", "shop:1"]]) {
      const { code, out } = await tsop(folder, ...argv, "--dry-run");
      expect(code).toBe(0);
      expect(out).toContain("create config/crd/bases/web.example.com_pages.yaml");
      expect(out).toContain("to create  customresourcedefinitions.apiextensions.k8s.io pages");
      expect(out).toContain("dry run: nothing was changed");
    }
    expect(filesIn(folder)).toEqual(before);
    expect(crds()).not.toContain("pages.web.example.com");
  });

  it("says why the pods do not come up, while it waits and when it gives up", async () => {
    const folder = await project();
    const manager = join(folder, "config/manager/manager.yaml");
    const manifest = readFileSync(manager, "utf8");
    writeFileSync(
      manager,
      manifest.replace("serviceAccountName: controller-manager", "serviceAccountName: nobody"),
    );
    const { code, out, err } = await tsop(folder, "deploy", "--image", "shop:1", "--timeout", "3");
    const why = "error looking up service account shop-system/nobody";
    expect([code, out]).toEqual([1, expect.stringContaining("waiting    0 of 1 new pods")]);
    expect(err).toContain("error timeout: After 3 s 0 of 1 new pods");
    expect(err).toContain(why);
    expect((await tsop(folder, "undeploy")).code).toBe(0);
  });

  it("removes the objects of its kinds while the operator still runs, then everything else", async () => {
    const folder = await project();
    await tsop(folder, "deploy", "--image", "shop:1");
    await client.create(PAGE, {
      metadata: { namespace: "default", name: "held", finalizers: ["example.com/hold"] },
      spec: {},
    });
    const held = await tsop(folder, "undeploy", "--delete-objects", "--timeout", "1");
    expect([held.code, held.err]).toEqual([1, expect.stringContaining("example.com/hold")]);
    expect(held.err).toContain(
      `kubectl patch pages.web.example.com held -n default --type=merge -p '{"metadata":{"finalizers":null}}'`,
    );
    expect(cluster.objects("deployments.apps", "shop-system")).toHaveLength(1);
    await client.patch(
      PAGE,
      { namespace: "default", name: "held" },
      mergePatch({ metadata: { finalizers: null } }),
    );
    expect((await tsop(folder, "undeploy", "--delete-objects")).code).toBe(0);
    for (const kind of ["clusterroles", "clusterrolebindings"]) {
      const names = cluster.objects(`${kind}.rbac.authorization.k8s.io`);
      expect(names.filter(({ metadata }) => metadata.name?.startsWith("shop-"))).toEqual([]);
    }
    expect(cluster.objects("pods", "shop-system")).toEqual([]);
  });

  it("prints what it would apply with --render, without a cluster", async () => {
    const folder = await project();
    const before = filesIn(folder);
    const { code, out, err } = await runCli(folder, ["deploy", "--render", "--image", "shop:1"]);
    expect(code).toBe(0);
    expect(err).toMatch(/^note \d generated files differ from the code; .* no file is written\.$/);
    expect(filesIn(folder)).toEqual(before);
    expect(out).toContain("image: shop:1");
    expect(out).toContain("name: shop-manager-role");
  });

  it("refuses before anything is changed when rights are missing", async () => {
    const folder = await project();
    writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfigFor({ user: "nobody" }));
    const { code, err } = await tsop(folder, "deploy", "--image", "shop:1");
    expect([code, err]).toEqual([1, expect.stringContaining("no-rights")]);
    expect(err).toContain("patch customresourcedefinitions.apiextensions.k8s.io");
    expect(cluster.objects("namespaces").map(({ metadata }) => metadata.name)).not.toContain(
      "shop-system",
    );
  });

  it("says which server does not answer, and where it looked for a cluster", async () => {
    const folder = await project();
    const gone = await startControlPlane();
    writeFileSync(join(folder, "kubeconfig"), gone.kubeconfig);
    await gone.stop();
    const { code, err } = await tsop(folder, "install");
    expect([code, err]).toEqual([1, expect.stringContaining(gone.url.replace("https://", ""))]);
    const none = await runCli(folder, ["install"]);
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("no-cluster")]);
  });
});

describe("tsop cluster", () => {
  it("runs until it is interrupted, and tells programs where it is", async () => {
    const folder = emptyFolder();
    const stop = new AbortController();
    let ready: { url: string; kubeconfig: string } | undefined;
    const { code } = await runCli(folder, ["cluster", "--json", "--kubeconfig", "kc"], {
      signal: stop.signal,
      onLine: (line) => {
        if (!line.startsWith("{")) return;
        ready = JSON.parse(line) as typeof ready;
        void createClient(loadClusterConfig({ kubeconfig: ready!.kubeconfig }))
          .get(
            {
              group: "",
              version: "v1",
              kind: "Namespace",
              plural: "namespaces",
              namespaced: false,
            },
            { name: "default" },
          )
          .finally(() => stop.abort());
      },
    });
    expect(code).toBe(0);
    expect(ready?.kubeconfig).toBe(join(folder, "kc"));
  });

  it("stops when the process that started it has ended, and prints a line for shells", async () => {
    const folder = emptyFolder();
    const parent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    await once(parent, "spawn");
    const lines: string[] = [];
    const argv = ["cluster", "--print-env", "--kubeconfig", "kc", "--parent-pid", `${parent.pid}`];
    const { code } = await runCli(folder, argv, {
      onLine: (line) => {
        lines.push(line);
        parent.kill();
      },
    });
    expect(code).toBe(0);
    expect(lines[0]).toBe(
      `export KUBECONFIG=${join(folder, "kc")} USE_EXISTING_CLUSTER=true TSOP_CLUSTER_PID=${process.pid}`,
    );
  });

  it("keeps its objects over restarts in --data-dir, its authority and its users too", async () => {
    const folder = emptyFolder();
    const once = async (work: (client: Client) => Promise<unknown>): Promise<void> => {
      const stop = new AbortController();
      const argv = ["cluster", "--json", "--kubeconfig", "kc", "--data-dir", "data"];
      let worked: Promise<unknown> = Promise.resolve();
      const { code } = await runCli(folder, [...argv, "--controllers", "off"], {
        signal: stop.signal,
        onLine: () => {
          const config = loadClusterConfig({ kubeconfig: join(folder, "kc") });
          worked = work(createClient(config)).finally(() => stop.abort());
        },
      });
      await worked;
      expect(code).toBe(0);
    };
    const key = { namespace: "default", name: "kept" };
    const configMaps = {
      group: "",
      version: "v1",
      kind: "ConfigMap",
      plural: "configmaps",
      namespaced: true,
    };
    let uid: string | undefined;
    await once(async (client) => {
      uid = (await client.create(configMaps, { metadata: key })).metadata.uid;
    });
    await once(async (client) => {
      expect((await client.get(configMaps, key)).metadata.uid).toBe(uid);
    });
    expect(statSync(join(folder, "data")).mode & 0o077).toBe(0);
  });

  it("says which of its paths is no good", async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, "file"), "");
    const data = await runCli(folder, ["cluster", "--data-dir", "file"]);
    expect([data.code, data.err]).toEqual([1, expect.stringContaining("bad-data-dir")]);
    const kubeconfig = await runCli(folder, ["cluster", "--kubeconfig", "file/kubeconfig"]);
    expect([kubeconfig.code, kubeconfig.err]).toEqual([1, expect.stringContaining("file-failed")]);
  });

  it("says that a port is in use", async () => {
    const other = await startControlPlane();
    const port = new URL(other.url).port;
    const { code, err } = await runCli(emptyFolder(), ["cluster", "--port", port]);
    await other.stop();
    expect([code, err]).toEqual([1, expect.stringContaining("port-in-use")]);
  });
});
