/**
 * Users of a version that lacks fields, on an API server: what they write into the annotations in which these fields
 * are kept gives them no right that they do not have, and no object is too large to be listed.
 */
import { randomUUID } from "node:crypto";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Client,
  type Content,
  ConversionWebhook,
  type Converter,
  createManager,
  CustomResource,
  jsonPatch,
  mergePatch,
  Resource,
  type Sent,
} from "../../src/index.ts";
import { CustomResourceDefinition, Secret } from "../../src/k8s.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { connect, type Target, TARGETS } from "./targets.ts";
import { freePort, webhookCertificate } from "./webhook-certificate.ts";
import type { NewObject } from "../../src/kube/input.ts";

const GROUP = "trust.k8s-summit.org";
const NAME = `pages.${GROUP}`;
const STASH = "conversion.tsop.dev";

interface Spec {
  message?: string;
  image?: string;
  data?: string;
}
interface Status {
  ready?: number;
  phase?: string;
}
interface OldStatus {
  ready?: number;
  note?: string;
}

@Resource({ group: GROUP, version: "v1", plural: "pages", kind: "Page" })
class Page extends CustomResource<Spec, Status> {}

@Resource({ group: GROUP, version: "v1beta1", plural: "pages", kind: "Page" })
class OldPage extends CustomResource<{ message?: string; hint?: string }, OldStatus> {}

@ConversionWebhook(Page, OldPage)
class PageConversion implements Converter<Page, OldPage> {
  toHub({ spec: { hint: _hint, ...spec }, status }: Sent<OldPage>): Content<Page> {
    const { note: _note, ...shown } = status ?? {};
    return { spec, ...(status && { status: shown }) };
  }

  fromHub({ spec: { image: _image, data: _data, ...spec }, status }: Sent<Page>): Content<OldPage> {
    const { phase: _phase, ...shown } = status ?? {};
    return { spec, ...(status && { status: shown }) };
  }
}

const string = { type: "string" };
const schema = (spec: object, status: object): object => ({
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: { type: "object", properties: spec },
      status: { type: "object", properties: { ready: { type: "integer" }, ...status } },
    },
  },
});

const definition = (webhook: object): NewObject<CustomResourceDefinition> => ({
  metadata: { name: NAME },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { plural: "pages", singular: "page", kind: "Page", listKind: "PageList" },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true, subresources: { status: {} } },
        schema: schema(
          { message: string, image: { ...string, pattern: "^[a-z]+$" }, data: string },
          { phase: string },
        ),
      },
      {
        ...{ name: "v1beta1", served: true, storage: false, subresources: { status: {} } },
        schema: schema({ message: string, hint: { ...string, maxLength: 10 } }, { note: string }),
      },
    ],
    conversion: { strategy: "Webhook", webhook },
  } as CustomResourceDefinition["spec"],
});

/** What a client of the converter is given for an annotation of the old version. */
async function conversionOf(url: URL, object: object, ca: string): Promise<string> {
  const review = {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" },
    request: { uid: "1", desiredAPIVersion: `${GROUP}/v1beta1`, objects: [object] },
  };
  const answer = await new Promise<string>((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request(
      url,
      { method: "POST", headers, ca: Buffer.from(ca, "base64") },
      (response) => {
        text(response).then(resolve, reject);
      },
    );
    sent.on("error", reject).end(JSON.stringify(review));
  });
  const { response } = JSON.parse(answer) as { response: { convertedObjects: OldPage[] } };
  return response.convertedObjects[0]?.metadata.annotations?.[`${STASH}/v1`] ?? "";
}

