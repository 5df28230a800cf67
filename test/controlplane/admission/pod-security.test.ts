import { describe, expect, it } from "vitest";
import {
  type Level,
  securityPolicyOf,
} from "../../../src/controlplane/admission/pod-security/levels.ts";
import { violationsOf } from "../../../src/controlplane/admission/pod-security/standards.ts";
import {
  type CheckedPod,
  showDetails,
} from "../../../src/controlplane/admission/pod-security/violation.ts";
import { describeShared } from "../../support/shared.ts";
import { recordedScenarios } from "../recordings.ts";

const pod = (spec: object): CheckedPod => ({ spec });
const restrictedContainer = {
  name: "c",
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
};
const restricted = {
  containers: [restrictedContainer],
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
};

const reasons = (spec: object, level: Level, minor = Infinity): string[] =>
  violationsOf(pod(spec), { level, minor }).map(({ reason }) => reason);

describeShared("conformance", "Pod security", () => {
  const refused = recordedScenarios("M-pods")
    .filter(({ id }) => ["M408", "M409"].includes(id))
    .flatMap(({ steps }) => steps)
    .filter(({ answer, body }) => answer?.status === 403 && body?.spec !== undefined);

  it("refuses what a real API server refused, in its words", () => {
    expect(refused.length).toBeGreaterThan(5);
    for (const { body, answer } of refused) {
      const message = (answer!.body as { message: string }).message;
      const [, level = "", details = ""] =
        /violates PodSecurity "(\w+):latest": (.*)$/.exec(message) ?? [];
      const found = violationsOf(body as CheckedPod, { level: level as Level, minor: Infinity });
      expect(showDetails(found)).toBe(details);
    }
  });
});

describe("The levels of pod security", () => {
  it("let everything pass when privileged, and the strictest pod when restricted", () => {
    expect(reasons({ hostNetwork: true, hostPID: true }, "privileged")).toEqual([]);
    expect(reasons(restricted, "restricted")).toEqual([]);
  });

  it("judge as the version did that a namespace asks for", () => {
    const probe = { ...restrictedContainer, livenessProbe: { tcpSocket: { host: "10.0.0.1" } } };
    const spec = { ...restricted, containers: [probe] };
    expect(reasons(spec, "baseline", 33)).toEqual([]);
    expect(reasons(spec, "baseline", 34)).toEqual(["probe or lifecycle host"]);
    const sysctls = { securityContext: { sysctls: [{ name: "net.ipv4.tcp_rmem" }] } };
    expect(reasons(sysctls, "baseline", 31)).toEqual(["forbidden sysctls"]);
    expect(reasons(sysctls, "baseline")).toEqual([]);
  });

  it("replace a rule of baseline by the stricter one", () => {
    const volumes = { ...restricted, volumes: [{ name: "h", hostPath: { path: "/" } }] };
    expect(reasons(volumes, "baseline")).toEqual(["hostPath volumes"]);
    expect(reasons(volumes, "restricted")).toEqual(["restricted volume types"]);
  });

  it("relax for pods on Windows, and for pods with users of their own", () => {
    const windows = { os: { name: "windows" }, containers: [{ name: "c" }] };
    expect(reasons(windows, "restricted")).toEqual(["runAsNonRoot != true"]);
    expect(reasons({ ...windows, hostUsers: false }, "restricted")).toEqual([]);
    expect(reasons({ ...windows, hostUsers: false }, "restricted", 34)).toEqual([
      "runAsNonRoot != true",
    ]);
  });
});

describe("The labels of a namespace", () => {
  const label = (name: string): string => `pod-security.kubernetes.io/${name}`;

  it("warn at the level that is enforced, unless they say otherwise", () => {
    const { policy } = securityPolicyOf({ [label("enforce")]: "baseline" });
    expect(policy.warn).toEqual({ level: "baseline", minor: Infinity });
    const both = { [label("enforce")]: "baseline", [label("warn")]: "privileged" };
    expect(securityPolicyOf(both).policy.warn.level).toBe("privileged");
  });

  it("are strict where they are wrong, and say so", () => {
    const { policy, errors } = securityPolicyOf({
      [label("enforce")]: "strict",
      [label("audit-version")]: "1.2",
    });
    expect(policy.enforce.level).toBe("restricted");
    expect(errors.map(({ field }) => field)).toEqual([
      `metadata.labels[${label("enforce")}]`,
      `metadata.labels[${label("audit-version")}]`,
    ]);
  });
});
