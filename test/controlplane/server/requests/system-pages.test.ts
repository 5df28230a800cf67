import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ControlPlane,
  startControlPlane,
} from "../../../../src/controlplane/control-plane.ts";
import flowControl from "../../flow-control.json" with { type: "json" };
import recorded from "./system-pages.json" with { type: "json" };

let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane({ listen: false, controllers: "off" });
});
afterAll(() => cluster.stop());

const certificate = { user: "admin", groups: ["system:masters"] };

async function get(target: string, headers = {}): Promise<{ status: number; body: string }> {
  const { answer } = cluster.request({ method: "GET", target, headers, certificate });
  const { status, body } = await answer;
  return { status, body: typeof body === "string" ? body : "" };
}

describe("The pages of the server are those of a real API server", () => {
  it.each(["/healthz", "/livez", "/readyz"] as const)("%s and its checks", async (path) => {
    const { [path]: report } = recorded;
    expect((await get(`${path}?verbose`)).body).toBe(report);
    for (const [, check = ""] of report.matchAll(/^\[\+\](\S+) ok$/gm)) {
      expect(await get(`${path}/${check}`)).toEqual({ status: 200, body: "ok" });
    }
    expect((await get(`${path}/nope`)).status).toBe(404);
    expect((await get(`${path}/`)).status).toBe(404);
    expect((await get(`${path}?verbose&exclude=etcd`)).body).toContain("[+]etcd excluded: ok\n");
  });

  it("the index", async () => {
    const { paths } = JSON.parse((await get("/")).body) as { paths: string[] };
    expect(paths).toEqual(recorded["/"]);
  });

  it("metrics", async () => {
    expect((await get("/metrics")).body).toContain(
      '\napiserver_resource_objects{group="",resource="namespaces"} 4\n',
    );
    const slis = (await get("/metrics/slis")).body;
    expect(slis).toContain('\nkubernetes_healthcheck{name="etcd",type="readyz"} 1\n');
  });

  it("flags and status", async () => {
    expect((await get("/flagz")).body).toMatch(/^\napiserver flagz\nWarning: .*\n.*\[Node,RBAC\]/s);
    expect((await get("/statusz")).body).toMatch(
      /^\napiserver statusz\nWarning: .*\n\nStarted: \w{3} \w{3} \d\d .* UTC \d{4}\nUp: 0 hr 00 min \d\d sec\n/,
    );
  });

  it("component statuses", async () => {
    const path = "/api/v1/componentstatuses";
    const { metadata, items } = JSON.parse((await get(path)).body) as {
      metadata: object;
      items: object[];
    };
    expect({ metadata, names: items.length }).toEqual({ metadata: {}, names: 3 });
    expect(JSON.parse((await get(`${path}/etcd-0`)).body)).toEqual({
      kind: "ComponentStatus",
      apiVersion: "v1",
      metadata: { name: "etcd-0" },
      conditions: [{ type: "Healthy", status: "True", message: "ok" }],
    });
    expect((await get(`${path}/nope`)).body).toContain('componentstatus \\"nope\\" not found');
  });

  it("default flow schemas and priority levels", () => {
    for (const one of flowControl) {
      const resource = `${one.kind.toLowerCase()}s.flowcontrol.apiserver.k8s.io`;
      const found = cluster
        .objects(resource)
        .find(({ metadata }) => metadata.name === one.metadata.name);
      const {
        uid: _u,
        creationTimestamp: _c,
        resourceVersion: _r,
        ...metadata
      } = found?.metadata ?? {};
      const managedFields = metadata.managedFields?.map(({ time: _t, ...entry }) => entry);
      expect({ ...found, metadata: { ...metadata, managedFields } }).toEqual(one);
    }
  });

  it("the Lease of its identity", () => {
    const [lease] = cluster.objects("leases.coordination.k8s.io", "kube-system");
    const { labels, name = "" } = lease?.metadata ?? {};
    expect(name).toMatch(/^apiserver-[a-z0-9]{26}$/);
    expect(labels).toMatchObject({ "apiserver.kubernetes.io/identity": "kube-apiserver" });
  });
});
