import { describe, expect, it } from "vitest";
import type { TsopError } from "../../../src/errors.ts";
import {
  type AdmissionAnswer,
  type AdmissionHandler,
  ConversionWebhook,
  type Converter,
  CustomResource,
  type Defaulter,
  MutatingWebhook,
  Resource,
  ValidatingWebhook,
  type Validator,
  type Sent,
} from "../../../src/index.ts";
import { WebhookHandlers } from "../../../src/runtime/webhook/handlers.ts";

const GROUP = "shop.example.com";

@Resource({ group: GROUP, version: "v1" })
class Widget extends CustomResource<{ size?: number }> {}

@Resource({ group: GROUP, version: "v1alpha1", kind: "Widget" })
class OldWidget extends CustomResource<{ width?: number }> {}

@Resource({ group: GROUP, version: "v1beta1", kind: "Widget" })
class MiddleWidget extends CustomResource<{ width?: number }> {}

@MutatingWebhook(Widget)
class WidgetDefaulter implements Defaulter<Widget> {
  default(widget: Sent<Widget>): void {
    widget.spec.size ??= 1;
  }
}

@ValidatingWebhook(Widget)
class WidgetValidator implements Validator<Widget> {
  validateCreate(): void {
    // Everything goes.
  }
}

class NoWidth implements Converter<Widget, OldWidget> {
  toHub(): { spec: { size?: number } } {
    return { spec: {} };
  }

  fromHub(): { spec: { width?: number } } {
    return { spec: {} };
  }
}

@ConversionWebhook(Widget, OldWidget)
class OldConversion extends NoWidth {}

@ConversionWebhook(Widget, OldWidget)
class OtherConversion extends NoWidth {}

@ConversionWebhook(OldWidget, MiddleWidget)
class OtherHub implements Converter<OldWidget, MiddleWidget> {
  toHub = ({ spec }: Sent<MiddleWidget>) => ({ spec });
  fromHub = ({ spec }: Sent<OldWidget>) => ({ spec });
}

const allow = (): AdmissionAnswer => ({ allowed: true });

/** The code and the message of what `add` throws for the last of the handlers. */
function refusal(...handlers: object[]): string {
  const added = new WebhookHandlers();
  const last = handlers.pop()!;
  for (const handler of handlers) added.add(handler);
  const before = [added.routes.size, added.conversions.length];
  try {
    added.add(last);
  } catch (error) {
    expect([added.routes.size, added.conversions.length]).toEqual(before);
    const { code, message } = error as TsopError;
    return `${code}: ${message}`;
  }
  throw new Error("nothing was refused");
}

describe("what is added to the webhooks", () => {
  it("is found by the paths of the markers on its class", () => {
    @MutatingWebhook(Widget, { path: "/w/default" })
    @ValidatingWebhook({
      groups: [""],
      versions: ["v1"],
      resources: ["pods/exec"],
      name: "exec.example.com",
      url: "https://hooks.example.com/w/exec?x",
    })
    class Both implements Defaulter<Widget>, AdmissionHandler {
      default(): void {
        // Nothing is left out.
      }
      handle = allow;
    }
    const added = new WebhookHandlers();
    expect(added.isEmpty).toBe(true);
    for (const one of [new WidgetDefaulter(), new WidgetValidator(), new Both()]) added.add(one);
    added.add(new OldConversion());
    expect([...added.routes].map(([path, { asks }]) => `${path} ${asks}`)).toEqual([
      "/mutate-shop-example-com-v1-widget default",
      "/validate-shop-example-com-v1-widget validate",
      "/w/exec handle",
      "/w/default default",
    ]);
    expect(added.conversions.map(({ mark }) => mark.spoke.version)).toEqual(["v1alpha1"]);
    expect(added.isEmpty).toBe(false);
  });

  it("is refused without a marker", () => {
    class Bare implements Defaulter<Widget> {
      default(): void {
        // Nothing is left out.
      }
    }
    class Heir extends Bare {}
    const said = (name: string): string =>
      `webhook-without-marker: The class ${name} has no webhook marker, so it is unknown which requests it handles.`;
    expect(refusal(new Bare())).toBe(said("Bare"));
    expect(refusal(new Heir())).toBe(said("Heir"));
    expect(refusal({ default: () => undefined })).toBe(said("Object"));
  });

  it("is refused without anything that answers its marker", () => {
    // Neither compiles with the marker in front of it.
    class Empty {}
    class OnlyToHub {
      toHub = (): object => ({});
    }
    (ValidatingWebhook(Widget) as (target: object) => void)(Empty);
    expect(refusal(new Empty())).toBe(
      "webhook-without-method: The class Empty has the marker @ValidatingWebhook, but no method that handles its requests.",
    );
    (ConversionWebhook(Widget, OldWidget) as unknown as (target: object) => void)(OnlyToHub);
    expect(refusal(new OnlyToHub())).toBe(
      "webhook-without-method: The class OnlyToHub has the marker @ConversionWebhook, but no method that handles its requests.",
    );
  });

  it("is refused when one of its methods would never be called", () => {
    @MutatingWebhook(Widget)
    class Forgotten implements Defaulter<Widget>, Validator<Widget> {
      default(): void {
        // Nothing is left out.
      }
      validateDelete(): void {
        // Everything goes.
      }
    }
    @ValidatingWebhook(Widget)
    class TwoWays implements Validator<Widget>, AdmissionHandler {
      validateCreate(): void {
        // Everything goes.
      }
      handle = allow;
    }
    expect(refusal(new Forgotten())).toBe(
      "webhook-method-not-asked: Forgotten has the method validateDelete, which no marker on the class calls.",
    );
    expect(refusal(new TwoWays())).toBe(
      "webhook-method-not-asked: TwoWays has the method handle, which no marker on the class calls.",
    );
  });

  it("is refused when the path is another one's, or not known", () => {
    @ValidatingWebhook(Widget, { path: "/mutate-shop-example-com-v1-widget" })
    class Taker extends WidgetValidator {}
    const path = "/mutate-shop-example-com-v1-widget";
    expect(refusal(new WidgetDefaulter(), new Taker())).toBe(
      `webhook-path-taken: ${path} would be answered by WidgetDefaulter and Taker.`,
    );
    expect(refusal(new WidgetDefaulter(), new WidgetDefaulter())).toBe(
      `webhook-path-taken: ${path} would be answered by WidgetDefaulter twice.`,
    );
    @ValidatingWebhook({ groups: [""], versions: ["v1"], resources: ["pods"], name: "p.kb.io" })
    class Nowhere implements AdmissionHandler {
      handle = allow;
    }
    expect(refusal(new Nowhere())).toBe(
      "webhook-without-path: @ValidatingWebhook on Nowhere does not specify the path at which it is served.",
    );
  });

  it("converts two versions once, and a kind through one hub", () => {
    expect(refusal(new OldConversion(), new OtherConversion())).toBe(
      "conversion-exists: OldConversion and OtherConversion both convert Widget between v1 and v1alpha1.",
    );
    expect(refusal(new OldConversion(), new OtherHub())).toBe(
      "conversion-with-two-hubs: OtherHub converts Widget from and to v1alpha1, and OldConversion from and to v1: a kind has one hub.",
    );
  });
});
