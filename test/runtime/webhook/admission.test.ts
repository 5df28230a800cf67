import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AdmissionAnswer,
  type AdmissionHandler,
  CustomResource,
  type Defaulter,
  MutatingWebhook,
  Resource,
  type Review,
  ValidatingWebhook,
  type ValidationReview,
  type Validator,
  type Sent,
  type Unstored,
} from "../../../src/index.ts";
import { failure } from "../../../src/kube/status.ts";
import { applyJsonPatch } from "../../../src/kube/patch.ts";
import { type Answer, reviewOf, serveWebhooks, type TestServer } from "./support.ts";

const UID = "705ab4f5-6393-11e8-b7cc-42010a800002";

interface WidgetSpec {
  size?: number;
  big?: bigint;
  how?: string;
  ports?: { name?: string; port?: number }[];
  tls?: { cert?: string };
}

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource<WidgetSpec> {}

const DEFAULT = "/mutate-shop-example-com-v1-widget";
const VALIDATE = "/validate-shop-example-com-v1-widget";

@MutatingWebhook(Widget)
class WidgetDefaulter implements Defaulter<Widget> {
  async default(widget: Sent<Widget>, review: Review<Widget>): Promise<void> {
    const { how } = widget.spec;
    if (how === "throw") throw new Error("no such luck");
    if (how === "frozen") review.request.object!.spec.size = 1;
    if (how === "later") await Promise.resolve();
    if (how === "nan") widget.spec.size = Number.NaN;
    if (how === "forbid") throw failure(403, "Forbidden", "not on sundays");
    if (how === "down") throw failure(503, "ServiceUnavailable", "the server is starting");
    if (how === "warn") for (let count = 0; count < 30; count++) review.warn("é".repeat(200));
    if (how === "big") widget.spec.big! += 2n;
    widget.spec.size ??= 1;
  }
}

@ValidatingWebhook(Widget)
class WidgetValidator implements Validator<Widget> {
  validateCreate({ spec: { how } }: Unstored<Widget>, review: ValidationReview<Widget>): void {
    review.warn("careful");
    if (how === "all") {
      review.invalid((w) => w.spec.ports![0]!.name, "must be short");
      review.required((w) => w.spec.tls?.cert, "needed when tls is on");
      review.forbidden("spec.how", "may not be set");
      review.notSupported((w) => w.spec.how, ["a", "b"]);
      review.duplicate((w) => w.metadata.labels!["example.com/app"]);
    } else if (how === "one") review.invalid((w) => w.spec.size, "must be even");
    else if (how === "deny") review.deny("the shop is closed");
    else if (how === "unnamed") review.invalid((w) => (w.spec.size ?? 0) + 1, "must be even");
  }

  validateUpdate(widget: Widget, old: Widget, review: ValidationReview<Widget>): void {
    if (widget.spec.size !== old.spec.size) review.forbidden((w) => w.spec.size, "may not change");
  }

  async validateDelete(widget: Widget, review: ValidationReview<Widget>): Promise<void> {
    await Promise.resolve();
    if (widget.spec.how === "keep") review.deny(`${review.request.userInfo.username} may not`);
  }
}

const FOREIGN = {
  groups: ["*"],
  versions: ["*"],
  resources: ["*/*"],
  name: "all.example.com",
} as const;

@ValidatingWebhook({ ...FOREIGN, path: "/handle" })
@MutatingWebhook({ ...FOREIGN, path: "/change" })
class Everything implements AdmissionHandler {
  handle({ request }: Review): AdmissionAnswer {
    const annotations = request.object?.metadata.annotations ?? {};
    return JSON.parse(annotations["answer"] ?? "null") as AdmissionAnswer;
  }
}

let server: TestServer;
beforeAll(async () => {
  server = await serveWebhooks([new WidgetDefaulter(), new WidgetValidator(), new Everything()]);
});
afterAll(async () => {
  await server.stop();
});

