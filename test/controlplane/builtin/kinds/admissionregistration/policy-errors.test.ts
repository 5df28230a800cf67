import { AdmissionPlugins } from "../../../../../src/controlplane/admission-plugins.ts";
import { expect, it } from "vitest";
import { VirtualClock } from "../../../../../src/clock.ts";
import { strategyFor } from "../../../../../src/controlplane/builtin/strategies/strategy-for.ts";
import type { WriteContext } from "../../../../../src/controlplane/kinds.ts";
import type { SentObject } from "../../../../../src/kube/object.ts";
import { describeShared } from "../../../../support/shared.ts";
import { recordedScenarios } from "../../../recordings.ts";

const context: WriteContext = {
  user: { name: "test", groups: [] },
  dryRun: false,
  clock: new VirtualClock(),
  plugins: new AdmissionPlugins(),
  find: () => undefined,
  list: () => [],
  pluralOf: () => undefined,
  may: () => true,
  putStatus: () => undefined,
  warn: () => undefined,
};

/** Where what is wrong depends on the rights of who asks. */
const BY_RIGHTS = "K780";

interface Refusal {
  readonly details?: { readonly causes?: readonly { field: string; message: string }[] };
}

/** What was captured while recording, in names of its form. */
function named<T>(scenarios: T): T {
  const text = JSON.stringify(scenarios).replaceAll("${group}", "g.example.com");
  return JSON.parse(text.replace(/\$\{\w+\}/g, "name")) as T;
}

describeShared("conformance", "Policies and their bindings", () => {
  const creates = named(recordedScenarios("K2-policies"))
    .filter(({ id }) => id !== BY_RIGHTS)
    .flatMap(({ id, steps }) => steps.map((step) => ({ id, ...step })))
    .filter(
      ({ request = "", body, answer }) =>
        request.startsWith("POST /apis/admissionregistration.k8s.io/v1/") &&
        body?.kind !== undefined &&
        (answer?.status === 201 || answer?.status === 422),
    );

  it("are refused for what a real API server refused, in its words, and else taken", () => {
    expect(creates.length).toBeGreaterThan(100);
    for (const { id, body, answer } of creates) {
      const object = structuredClone(body) as SentObject;
      const strategy = strategyFor("admissionregistration.k8s.io", object.kind);
      strategy.setDefaults(object);
      const found = strategy
        .validateCreate(object, context)
        .map(({ field, message }) => ({ field, message }));
      // What is wrong with metadata is found before.
      const recorded = ((answer?.body as Refusal | undefined)?.details?.causes ?? [])
        .map(({ field, message }) => ({ field, message }))
        .filter(({ field }) => !field.startsWith("metadata."));
      expect({ id, found }).toEqual({ id, found: answer?.status === 422 ? recorded : [] });
    }
  });
});
