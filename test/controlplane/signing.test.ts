import { execFileSync } from "node:child_process";
import { X509Certificate, createPrivateKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../src/controlplane/control-plane.ts";
import { connectionOf } from "../conformance/replay.ts";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

function hasOpenssl(): boolean {
  try {
    return execFileSync("openssl", ["version"], { stdio: "pipe" }).length > 0;
  } catch {
    return false;
  }
}

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of many kinds
  readonly body: any;
}

/** What a client shows of itself. */
interface Identity {
  readonly cert: string;
  readonly key: string;
}

describe.skipIf(!hasOpenssl())("Requests for certificates", () => {
  let plane: ControlPlane;
  let folder: string;
  const administrator = (): Identity => connectionOf(plane.kubeconfig);

  beforeAll(async () => {
    plane = await startControlPlane({ controllers: "no-kubelet" });
    folder = mkdtempSync(join(tmpdir(), "signing-"));
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await plane.stop();
  });

  const ask = (
    method: string,
    path: string,
    body?: object,
    { cert, key }: Identity = administrator(),
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { server, ca } = connectionOf(plane.kubeconfig);
      const headers = {
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      };
      const options = { method, headers, ca, cert, key, agent: false };
      const outgoing = request(`${server}${path}`, options, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (part: string) => (text += part));
        incoming.on("end", () => {
          resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text) });
        });
      });
      outgoing.on("error", reject);
      outgoing.end(body && JSON.stringify(body));
    });

  /** Makes a key and a request for `subject`, in base64. */
  const newRequest = (subject: string, more: readonly string[] = []): [string, string] => {
    const [key, file] = [join(folder, "key.pem"), join(folder, "request.pem")];
    const args = ["req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", file];
    execFileSync("openssl", [...args, "-subj", subject, ...more], { stdio: "pipe" });
    return [readFileSync(key, "utf8"), readFileSync(file).toString("base64")];
  };

  const create = (name: string, spec: object, by?: Identity): Promise<Answer> =>
    ask(
      "POST",
      REQUESTS,
      {
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { name },
        spec: {
          signerName: "kubernetes.io/kube-apiserver-client",
          usages: ["client auth"],
          ...spec,
        },
      },
      by,
    );

  const approve = (name: string, by?: Identity): Promise<Answer> =>
    ask(
      "PATCH",
      `${REQUESTS}/${name}/approval`,
      { status: { conditions: [{ type: "Approved", status: "True", reason: "Test" }] } },
      by,
    );

  const whoIs = async (identity: Identity): Promise<Answer["body"]> => {
    const review = await ask(
      "POST",
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      identity,
    );
    return review.body.status?.userInfo ?? review.body;
  };

  const settled = async (name: string): Promise<Answer["body"]> => {
    await plane.settle();
    return (await ask("GET", `${REQUESTS}/${name}`)).body;
  };

  it("are signed when approved, with a certificate that the API takes", async () => {
    const [key, text] = newRequest("/O=devs/O=ops/CN=jane");
    expect((await create("jane", { request: text, expirationSeconds: 3600 })).status).toBe(201);
    expect((await settled("jane")).status).toEqual({});
    expect((await approve("jane")).status).toBe(200);
    const { status } = await settled("jane");
    const cert = Buffer.from(status.certificate as string, "base64").toString();
    const certificate = new X509Certificate(cert);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(certificate.ca).toBe(false);
    const seconds = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 1000;
    expect(seconds).toBe(3600 + 300);
    expect(await whoIs({ cert, key })).toMatchObject({
      username: "jane",
      groups: ["devs", "ops", "system:authenticated"],
    });
  });

  it("are not signed for usages that the signer does not know", async () => {
    const [, text] = newRequest("/CN=jane");
    await create("server", { request: text, usages: ["server auth"] });
    await approve("server");
    expect((await settled("server")).status.conditions).toMatchObject([
      { type: "Approved" },
      {
        type: "Failed",
        reason: "SignerValidationFailure",
        message: "invalid usage for client certificate: server auth",
      },
    ]);
  });

  it("are signed for the names of a kubelet's server", async () => {
    const subject = "/O=system:nodes/CN=system:node:n1";
    const usages = ["digital signature", "server auth"];
    const signerName = "kubernetes.io/kubelet-serving";
    const [, plain] = newRequest(subject);
    await create("nameless", { request: plain, usages, signerName });
    await approve("nameless");
    expect((await settled("nameless")).status.conditions[1].message).toBe(
      "DNS or IP subjectAltName is required",
    );
    const [, named] = newRequest(subject, ["-addext", "subjectAltName=DNS:n1,IP:10.0.0.1"]);
    await create("named", { request: named, usages, signerName });
    await approve("named");
    const { status } = await settled("named");
    const certificate = new X509Certificate(Buffer.from(status.certificate as string, "base64"));
    expect(certificate.subjectAltName).toBe("DNS:n1, IP Address:10.0.0.1");
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  });

  it("of a node for its own client certificate are approved when it may have them", async () => {
    const [, text] = newRequest("/O=system:nodes/CN=system:node:n2");
    const spec = {
      request: text,
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["client auth", "digital signature"],
    };
    const node = connectionOf(
      plane.kubeconfigFor({ user: "system:node:n2", groups: ["system:nodes"] }),
    );
    expect((await create("self", spec, node)).status).toBe(201);
    const before = await settled("self");
    expect(before.status).toEqual({});
    await ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "renewal" },
      roleRef: {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "ClusterRole",
        name: "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
      },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:nodes" }],
    });
    await create("again", spec, node);
    const { status } = await settled("again");
    expect(status.conditions).toMatchObject([
      {
        type: "Approved",
        reason: "AutoApproved",
        message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
      },
    ]);
    expect(status.certificate).toBeDefined();
  });

  it("of a node with two names are approved, signed, and used by the last", async () => {
    const [key, text] = newRequest("/O=system:nodes/CN=system:node:n3/CN=system:node:n4");
    const spec = {
      request: text,
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["client auth", "digital signature"],
    };
    const nodeNamed = (user: string): Identity =>
      connectionOf(plane.kubeconfigFor({ user, groups: ["system:nodes"] }));
    await create("of-first", spec, nodeNamed("system:node:n3"));
    expect((await settled("of-first")).status).toEqual({});
    await create("of-last", spec, nodeNamed("system:node:n4"));
    const { status } = await settled("of-last");
    const cert = Buffer.from(status.certificate as string, "base64").toString();
    expect(new X509Certificate(cert).subject).toBe("O=system:nodes\nCN=system:node:n4");
    const { username, groups } = await whoIs({ cert, key });
    expect(username).toBe("system:node:n4");
    expect(groups).toEqual(["system:nodes", "system:authenticated"]);
  });

  it("without a common name give a certificate that is nobody's", async () => {
    const [key, text] = newRequest("/O=devs");
    await create("nobody", { request: text });
    await approve("nobody");
    const { status } = await settled("nobody");
    const cert = Buffer.from(status.certificate as string, "base64").toString();
    expect((await whoIs({ cert, key })).message).toContain('User "system:anonymous" cannot create');
  });

  it("are refused when Go reads no request in them, or one that its key did not sign", async () => {
    const [, text] = newRequest("/O=devs/CN=jane");
    const pem = Buffer.from(text, "base64").toString();
    const der = Buffer.from(pem.replaceAll(/-----.*-----/g, ""), "base64");
    const changed = (from: string, to: string): string => {
      const bytes = Buffer.from(der);
      bytes.write(to, bytes.indexOf(from), "latin1");
      const body = bytes.toString("base64");
      const lines = `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;
      return Buffer.from(lines).toString("base64");
    };
    const refused = async (request: string): Promise<[number, string]> => {
      const { status, body } = await create("refused", { request });
      return [status, body.message as string];
    };
    const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n";
    for (const [request, detail] of [
      [changed("jane", "anne"), "crypto/rsa: verification error"],
      [changed("jane", "\xff\xff\xff\xff"), "asn1: syntax error: UTF8String contains invalid"],
      [Buffer.from(CERTIFICATE + pem).toString("base64"), "PEM block type must be CERTIFICATE REQ"],
    ] as const) {
      const [status, message] = await refused(request);
      expect([status, message]).toEqual([expect.any(Number), expect.stringContaining(detail)]);
      expect(status).toBeGreaterThanOrEqual(400);
    }
    const { status } = await create("accepted", { request: changed("jane", "jane") });
    expect(status).toBe(201);
  });

  it("are refused for administrators, and approved and signed only by who may", async () => {
    const [, masters] = newRequest("/O=system:masters/CN=jane");
    const refused = await create("masters", { request: masters });
    expect(refused.status).toBe(403);
    expect(refused.body.message).toBe(
      'certificatesigningrequests.certificates.k8s.io "masters" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
    const [, text] = newRequest("/CN=jane");
    await create("other", { request: text, signerName: "example.com/mine" });
    await ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "approver" },
      rules: [
        {
          apiGroups: ["certificates.k8s.io"],
          resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
          verbs: ["patch"],
        },
        {
          apiGroups: ["certificates.k8s.io"],
          resources: ["signers"],
          resourceNames: ["example.com/*"],
          verbs: ["approve"],
        },
      ],
    });
    await ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "approver" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "approver" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ann" }],
    });
    const ann = connectionOf(plane.kubeconfigFor({ user: "ann" }));
    expect((await approve("other", ann)).status).toBe(200);
    await create("mine", { request: text });
    expect((await approve("mine", ann)).body.message).toContain(
      'user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
    );
    const approved = (await settled("other")).status.conditions as object[];
    const signed = await ask(
      "PATCH",
      `${REQUESTS}/other/status`,
      { status: { conditions: [...approved, { type: "Failed", status: "True" }] } },
      ann,
    );
    expect(signed.body.message).toContain(
      'user not permitted to sign requests with signerName "example.com/mine"',
    );
    // Nobody signs for the signers of others.
    expect((await settled("other")).status.certificate).toBeUndefined();
  });
});
