import { describe, expect, it } from "vitest";
import {
  type Container,
  Deployment,
  Event,
  EventsV1Event,
  HorizontalPodAutoscaler,
  Namespace,
  type ObjectMeta,
  ResourceClaim,
  Secret,
  SubjectAccessReview,
} from "../../src/k8s.ts";
import * as k8s from "../../src/k8s.ts";
import type { KubeObject, SentObject } from "../../src/kube/object.ts";
import { type ResourceInfo, type Token, resourceOf } from "../../src/kube/resource.ts";

function objectOf<T extends KubeObject>(_token: Token<T>, object: T): T {
  return object;
}

describe("tsop/k8s", () => {
  it("names a kind by one value that is also the type of its objects", () => {
    expect(resourceOf(Deployment)).toEqual({
      group: "apps",
      version: "v1",
      kind: "Deployment",
      plural: "deployments",
      namespaced: true,
    });
    const deployment = objectOf(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: "web",
        uid: "u",
        resourceVersion: "1",
        creationTimestamp: "2026-01-01T00:00:00Z",
        generation: 1,
      },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "web" } },
        template: { spec: { containers: [{ name: "web" }] } },
      },
    });
    const containers: Container[] | undefined = deployment.spec?.template.spec?.containers;
    expect(containers).toHaveLength(1);
  });

  it("knows the scope of each kind", () => {
    expect(Secret.namespaced).toBe(true);
    expect(Namespace.namespaced).toBe(false);
    expect(SubjectAccessReview).toMatchObject({
      plural: "subjectaccessreviews",
      namespaced: false,
    });
  });

  it("gives a name that several groups use to the core group, or to the one that has it as a kind", () => {
    expect([Event.group, EventsV1Event.group]).toEqual(["", "events.k8s.io"]);
    expect(ResourceClaim.group).toBe("resource.k8s.io");
    expect(HorizontalPodAutoscaler.version).toBe("v2");
  });

  it("has one token for each stable kind, under its own kind, group and version", () => {
    const tokens: ResourceInfo[] = Object.values(k8s);
    const ids = tokens.map(({ group, version, kind }) => `${group}/${version}/${kind}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(
      expect.arrayContaining([
        "/v1/Pod",
        "/v1/Service",
        "/v1/ConfigMap",
        "batch/v1/CronJob",
        "networking.k8s.io/v1/Ingress",
        "rbac.authorization.k8s.io/v1/ClusterRole",
        "apiextensions.k8s.io/v1/CustomResourceDefinition",
        "autoscaling/v1/HorizontalPodAutoscaler",
        "coordination.k8s.io/v1/Lease",
      ]),
    );
    expect(tokens.every(({ plural }) => /^[a-z]+$/.test(plural))).toBe(true);
  });

  it("has metadata that fits every object", () => {
    const metadata: ObjectMeta = { name: "a" };
    const general: SentObject["metadata"] = metadata;
    const special: ObjectMeta = general;
    expect(special.name).toBe("a");
  });
});
