/** An operator with all servers, for `scripts/verify/strangers.ts`: it prints its ports. */
import {
  ConversionWebhook,
  type Converter,
  createManager,
  CustomResource,
  type Defaulter,
  MutatingWebhook,
  Resource,
  type Sent,
  setupSignalHandler,
  ValidatingWebhook,
  type Validator,
} from "../../../src/index.ts";

interface WidgetSpec {
  readonly size?: number;
  color?: string;
}

@Resource({ group: "shop.example.com", version: "v1" })
class Widget extends CustomResource<WidgetSpec> {}

@Resource({ group: "shop.example.com", version: "v1alpha1", kind: "Widget" })
class OldWidget extends CustomResource<{ width?: number }> {}

@ValidatingWebhook(Widget, { path: "/validate" })
class WidgetValidator implements Validator<Widget> {
  validateCreate(): void {
    return undefined;
  }
}

/** Like one that asks another server. */
@ValidatingWebhook(Widget, { path: "/slow" })
class SlowValidator implements Validator<Widget> {
  async validateCreate(): Promise<void> {
    await manager.clock.sleep(50);
  }
}

@MutatingWebhook(Widget, { path: "/mutate" })
class WidgetDefaulter implements Defaulter<Widget> {
  default({ spec }: Sent<Widget>): void {
    spec.color ??= "red";
  }
}

@ConversionWebhook(Widget, OldWidget)
class WidgetConversion implements Converter<Widget, OldWidget> {
  toHub({ spec: { width } }: Sent<OldWidget>) {
    return { spec: width === undefined ? {} : { size: width } };
  }

  fromHub({ spec: { size } }: Sent<Widget>) {
    return { spec: size === undefined ? {} : { width: size } };
  }
}

const [folder = ""] = process.argv.slice(2);
const manager = createManager({
  name: "strangers",
  metrics: { port: 0, reviewed: true, tls: "self-signed" },
  health: { port: 0 },
  debug: { port: 0, reviewed: true, tls: "self-signed" },
  webhooks: {
    port: 0,
    certificate: { certFile: `${folder}/tls.crt`, keyFile: `${folder}/tls.key` },
    listening: (webhooks) => {
      process.send?.({ ...manager.ports, webhooks });
    },
  },
});
manager.webhooks.add(new WidgetValidator());
manager.webhooks.add(new SlowValidator());
manager.webhooks.add(new WidgetDefaulter());
manager.webhooks.add(new WidgetConversion());
await manager.start(setupSignalHandler());
