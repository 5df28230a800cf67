/** Kubeconfigs, good and bad, beside what client-go 0.36.3 said of them: see client-go/main.go. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { TsopError } from "../../../src/errors.ts";
import type { CredentialRecipe } from "../../../src/runtime/transport/credentials/credentials.ts";
import { loadClusterConfig } from "../../../src/runtime/kubeconfig/load-config.ts";
import cases from "./client-go/cases.json" with { type: "json" };
import chains from "./client-go/trust.json" with { type: "json" };
import verdicts from "./client-go/verdicts.json" with { type: "json" };

const [authority, , , , , , other] = chains;
const JUNK = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

const base64 = (text = ""): string => Buffer.from(text).toString("base64");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "client-go-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The placeholders as main.go fills them in. */
function filled(text: string): string {
  const { pool = "", chain = "", key = "" } = authority ?? {};
  return text
    .replaceAll("$DIR", folder)
    .replaceAll("$CA64LINES", `${base64(pool).slice(0, 40)}\n        ${base64(pool).slice(40)}`)
    .replaceAll("$CA64", base64(pool))
    .replaceAll("$CERT64", base64(chain))
    .replaceAll("$KEY64", base64(key))
    .replaceAll("$OTHERKEY64", base64(other?.key))
    .replaceAll("$JUNK64", base64(JUNK))
    .replaceAll("$CA", pool)
    .replaceAll("$CERT", chain)
    .replaceAll("$KEY", key);
}

interface Verdict {
  readonly name: string;
  readonly error?: string;
  readonly [field: string]: unknown;
}

/** Where tsop answers otherwise, and why. */
const REFUSED_HERE: Readonly<Record<string, string>> = {
  "a user that is missing": "client-go goes on as nobody",
  "a bad namespace": "client-go fails with each request",
  "a null among the clusters": "it is a mistake of the hand",
  "an authority that is a list": "Go takes lists of bytes",
  "a key without a client certificate": "client-go ignores it",
  "a password alone": "client-go ignores it",
  "a YAML 1.1 boolean": "the type is told, and nothing is taken for true that is not",
};
const TAKEN_HERE: Readonly<Record<string, Partial<Verdict>>> = {
  // The text that it is in YAML 1.2.
  "YAML 1.1 booleans as text": { server: "https://c:6443", namespace: "default", token: "yes" },
};
// Without a scheme client-go sends everything in the clear, but for the credentials.
const HTTPS_HERE: Readonly<Record<string, Partial<Verdict>>> = {
  "a server without a scheme": { server: "https://c:6443", token: "t" },
  "a server without a scheme, and an authority": { server: "https://c:6443", token: "t", ca: true },
};

describe("A kubeconfig means what it means to client-go", () => {
  it.each(cases)("$name", async ({ name, files, env, context }) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), filled(text));
    }
    const said = (verdicts as Verdict[]).find((verdict) => verdict.name === name);
    const taken = TAKEN_HERE[name] ?? (said?.error === undefined ? said : undefined);
    const ours = await load(env, context);
    if (taken === undefined || name in REFUSED_HERE) {
      expect(ours).toBeInstanceOf(TsopError);
      expect((ours as TsopError).fix).not.toBe("");
    } else expect(ours).toEqual({ ...taken, ...HTTPS_HERE[name], name: undefined });
  });

  async function load(env: object, context: string): Promise<Partial<Verdict> | Error> {
    const set = Object.entries(env).map(([key, value]) => [key, filled(String(value))]);
    try {
      return await summary(
        loadClusterConfig({
          clock: new VirtualClock(),
          environment: { KUBECONFIG: join(folder, "config"), ...Object.fromEntries(set) },
          ...(context === "" ? {} : { context }),
          onWarning: () => undefined,
        }),
      );
    } catch (error) {
      return error as Error;
    }
  }

  /** In the words of main.go. */
  async function summary(config: ReturnType<typeof loadClusterConfig>): Promise<Partial<Verdict>> {
    const { impersonate, credentials } = config;
    const recipes = flat(credentials.recipe);
    const exec = recipes.find((recipe) => recipe.kind === "exec")?.config;
    const file = recipes.find((recipe) => recipe.kind === "token-file");
    const known = exec ? {} : await credentials.get();
    const told = (path: string | undefined) => path?.replace(folder, "$DIR");
    return {
      server: config.server,
      namespace: config.namespace,
      serverName: config.serverName,
      insecure: config.skipTlsVerify,
      ca: config.ca === undefined ? undefined : true,
      cert: known.certificate && true,
      token: file?.token ?? known.token,
      tokenFile: told(file?.path),
      username: known.basic?.username,
      password: known.basic?.password,
      as: impersonate?.user,
      asUid: impersonate?.uid,
      asGroups: impersonate?.groups,
      asExtra: impersonate?.extra,
      proxy: config.proxy,
      execCommand: told(exec?.command),
      execArgs: exec?.args,
      execMode: exec && (exec.interactiveMode ?? "IfAvailable"),
    };
  }

  function flat(recipe: CredentialRecipe | undefined): CredentialRecipe[] {
    return recipe?.kind === "combined" ? recipe.parts.flatMap(flat) : recipe ? [recipe] : [];
  }
});