const widget = (spec: object, metadata: object = {}) => ({
  apiVersion: "shop.example.com/v1",
  kind: "Widget",
  metadata: { name: "w", ...metadata },
  spec,
});

const patchIn = ({ body }: Answer): unknown =>
  JSON.parse(Buffer.from(body.response.patch ?? "", "base64").toString());

describe("a defaulter", () => {
  it("changes a copy, and the difference is the patch", async () => {
    const object = widget({ how: "later" });
    const answer = await server.ask(`${DEFAULT}?timeout=10s`, reviewOf({ object }));
    expect(answer).toEqual({
      status: 200,
      body: {
        kind: "AdmissionReview",
        apiVersion: "admission.k8s.io/v1",
        response: { uid: UID, allowed: true, patch: expect.any(String), patchType: "JSONPatch" },
      },
    });
    expect(applyJsonPatch(object, patchIn(answer) as unknown[])).toEqual(
      widget({ how: "later", size: 1 }),
    );
  });

  it("sends no patch when it changed nothing, and is not asked when an object is deleted", async () => {
    const body = {
      kind: "AdmissionReview",
      apiVersion: "admission.k8s.io/v1",
      response: { uid: UID, allowed: true },
    };
    const unchanged = reviewOf({ object: widget({ size: 3 }) });
    expect(await server.ask(DEFAULT, unchanged)).toEqual({ status: 200, body });
    const deleted = reviewOf({ operation: "DELETE", oldObject: widget({ how: "throw" }) });
    expect(await server.ask(DEFAULT, deleted)).toEqual({ status: 200, body });
  });

  it("keeps whole numbers of 64 bits", async () => {
    const object = widget({ how: "big", big: 0, size: 1 });
    const sent = JSON.stringify(reviewOf({ object })).replace('"big":0', '"big":9007199254740993');
    const { body } = await server.ask(DEFAULT, sent);
    expect(Buffer.from(body.response.patch ?? "", "base64").toString()).toBe(
      '[{"op":"replace","path":"/spec/big","value":9007199254740995}]',
    );
  });

  it("warns within the limits of the API server", async () => {
    const { body } = await server.ask(DEFAULT, reviewOf({ object: widget({ how: "warn" }) }));
    const { warnings = [] } = body.response;
    expect(warnings[0]).toBe("é".repeat(128));
    expect(warnings.at(-1)).toBe("and 15 more warnings that are not shown");
    expect(Buffer.byteLength(warnings.join(""))).toBeLessThanOrEqual(4096);
  });

  it("refuses with the status that it throws", async () => {
    const { status, body } = await server.ask(
      DEFAULT,
      reviewOf({ object: widget({ how: "forbid" }) }),
    );
    expect([status, body.response]).toMatchObject([
      200,
      {
        uid: UID,
        allowed: false,
        status: { code: 403, reason: "Forbidden", message: "not on sundays" },
      },
    ]);
  });

  it.each([
    ["throw", 500, "WidgetDefaulter failed: no such luck"],
    ["down", 503, "WidgetDefaulter failed: the server is starting"],
    ["frozen", 500, "WidgetDefaulter failed: Cannot add property size, object is not extensible"],
    ["nan", 500, /^WidgetDefaulter failed: .*NaN, a number that JSON cannot represent\.$/],
  ])("fails with what it throws: %s", async (how, code, message) => {
    const before = server.lines.length;
    const { status, body } = await server.ask(DEFAULT, reviewOf({ object: widget({ how }) }));
    expect(status).toBe(code);
    // The API server reads the Status and goes by the failurePolicy; who reads the review finds its uid.
    expect(body).toMatchObject({ kind: "Status", status: "Failure", code, details: { uid: UID } });
    expect(body.message).toMatch(message);
    expect(body.response).toMatchObject({ uid: UID, allowed: false, status: { code } });
    expect(server.lines.slice(before)).toEqual([`error ${body.message}`]);
  });
});

