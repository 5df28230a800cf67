import { afterEach, beforeEach, expect, it } from "vitest";
import { VirtualClock } from "../../../../src/clock.ts";
import {
  type ControlPlane,
  startControlPlane,
} from "../../../../src/controlplane/control-plane.ts";

const PODS = "/api/v1/namespaces/default/pods";
const certificate = { user: "admin", groups: ["system:masters"] };
let cluster: ControlPlane;

beforeEach(async () => {
  cluster = await startControlPlane({ listen: false, clock: new VirtualClock() });
  await cluster.settle();
});
afterEach(() => cluster.stop());

const send = (method: string, target: string, body?: object) =>
  cluster.request({
    method,
    target,
    headers: { "content-type": "application/json" },
    certificate,
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).answer;

async function createPod(container: object): Promise<void> {
  const metadata = { name: "p" };
  const spec = { containers: [{ name: "c", image: "x", ...container }] };
  await send("POST", PODS, { metadata, spec });
  await cluster.settle();
}

it("of a running container is empty, with a warning that says why", async () => {
  await createPod({});
  const { status, headers, body } = await send("GET", `${PODS}/p/log`);
  expect({ status, body }).toEqual({ status: 200, body: "" });
  expect(headers["content-type"]).toBe("text/plain");
  expect(headers["warning"]).toContain("its containers are not executed, so their logs are empty");
});

it("of a container that waits, or has no earlier run, is refused as by a kubelet", async () => {
  await createPod({
    env: [{ name: "A", valueFrom: { secretKeyRef: { name: "none", key: "k" } } }],
  });
  expect((await send("GET", `${PODS}/p/log`)).body).toContain(
    'container \\"c\\" in pod \\"p\\" is waiting to start: CreateContainerConfigError',
  );
  expect((await send("GET", `${PODS}/p/log?previous=true`)).body).toContain(
    'previous terminated container \\"c\\" in pod \\"p\\" not found',
  );
});

it("that is followed ends with the container", async () => {
  await createPod({});
  const { body } = await send("GET", `${PODS}/p/log?follow=true`);
  if (typeof body !== "function") throw new Error("it is no stream");
  let isOver = false;
  const over = body(() => undefined).then(() => (isOver = true));
  await cluster.settle();
  expect(isOver).toBe(false);
  await send("DELETE", `${PODS}/p?gracePeriodSeconds=0`);
  await over;
});