describe.each(TARGETS)("annotations that users write, on %s", (_, kubeconfig) => {
  let target: Target;
  let client: Client;
  let key: (name: string) => { namespace: string; name: string };
  let address: { certificate: ReturnType<typeof webhookCertificate>; port: number };
  let end: () => Promise<void>;

  /** Starts an operator; its end. */
  async function operator(): Promise<() => Promise<void>> {
    const stop = new AbortController();
    const manager = createManager({
      config: target.config,
      log: silentLogger,
      webhooks: { port: address.port, host: "127.0.0.1", certificate: address.certificate.files },
    });
    manager.webhooks.add(new PageConversion());
    const running = manager.start(stop.signal);
    // The API server may know the conversions of objects that it has asked for before.
    await eventually(() => {
      expect(manager.ports.webhooks).toBe(address.port);
    });
    await client.get(OldPage, key("first"));
    return async () => {
      stop.abort();
      await running;
    };
  }

  beforeAll(async () => {
    target = await connect(kubeconfig);
    ({ client } = target);
    key = (name) => ({ namespace: target.namespaces[0], name });
    address = { certificate: webhookCertificate(), port: await freePort() };
    const url = `https://127.0.0.1:${String(address.port)}/convert`;
    const clientConfig = { url, caBundle: address.certificate.caBundle };
    await client.create(
      CustomResourceDefinition,
      definition({ conversionReviewVersions: ["v1"], clientConfig }),
    );
    await eventually(() => client.list(Page));
    // Not started before there is an object to convert.
    await client.create(Page, { metadata: key("first"), spec: { message: "x" } });
    end = await operator();
  });
  afterAll(async () => {
    await end();
    await client.delete(CustomResourceDefinition, { name: NAME });
    await client.delete(Secret, {
      namespace: target.config.namespace,
      name: `conversion-key.${NAME}`,
    });
    address.certificate.remove();
    await target.end();
  });

  /** A page in v1, with fields that v1beta1 lacks. */
  async function page(name: string, data?: string): Promise<void> {
    const spec = { message: "hello", image: "nginx", ...(data !== undefined && { data }) };
    const made = await client.create(Page, { metadata: key(name), spec });
    made.status = { ready: 1, phase: "Up" };
    await client.status.update(made);
  }

  const annotation = (fields: object): Record<string, string> => ({
    [`${STASH}/v1`]: JSON.stringify({ fields }),
  });

  it("keep what an honest user of the old version does not see, spec and status", async () => {
    await page("honest");
    const old = await client.get(OldPage, key("honest"));
    old.spec.message = "changed";
    await client.update(OldPage, old);
    await client.patch(OldPage, key("honest"), mergePatch({ spec: { hint: "there" } }));
    const read = await client.get(OldPage, key("honest"));
    read.status = { ready: 2, note: "n" };
    await client.status.update(read);
    expect(await client.get(Page, key("honest"))).toMatchObject({
      spec: { message: "changed", image: "nginx" },
      status: { ready: 2, phase: "Up" },
    });
    expect(await client.get(OldPage, key("honest"))).toMatchObject({
      spec: { message: "changed", hint: "there" },
      status: { ready: 2, note: "n" },
    });
  });

  it("change no status, and nothing to what the schema refuses", async () => {
    await page("forged");
    const old = await client.get(OldPage, key("forged"));
    const came = '"hello"';
    const forge = (fields: object): Promise<OldPage> =>
      client.patch(
        OldPage,
        key("forged"),
        mergePatch({ metadata: { annotations: annotation(fields) } }),
      );
    await forge({
      status: { fields: { phase: { value: "Ready" }, ready: { came: "1", value: 99 } } },
      spec: { fields: { image: { value: "rm -rf /" }, message: { came, value: 7 } } },
    });
    const stored = await client.get(Page, key("forged"));
    // The annotation of the user took the place of the operator's: what that held is gone, as if it was left out.
    expect(stored.status).toEqual({ ready: 1 });
    expect(stored.spec).toEqual({ message: "hello" });
    await forge({ spec: { fields: { image: { value: "apache" } } } });
    expect((await client.get(Page, key("forged"))).spec).toEqual({
      message: "hello",
      image: "apache",
    });
    // What the operator signed for another object, or for the object as it was, says nothing of its status.
    await page("other");
    await client.patch(
      Page,
      key("other"),
      jsonPatch([{ op: "replace", path: "/spec/image", value: "b" }]),
    );
    await client.patch(
      Page,
      key("other"),
      jsonPatch([{ op: "replace", path: "/spec/image", value: "c" }]),
    );
    const { annotations = {} } = old.metadata;
    await client.patch(OldPage, key("other"), mergePatch({ metadata: { annotations } }));
    expect((await client.get(Page, key("other"))).status).toEqual({ ready: 1 });
  });

  it("change no status with a signature that the converter gives to a tenant who reaches it", async () => {
    await page("reached");
    const { metadata } = await client.get(Page, key("reached"));
    const forged = {
      ...{ apiVersion: `${GROUP}/v1`, kind: "Page", metadata },
      ...{ spec: { message: "hello", image: "nginx" }, status: { ready: 1, phase: "Forged" } },
    };
    const crd = await client.get(CustomResourceDefinition, { name: NAME });
    const known = new URL(crd.spec.conversion?.webhook?.clientConfig?.url ?? "");
    expect(known.pathname).toMatch(/^\/convert\/\d+-[0-9a-f]{32}$/);
    const guesses = [
      "/convert",
      "/",
      known.pathname.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    ];
    for (const path of [...guesses, known.pathname]) {
      const kept = await conversionOf(new URL(path, known), forged, address.certificate.caBundle);
      expect(kept).toContain("Forged");
      // Only who may read the CRD gets a signature.
      expect([path, kept.includes("signature")]).toEqual([path, path === known.pathname]);
      if (path === known.pathname) continue;
      const annotations = { [`${STASH}/v1`]: kept };
      await client.patch(OldPage, key("reached"), mergePatch({ metadata: { annotations } }));
      expect((await client.get(Page, key("reached"))).status).toEqual({ ready: 1 });
    }
  });

  it("are kept again soon after an apply of the CRD without the path", async () => {
    await page("applied");
    const { certificate, port } = address;
    const url = `https://127.0.0.1:${String(port)}/convert`;
    const clientConfig = { url, caBundle: certificate.caBundle };
    const conversion = {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig },
    };
    await client.patch(
      CustomResourceDefinition,
      { name: NAME },
      mergePatch({ spec: { conversion } }),
    );
    await eventually(async () => {
      const old = await client.get(OldPage, key("applied"));
      expect(old.spec).toEqual({ message: "hello" });
      const crd = await client.get(CustomResourceDefinition, { name: NAME });
      expect(crd.spec.conversion?.webhook?.clientConfig?.url).not.toBe(url);
    });
    // Until the API server knows the path, a write in the old version removes the status that it lacks.
    const status = { ready: 1, phase: "Up" };
    await eventually(async () => {
      const made = await client.get(Page, key("applied"));
      made.status = status;
      await client.status.update(made);
      const message = randomUUID();
      await client.patch(OldPage, key("applied"), mergePatch({ spec: { message } }));
      expect(await client.get(Page, key("applied"))).toMatchObject({
        spec: { message, image: "nginx" },
        status,
      });
    });
  });

  it("change no status that only the old version shows", async () => {
    const forged = JSON.stringify({
      fields: { status: { fields: { note: { value: "all well" } } } },
    });
    await client.create(Page, {
      metadata: { ...key("note"), annotations: { [`${STASH}/v1beta1`]: forged } },
      spec: { message: "x" },
    });
    const made = await client.get(Page, key("note"));
    made.status = { ready: 1 };
    await client.status.update(made);
    expect((await client.get(OldPage, key("note"))).status).toEqual({ ready: 1 });
  });

  it("may be missing or of another key, and no field of the spec is lost for that", async () => {
    await page("restarted");
    await client.patch(OldPage, key("restarted"), mergePatch({ spec: { hint: "kept" } }));
    const before = await client.get(OldPage, key("restarted"));
    await end();
    const namespace = target.config.namespace;
    await client.delete(Secret, { namespace, name: `conversion-key.${NAME}` });
    end = await operator();
    expect((await client.get(OldPage, key("restarted"))).spec).toEqual(before.spec);
    before.spec.message = "after";
    await client.update(OldPage, before);
    expect((await client.get(Page, key("restarted"))).spec).toEqual({
      message: "after",
      image: "nginx",
    });
  });

  it("do not make a list fail when fields are too large for them, and the old version cannot be written then", async () => {
    await page("large", "x".repeat(263_000));
    const items = await client.list(OldPage, { namespace: target.namespaces[0] });
    const large = items.find(({ metadata }) => metadata.name === "large");
    if (!large) throw new Error("the list lacks it");
    expect(large.spec).toEqual({ message: "hello" });
    large.spec.message = "y";
    for (const write of [
      () => client.patch(OldPage, key("large"), mergePatch({ spec: { message: "y" } })),
      () => client.update(OldPage, large),
    ]) {
      await expect(write()).rejects.toThrow(/v1beta1 does not show all of its fields.*write it in/);
    }
    expect((await client.get(Page, key("large"))).spec.data).toHaveLength(263_000);
    await client.patch(Page, key("large"), mergePatch({ spec: { data: "small" } }));
    // A patch may be made to what the API server has in its cache.
    await eventually(() =>
      client.patch(OldPage, key("large"), mergePatch({ spec: { message: "y" } })),
    );
    expect((await client.get(Page, key("large"))).spec).toMatchObject({
      message: "y",
      data: "small",
    });
  });

  it("do not make a list fail when the user's own annotations take all of the space", async () => {
    const limit = 256 * 1024;
    await client.create(Page, {
      metadata: { ...key("full"), annotations: { mine: "x".repeat(limit - "mine".length) } },
      spec: { message: "x", image: "nginx" },
    });
    const items = await client.list(OldPage, { namespace: target.namespaces[0] });
    expect(items.map(({ metadata }) => metadata.name)).toContain("full");
    const forged = { [`${STASH}/v1`]: "too-large", [`${STASH}/v1beta1`]: "too-large" };
    await client.patch(Page, key("first"), mergePatch({ metadata: { labels: forged } }));
    await client.patch(OldPage, key("first"), mergePatch({ spec: { message: "z" } }));
    expect((await client.get(Page, key("first"))).spec.message).toBe("z");
    await client.delete(Page, key("full"));
  });
});
