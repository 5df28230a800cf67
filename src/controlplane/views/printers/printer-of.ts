/**
 * Which printer shows a built-in kind.
 *
 * @module
 */
import { described } from "./column-descriptions.ts";
import type { TablePrinter } from "../../kinds.ts";
import { column, nameColumn, printer } from "./column.ts";
import { corePrinters } from "./core.ts";
import { discoveryPrinters, networkingPrinters } from "./network.ts";
import {
  accessPrinters,
  admissionPrinters,
  aggregationPrinters,
  certificatePrinters,
  coordinationPrinters,
  devicePrinters,
  flowPrinters,
  nodePrinters,
  policyPrinters,
  schedulingPrinters,
} from "./policy.ts";
import { storagePrinters, volumePrinters } from "./storage.ts";
import { appsPrinters, autoscalingPrinters, batchPrinters } from "./workloads.ts";

const PRINTERS: Readonly<Record<string, Readonly<Record<string, TablePrinter>>>> = {
  "": { ...corePrinters, ...volumePrinters },
  "admissionregistration.k8s.io": admissionPrinters,
  "apiregistration.k8s.io": aggregationPrinters,
  apps: appsPrinters,
  autoscaling: autoscalingPrinters,
  batch: batchPrinters,
  "certificates.k8s.io": certificatePrinters,
  "coordination.k8s.io": coordinationPrinters,
  "discovery.k8s.io": discoveryPrinters,
  "events.k8s.io": corePrinters,
  "flowcontrol.apiserver.k8s.io": flowPrinters,
  "networking.k8s.io": networkingPrinters,
  "node.k8s.io": nodePrinters,
  policy: policyPrinters,
  "rbac.authorization.k8s.io": accessPrinters,
  "resource.k8s.io": devicePrinters,
  "scheduling.k8s.io": schedulingPrinters,
  "storage.k8s.io": storagePrinters,
};

/** What the server falls back on: its name, and when it was created. */
const createdAtPrinter: TablePrinter = printer(
  [
    nameColumn,
    column("Created At", ({ metadata }) => metadata.creationTimestamp ?? null, {
      type: "date",
      metadataField: "creationTimestamp",
    }),
  ],
  { nullWhenEmpty: true },
);

const SCALE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Desired: "replicas is the desired number of instances for the scaled object.",
  Available: "replicas is the actual number of observed instances of the scaled object.",
};

/** The printer of a `Scale`. That of a custom resource says that names are names and ages are dates, that of a built-in kind what is counted. */
export function scalePrinter(builtIn: boolean): TablePrinter {
  const scale = printerOf("autoscaling", "Scale");
  const columns = scale.columns.map(({ name, type, format, description, priority }) =>
    builtIn
      ? { name, type, format: "", description: SCALE_DESCRIPTIONS[name] ?? description, priority }
      : { name, type: name === "Age" ? "date" : type, format, description, priority },
  );
  return { ...scale, columns };
}

/** The printer of a built-in kind, `autoscaling` `Scale` too: its own, or the one of Name and Created At. */
export function printerOf(group: string, kind: string): TablePrinter {
  const found = PRINTERS[group]?.[kind];
  return found ? described(kind, found) : createdAtPrinter;
}
