import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ControlPlane, startControlPlane } from "../../src/controlplane/control-plane.ts";
import type { SentObject } from "../../src/kube/object.ts";
import { Kubectl, hasKubectl } from "../support/kubectl.ts";

const source = new URL("go-manager", import.meta.url).pathname;
/** Never the network: what is not in the cache of modules is not there. */
const environment = { ...process.env, GOPROXY: "off", GOFLAGS: "-mod=readonly" };
const SLOW = { timeout: 60_000, interval: 50 };

function hasModules(): boolean {
  try {
    execFileSync("go", ["list", "-deps", "."], { cwd: source, env: environment, stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: sites.shop.example.com }
spec:
  group: shop.example.com
  scope: Namespaced
  names: { plural: sites, singular: site, kind: Site }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { replicas: { type: integer, minimum: 0 } } }
            status: { type: object, properties: { ready: { type: integer } } }
`;

const site = `
apiVersion: shop.example.com/v1
kind: Site
metadata: { name: front }
spec: { replicas: 2 }
`;

// oxlint-disable-next-line typescript/no-explicit-any -- objects of many kinds
type AnyObject = SentObject & { spec?: any; status?: any };

describe.skipIf(!hasKubectl || !hasModules())(
  "A manager of controller-runtime (needs go and its modules)",
  { timeout: 120_000 },
  () => {
    let plane: ControlPlane;
    let kubectl: Kubectl;
    let folder: string;
    const running: { readonly child: ChildProcess; readonly log: () => string }[] = [];

    const start = (identity: string): void => {
      const args = [join(folder, "kubeconfig"), identity];
      const child = spawn(join(folder, "manager"), args, { stdio: ["pipe", "ignore", "pipe"] });
      let log = "";
      child.stderr.setEncoding("utf8").on("data", (part: string) => (log += part));
      running.push({ child, log: () => log });
    };
    const stop = async (at: number): Promise<void> => {
      const { child } = running[at] ?? {};
      if (!child || child.exitCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin?.end();
      await ended;
    };
    const find = (resource: string, name: string): AnyObject | undefined =>
      plane.objects(resource, "default").find(({ metadata }) => metadata.name === name);
    const until = (check: () => void): Promise<void> => vi.waitFor(check, SLOW);

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "go-manager-"));
      const args = ["build", "-o", join(folder, "manager"), "."];
      execFileSync("go", args, { cwd: source, env: environment, stdio: "pipe" });
      plane = await startControlPlane();
      writeFileSync(join(folder, "kubeconfig"), plane.kubeconfig);
      kubectl = new Kubectl(plane.kubeconfig);
      await kubectl.output(["create", "-f", "-"], definition);
      const crd = "crd/sites.shop.example.com";
      await kubectl.output(["wait", "--for=condition=Established", crd]);
      start("first");
    }, 300_000);

    afterAll(async () => {
      for (const at of running.keys()) await stop(at);
      kubectl.close();
      await plane.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it("is elected, creates what it owns, and writes the status", async () => {
      await until(() => {
        expect(find("leases.coordination.k8s.io", "site-controller")).toBeDefined();
      });
      await kubectl.output(["create", "-f", "-"], site);
      await until(() => {
        expect(find("sites.shop.example.com", "front")?.status).toEqual({ ready: 2 });
      });
      const { metadata, spec } = find("deployments.apps", "front") ?? {};
      expect(spec.replicas).toBe(2);
      expect(metadata?.managedFields?.[0]).toMatchObject({
        manager: "site-controller",
        operation: "Apply",
      });
      expect(find("sites.shop.example.com", "front")?.metadata.finalizers).toEqual([
        "shop.example.com/goodbye",
      ]);
    });

    it("tells of it in an event", async () => {
      await until(() => {
        const events = plane.objects("events", "default") as unknown as { reason?: string }[];
        expect(events.map(({ reason }) => reason)).toContain("Welcomed");
      });
    });

    it("follows changes of what it owns and of what it watches", async () => {
      await kubectl.output(["scale", "deployment", "front", "--replicas=5"]);
      await until(() => {
        expect(find("deployments.apps", "front")?.spec.replicas).toBe(2);
      });
      const three = '{"spec":{"replicas":3}}';
      await kubectl.output(["patch", "site", "front", "--type=merge", "-p", three]);
      await until(() => {
        expect(find("sites.shop.example.com", "front")?.status).toEqual({ ready: 3 });
      });
    });

    it("goes on after its watches were cut and history was forgotten", async () => {
      plane.compact();
      plane.dropConnections();
      const one = '{"spec":{"replicas":1}}';
      await kubectl.output(["patch", "site", "front", "--type=merge", "-p", one]);
      await until(() => {
        expect(find("sites.shop.example.com", "front")?.status).toEqual({ ready: 1 });
      });
    });

    it("hands over to another one when it ends", async () => {
      start("second");
      await stop(0);
      const later = site.replace("front", "back");
      await kubectl.output(["create", "-f", "-"], later);
      await until(() => {
        expect(find("sites.shop.example.com", "back")?.status).toEqual({ ready: 2 });
      });
      expect(running[0]?.log()).not.toContain("panic");
    });

    it("lets go of what is deleted, and what it owned is collected", async () => {
      await kubectl.output(["delete", "site", "front", "back", "--timeout=60s"]);
      await until(() => {
        expect(plane.objects("deployments.apps", "default")).toEqual([]);
        expect(plane.objects("pods", "default")).toEqual([]);
      });
    });
  },
);