describe("a validator", () => {
  it("tells all mistakes as the API server tells those of its own", async () => {
    const object = widget(
      { how: "all", ports: [{ name: "too-long" }] },
      { labels: { "example.com/app": "x" } },
    );
    const { status, body } = await server.ask(VALIDATE, reviewOf({ object }));
    const causes = [
      ["FieldValueInvalid", "spec.ports[0].name", 'Invalid value: "too-long": must be short'],
      ["FieldValueRequired", "spec.tls.cert", "Required value: needed when tls is on"],
      ["FieldValueForbidden", "spec.how", "Forbidden: may not be set"],
      [
        "FieldValueNotSupported",
        "spec.how",
        'Unsupported value: "all": supported values: "a", "b"',
      ],
      ["FieldValueDuplicate", "metadata.labels[example.com/app]", 'Duplicate value: "x"'],
    ].map(([reason, field, message]) => ({ reason, message, field }));
    expect(status).toBe(200);
    expect(body.response).toEqual({
      uid: UID,
      allowed: false,
      warnings: ["careful"],
      status: {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        reason: "Invalid",
        code: 422,
        message: `Widget.shop.example.com "w" is invalid: [${causes.map((one) => `${one.field}: ${one.message}`).join(", ")}]`,
        details: { name: "w", group: "shop.example.com", kind: "Widget", causes },
      },
    });
  });

  it("is asked with the objects of the operation", async () => {
    const said = async (question: object): Promise<unknown> => {
      const { body } = await server.ask(VALIDATE, reviewOf(question));
      return body.response.allowed || [body.response.status?.code, body.response.status?.message];
    };
    const [one, two, kept] = [widget({ size: 1 }), widget({ size: 2 }), widget({ how: "keep" })];
    const changed = 'Widget.shop.example.com "w" is invalid: spec.size: Forbidden: may not change';
    expect(await said({ object: one })).toBe(true);
    expect(await said({ operation: "UPDATE", object: one, oldObject: one })).toBe(true);
    expect(await said({ operation: "UPDATE", object: two, oldObject: one })).toEqual([
      422,
      changed,
    ]);
    expect(await said({ operation: "DELETE", oldObject: one })).toBe(true);
    expect(await said({ operation: "DELETE", oldObject: kept })).toEqual([403, "jo may not"]);
    expect(await said({ operation: "CONNECT", object: { kind: "PodExecOptions" } })).toBe(true);
    expect(await said({ object: widget({ how: "deny" }) })).toEqual([403, "the shop is closed"]);
  });

  it("fails when a function names no field", async () => {
    const { status, body } = await server.ask(
      VALIDATE,
      reviewOf({ object: widget({ how: "unnamed" }) }),
    );
    expect([status, body.message]).toEqual([
      500,
      "WidgetValidator failed: A function that names a field returned NaN, which is not a field of the object.",
    ]);
  });
});

describe("a handler", () => {
  const asked = async (path: string, answer: object | null, question: object = {}) => {
    const object = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { annotations: { answer: JSON.stringify(answer) } },
    };
    const kind = { group: "", version: "v1", kind: "Pod" };
    return server.ask(path, reviewOf({ kind, object, ...question }));
  };

  it("answers itself", async () => {
    const auditAnnotations = { why: "because" };
    const allowed = await asked("/handle", { allowed: true, auditAnnotations });
    expect(allowed.body.response).toEqual({ uid: UID, allowed: true, auditAnnotations });
    const refused = await asked("/handle", { allowed: false, message: "no", code: 409 });
    expect(refused.body.response.status).toEqual({
      metadata: {},
      status: "Failure",
      message: "no",
      reason: "Conflict",
      code: 409,
    });
    const plain = await asked("/handle", { allowed: false });
    expect(plain.body.response.status).toMatchObject({ code: 403, reason: "Forbidden" });
  });

  it("changes the object where it may, and fails where it may not", async () => {
    const object = { apiVersion: "v1", kind: "Pod", metadata: {} };
    const changed = await asked("/change", { allowed: true, object });
    expect(patchIn(changed)).toEqual([{ op: "remove", path: "/metadata/annotations" }]);
    const said = async (path: string, answer: object | null): Promise<unknown> => {
      const { status, body } = await asked(path, answer);
      return [status, body.message];
    };
    expect(await said("/handle", { allowed: true, object })).toEqual([
      500,
      "Everything failed: a validating webhook answered with an object; it cannot change any",
    ]);
    expect(await said("/change", null)).toEqual([
      500,
      "Everything failed: handle returned no answer",
    ]);
  });
});

