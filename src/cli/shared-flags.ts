/** The flags that several commands have in common. */
import { parseGoNanos } from "../kube/values/duration.ts";
import { Option } from "./command.ts";

export const dryRun = new Option("--dry-run", "print the changes without making them").default(
  false,
);

export const diff = new Option("--diff", "print the changed lines").default(false);

/** For the commands that print facts. */
export const json = new Option("-o, --output <format>", "print the result as JSON").choices([
  "json",
]);

/** For the commands that compare generated files. */
export const check = new Option(
  "--check",
  "write nothing; exit with 3 if something would change",
).default(false);

export const kubeconfig = new Option(
  "--kubeconfig <file>",
  "kubeconfig file (default: $KUBECONFIG, ~/.kube/config)",
);

export const kubeContext = new Option(
  "--context <name>",
  "context of the kubeconfig (default: the current one)",
);

export const takeOwnership = new Option(
  "--take-ownership",
  "also change same-named objects that this project did not create",
).default(false);

export const deleteObjects = new Option(
  "--delete-objects",
  "delete all objects of the kinds first",
).default(false);

/** `--dry-run` of the commands that apply objects. */
export const dryRunOnServer = new Option(
  "--dry-run",
  "let the API server check the requests without changing anything",
).default(false);

/** Mandatory, for the commands that deploy or build the operator. */
export const operatorImage = new Option(
  "--image <image>",
  "image of the operator",
).makeOptionMandatory();

/** Seconds, from a number of them or a duration as kubectl takes it; NaN for anything else. */
export const seconds = (text: string): number => {
  const nanos = parseGoNanos(text);
  return nanos === undefined ? Number(text) : Number(nanos) / 1e9;
};

/** For the commands that wait for a cluster. */
export const waitingTime = new Option(
  "--timeout <duration>",
  "how long to wait, in seconds or such as 2m30s",
)
  .default(120)
  .argParser<number>(seconds);

export const apiGroup = new Option(
  "--group <group>",
  "API group without the domain, such as web",
).default("");

export const apiVersion = new Option("--version <version>", "API version, such as v1");

export const kind = new Option("--kind <Kind>", "kind, such as MyWeb");

export const externalApiDomain = new Option(
  "--external-api-domain <domain>",
  "API group domain of an external CRD",
);

export const externalApiPath = new Option(
  "--external-api-path <file>",
  "file of an external CRD's class, such as src/api/v1/certificate.ts",
);

/** The modes of `--certificates`, for help. */
export const CERTIFICATE_MODES =
  "The webhook certificate is issued by the operator (self-managed) or by cert-manager, or is in your own Secret (secret).";

export const certificates = new Option(
  "--certificates <mode>",
  "source of the webhook certificate (default: self-managed)",
).choices(["self-managed", "cert-manager", "secret"]);

/** Collects the values of a repeatable flag. */
export const collect = (value: string, earlier: readonly string[]): readonly string[] => [
  ...earlier,
  value,
];

/** Collects the values of a repeatable flag that are separated by commas. */
export const collectList = (value: string, earlier: readonly string[]): readonly string[] => [
  ...earlier,
  ...value.split(",").filter((one) => one !== ""),
];

/** For the commands that start a control plane. */
export const port = new Option("--port <port>", "port of the API server; 0 picks a free one")
  .argParser(Number)
  .default(0);

/** For the commands that start a control plane. */
export const routeService = new Option(
  "--route-service <service=address>",
  "local address of a Service: ns/name[:port]=host:port (repeatable)",
)
  .argParser(collectList)
  .default([] as readonly string[], "none");
