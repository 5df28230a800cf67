import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock, VirtualClock, type Clock } from "../../../../src/clock.ts";
import type { TsopError } from "../../../../src/errors.ts";
import type { CredentialSource } from "../../../../src/runtime/transport/credentials/credentials.ts";
import { loadClusterConfig } from "../../../../src/runtime/kubeconfig/load-config.ts";
import chains from "../../kubeconfig/client-go/trust.json" with { type: "json" };
import { eventually } from "../../../support/eventually.ts";

const V1 = "client.authentication.k8s.io/v1";
const V1BETA1 = "client.authentication.k8s.io/v1beta1";
const { chain: CERT = "", key: KEY = "" } = chains[0] ?? {};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "exec-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function program(script: string, name = "plugin"): string {
  const path = write(name, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function credentials(
  exec: object,
  {
    clock = systemClock,
    environment = process.env,
    cluster = {},
  }: {
    clock?: Clock;
    environment?: Readonly<Record<string, string | undefined>>;
    cluster?: object;
  } = {},
): CredentialSource {
  const kubeconfigText = JSON.stringify({
    "current-context": "main",
    contexts: [{ name: "main", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://example.com:6443/", ...cluster } }],
    users: [{ name: "u", user: { exec: { apiVersion: V1, interactiveMode: "Never", ...exec } } }],
  });
  return loadClusterConfig({ kubeconfigText, clock, environment }).credentials;
}

const answer = (status: object, apiVersion = V1): string =>
  JSON.stringify({ apiVersion, kind: "ExecCredential", status });

function answering(text: string): string {
  return program(`cat ${write("answer", text)}`);
}

/** All that an error would show: its message, fix and causes, with their fields. */
async function shown(failing: Promise<unknown>): Promise<string> {
  const error = await failing.then(
    () => new Error("it did not fail"),
    (thrown: unknown) => thrown as TsopError,
  );
  const all: unknown[] = [];
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    all.push(one.message, one.stack, ...(Object.values(one) as unknown[]));
  }
  return JSON.stringify(all);
}

async function until(happened: () => boolean): Promise<void> {
  await eventually(() => expect(happened()).toBe(true));
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.skipIf(process.platform === "win32")("Credentials from a program", () => {
  it("runs it once until its answer expires, and tells it of the cluster", async () => {
    const clock = new VirtualClock();
    const expirationTimestamp = new Date(clock.now() + 60_000).toISOString();
    const output = write("answer", answer({ token: "secret", expirationTimestamp }));
    const command = program(
      `echo "$KUBERNETES_EXEC_INFO" > ${folder}/info; echo run >> ${folder}/runs; cat ${output}`,
    );
    const source = credentials(
      { command, provideClusterInfo: true },
      {
        clock,
        cluster: {
          "tls-server-name": "other",
          "proxy-url": "http://proxy:1",
          extensions: [{ name: V1.replace("/v1", "/exec"), extension: { audience: "a" } }],
        },
      },
    );
    await Promise.all([source.get(), source.get()]);
    expect(await source.get()).toEqual({ token: "secret" });
    expect(readFileSync(join(folder, "runs"), "utf8")).toBe("run\n");
    expect(JSON.parse(readFileSync(join(folder, "info"), "utf8"))).toEqual({
      apiVersion: V1,
      kind: "ExecCredential",
      spec: {
        interactive: false,
        cluster: {
          server: "https://example.com:6443/",
          "tls-server-name": "other",
          "proxy-url": "http://proxy:1",
          config: { audience: "a" },
        },
      },
    });
    await clock.advance(60_000);
    await source.get();
    expect(readFileSync(join(folder, "runs"), "utf8")).toBe("run\nrun\n");
  });

  it("adds its variables to those of the process, and they never replace KUBERNETES_EXEC_INFO", async () => {
    const command = program(`env > ${folder}/env; cat ${write("answer", answer({ token: "t" }))}`);
    const env = [
      { name: "AWS_PROFILE", value: "dev" },
      { name: "KUBERNETES_EXEC_INFO", value: "mine" },
    ];
    const environment = { PATH: process.env["PATH"], KEPT: "yes" };
    await credentials({ command, env }, { environment }).get();
    const seen = readFileSync(join(folder, "env"), "utf8");
    expect(seen).toContain("AWS_PROFILE=dev\n");
    expect(seen).toContain("KEPT=yes\n");
    expect(seen).toContain('KUBERNETES_EXEC_INFO={"kind":"ExecCredential"');
    expect(seen).not.toContain("=mine");
  });

  it("speaks the beta of the protocol", async () => {
    const command = answering(answer({ token: "t" }, V1BETA1));
    const source = credentials({ command, apiVersion: V1BETA1, interactiveMode: undefined });
    expect(await source.get()).toEqual({ token: "t" });
  });

  it("takes a certificate and its key", async () => {
    const status = { clientCertificateData: CERT, clientKeyData: KEY };
    const source = credentials({ command: answering(answer(status)) });
    expect(await source.get()).toEqual({ certificate: { cert: CERT, key: KEY } });
  });

  it.each([
    ["nothing", "", "not a JSON object"],
    ["a list", "[]", "not a JSON object"],
    ["another kind", '{"kind":"Pod"}', "not an ExecCredential"],
    ["another version", answer({ token: "t" }, V1BETA1), "not in client.authentication.k8s.io/v1"],
    ["no status", `{"kind":"ExecCredential","apiVersion":"${V1}"}`, "no status"],
    ["an empty status", answer({}), "neither a token nor a certificate"],
    ["a number as token", answer({ token: 5 }), "status.token of its answer is not text"],
    ["two lines as token", answer({ token: "a\nHost: b" }), "line breaks"],
    ["a key alone", answer({ clientKeyData: KEY }), "only one of certificate and key"],
    ["a bad pair", answer({ clientCertificateData: "x", clientKeyData: "y" }), "not PEM"],
    ["no time", answer({ token: "t", expirationTimestamp: "soon" }), "expirationTimestamp"],
  ])("says what is wrong with the answer: %s", async (_, text, why) => {
    await expect(credentials({ command: answering(text) }).get()).rejects.toMatchObject({
      code: "exec-credentials",
      message: expect.stringContaining(why),
    });
  });

  it("shows neither its arguments nor its variables nor what it prints when it fails", async () => {
    const command = program("echo secret-output; echo secret-error >&2; exit 3");
    const source = credentials({
      command,
      args: ["--client-secret=secret-argument"],
      env: [{ name: "SECRET", value: "secret-variable" }],
    });
    const failure = await shown(source.get());
    expect(failure).toContain("exited with code 3");
    expect(failure).not.toMatch(/secret-/);
  });

  it.each([
    ["cannot be started", { command: "/etc/passwd" }, /is not executable/],
    ["has a null character", { command: "/bin/sh" }, /null character/],
  ])("shows no argument of a program that %s", async (_, exec, why) => {
    const args = ["secret-argument\0"].map((text) =>
      exec.command === "/bin/sh" ? text : text.replace("\0", ""),
    );
    const failure = await shown(credentials({ ...exec, args }).get());
    expect(failure).toMatch(why);
    expect(failure).not.toContain("secret-argument");
  });

  it("gives the hint how to install a program that is not there, without escape codes", async () => {
    const installHint = "Install it:\n\u001b[2Jbrew install login";
    const source = credentials({ command: "no-such-login-program", installHint });
    await expect(source.get()).rejects.toMatchObject({
      message: expect.stringContaining("there is no such program"),
      fix: "Install it:\n[2Jbrew install login",
    });
  });

  it("looks for a name in the folders of PATH, and never in the working folder", async () => {
    program("exit 0", "tsop-login");
    const before = process.cwd();
    process.chdir(folder);
    try {
      for (const PATH of ["", ".", ":/bin", "bin:."]) {
        const source = credentials({ command: "tsop-login" }, { environment: { PATH } });
        await expect(source.get()).rejects.toThrow("there is no such program");
      }
    } finally {
      process.chdir(before);
    }
    const command = answering(answer({ token: "found" }));
    rmSync(join(folder, "tsop-login"));
    writeFileSync(join(folder, "tsop-login"), readFileSync(command), { mode: 0o755 });
    const environment = { PATH: `relative:${folder}:${process.env["PATH"] ?? ""}` };
    const source = credentials({ command: "tsop-login" }, { environment });
    expect(await source.get()).toEqual({ token: "found" });
  });

  it("refuses a relative path in a kubeconfig that is no file", () => {
    expect(() => credentials({ command: "./login" })).toThrow(/exec\.command.*relative path/);
  });

  it("gives a program that reads its input nothing to wait for", async () => {
    const command = program(
      `cat > ${folder}/input; cat ${write("answer", answer({ token: "t" }))}`,
    );
    expect(await credentials({ command }).get()).toEqual({ token: "t" });
    expect(readFileSync(join(folder, "input"), "utf8")).toBe("");
  });

  it("bounds what it prints", async () => {
    const source = credentials({ command: program("exec cat /dev/zero") });
    await expect(source.get()).rejects.toThrow("printed more than 1024 KiB");
  });

  it("ends a hanging program, and what it has started, when its signal is aborted", async () => {
    const command = program(
      `trap '' TERM; (trap '' TERM; echo $$ > ${folder}/inner; sleep 600) & echo $! > ${folder}/child; echo $$ > ${folder}/pid; wait; sleep 600`,
    );
    const stop = new AbortController();
    const clock = new VirtualClock();
    const asked = credentials({ command }, { clock }).get(stop.signal);
    asked.catch(() => undefined);
    await until(() => existsSync(join(folder, "pid")) && existsSync(join(folder, "inner")));
    const pids = ["pid", "child"].map((name) => Number(readFileSync(join(folder, name), "utf8")));
    stop.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    // It does not end on request, and is killed two seconds later.
    await clock.advance(1999);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await clock.advance(1);
    await until(() => !pids.some(isAlive));
  });

  it("runs on for others who wait when one of them gives up", async () => {
    const output = write("answer", answer({ token: "t" }));
    const command = program(
      `while [ ! -e ${folder}/go ]; do sleep 0.05; done; echo run >> ${folder}/runs; cat ${output}`,
    );
    const source = credentials({ command });
    const stop = new AbortController();
    const first = source.get(stop.signal);
    const second = source.get();
    stop.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    write("go", "");
    expect(await second).toEqual({ token: "t" });
    expect(readFileSync(join(folder, "runs"), "utf8")).toBe("run\n");
  });

  it("gives up after four minutes", async () => {
    const clock = new VirtualClock();
    const asked = credentials({ command: program("exec sleep 600") }, { clock }).get();
    asked.catch(() => undefined);
    await clock.advance(4 * 60_000);
    await expect(asked).rejects.toThrow("did not end within 4 minutes");
    // The kill of what does not end on request.
    await clock.advance(2000);
  });

  it("tries again the next time", async () => {
    const command = program("exit 1");
    const source = credentials({ command });
    await expect(source.get()).rejects.toMatchObject({ code: "exec-credentials" });
    answering(answer({ token: "late" }));
    expect(await source.get()).toEqual({ token: "late" });
  });
});