describe("a review", () => {
  it("is answered in the version that it was asked in, with its uid", async () => {
    const apiVersion = "admission.k8s.io/v1beta1";
    for (const how of ["", "all", "deny"]) {
      const object = widget({ how, ports: [{}] }, { labels: {} });
      const { body } = await server.ask(
        VALIDATE,
        reviewOf({ apiVersion, uid: `u-${how}`, object }),
      );
      expect(body).toMatchObject({
        apiVersion,
        kind: "AdmissionReview",
        response: { uid: `u-${how}` },
      });
    }
  });

  it("that is wrong is refused, with the uid where it has one", async () => {
    const said = async (body: unknown, options = {}, path = VALIDATE): Promise<unknown> => {
      const answer = await server.ask(path, body, options);
      expect(answer.body.kind).toBe("Status");
      return [answer.status, answer.body.response.uid, answer.body.message];
    };
    const object = widget({});
    expect(await said("")).toEqual([400, "", "the request has no body"]);
    expect(await said("{")).toEqual([400, "", expect.stringMatching(/^the body is not JSON: /)]);
    expect(await said(Buffer.from([0x22, 0xff, 0x22]))).toEqual([400, "", "the body is not UTF-8"]);
    expect(await said("[]")).toEqual([400, "", "the body is not a JSON object"]);
    const json = JSON.stringify(reviewOf({ object }));
    expect(await said(json, { headers: { "content-type": "text/yaml" } })).toEqual([
      400,
      "",
      "the content type is text/yaml, not application/json",
    ]);
    expect(await said(json, { method: "PUT" })).toEqual([
      405,
      "",
      "a review must be requested with POST",
    ]);
    expect(await said(json, {}, "/other")).toEqual([404, "", "no webhook is served at this path"]);
    expect(await said(reviewOf({ apiVersion: "admission.k8s.io/v2", object }))).toEqual([
      400,
      UID,
      'the body is "AdmissionReview" of "admission.k8s.io/v2", not an AdmissionReview of admission.k8s.io/v1 or admission.k8s.io/v1beta1',
    ]);
    expect(await said({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" })).toEqual([
      400,
      "",
      "the AdmissionReview has no request",
    ]);
    expect(await said(reviewOf({ uid: "", object }))).toEqual([400, "", "the request has no uid"]);
    expect(await said(reviewOf({ operation: "PAINT", object }))).toEqual([
      400,
      UID,
      'the operation "PAINT" is not known',
    ]);
    expect(await said(reviewOf({ object: 7 }))).toEqual([
      400,
      UID,
      "the object of the request is not a JSON object",
    ]);
    expect(await said(reviewOf({}))).toEqual([
      400,
      UID,
      "the request has no object, which a CREATE request must have",
    ]);
    expect(await said(reviewOf({ object: { apiVersion: "v1", kind: "Pod" } }))).toEqual([
      400,
      UID,
      "the object has no metadata",
    ]);
    const kind = { group: "", version: "v1", kind: "Pod" };
    expect(await said(reviewOf({ kind, object }))).toEqual([
      400,
      UID,
      "the request is about Pod of v1, but the webhook is for Widget of shop.example.com/v1",
    ]);
  });
});
