/** Bodies of honest and of hostile requests. */

const TYPE = { group: "shop.example.com", version: "v1", kind: "Widget" };
const RESOURCE = { group: "shop.example.com", version: "v1", resource: "widgets" };

/** An object as API servers send it, of about so many bytes. */
function widgetOf(spec: object, version: string, bytes = 0): object {
  const annotations: Record<string, string> = {};
  for (let at = 0; at < bytes; at += 60) annotations[`example.com/note-${at}`] = "x".repeat(30);
  return {
    apiVersion: `shop.example.com/${version}`,
    kind: "Widget",
    metadata: { name: "w", namespace: "default", uid: "705ab4f5-6393-11e8-b7cc", annotations },
    spec,
  };
}

/** An admission review of an API server. */
export function reviewOf(spec: object): object {
  return {
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
      kind: TYPE,
      resource: RESOURCE,
      requestKind: TYPE,
      requestResource: RESOURCE,
      name: "w",
      namespace: "default",
      operation: "CREATE",
      userInfo: { username: "jo", groups: ["system:authenticated"] },
      object: widgetOf(spec, "v1", 500),
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    },
  };
}

/** A conversion review of a list. */
export function conversionOf(count: number, bytes: number): object {
  const objects = Array.from({ length: count }, (_, width) =>
    widgetOf({ width }, "v1alpha1", bytes),
  );
  const request = { uid: "u", desiredAPIVersion: "shop.example.com/v1", objects };
  return { kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1", request };
}

type Filler = (bytes: number) => string;

const repeated =
  (unit: string): Filler =>
  (bytes) =>
    unit.repeat(Math.ceil(bytes / unit.length));
const counted =
  (unit: (count: number) => string): Filler =>
  (bytes) => {
    const parts: string[] = [];
    let size = 0;
    for (let count = 0; size < bytes; count++) {
      const part = unit(count);
      parts.push(part);
      size += part.length;
    }
    return parts.join("");
  };
const within =
  (before: string, fill: Filler, after: string): Filler =>
  (bytes) =>
    before + fill(bytes) + after;

const ALPHABET = Array.from("abcdefghijklmnopqrst");

/** Another order of the same fields each time. */
function orderOf(count: number): string {
  const fields = [...ALPHABET];
  const order: string[] = [];
  for (let left = count * 7919 + 1; fields.length > 0; left = Math.imul(left, 16_777_619) >>> 1) {
    order.push(...fields.splice(left % fields.length, 1));
  }
  return `{${order.map((field) => `"${field}":1`).join(",")}},`;
}

const REVIEW = JSON.stringify(reviewOf({ hostile: "HERE" }));
const [BEFORE = "", AFTER = ""] = REVIEW.split('"HERE"');

/** Values that take more memory than their bytes, by name. */
const VALUES: Readonly<Record<string, Filler>> = {
  "empty objects": within("[", repeated("{},"), "1]"),
  "empty lists": within("[", repeated("[],"), "1]"),
  "lists in lists": (bytes) => "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
  "open lists": repeated("["),
  "objects in objects": (bytes) => `${'{"a":'.repeat(bytes / 6)}1${"}".repeat(bytes / 6)}`,
  "many fields": within(
    "{",
    counted((count) => `"k${count}":1,`),
    '"last":1}',
  ),
  "many shapes": within(
    "[",
    counted((count) => `{"k${count}":1},`),
    "1]",
  ),
  "many orders": within("[", counted(orderOf), "1]"),
  "fields that are indexes": within("[", repeated('{"499":1},'), "1]"),
  "fields that are large indexes": within("[", repeated('{"4000000000":1},'), "1]"),
  "one field again and again": within("{", repeated('"a":1,'), '"b":1}'),
  numbers: within("[", repeated("1.5,"), "1]"),
  "numbers and texts": within("[", repeated('1.5,"",'), "1]"),
  "long numbers": within("[", repeated("9007199254740993,"), "1]"),
  "one number": repeated("1"),
  "short texts": within("[", repeated('"a",'), "1]"),
  "one text": within('"', repeated("x"), '"'),
  "one text that is not ASCII": within('"', repeated("é"), '"'),
  "escaped line feeds": within('"', repeated("\\n"), '"'),
  "escaped characters": within('"', repeated("\\u00e9"), '"'),
  backslashes: within('"', repeated("\\"), '"'),
  spaces: within("[", repeated(" "), "1]"),
};

/** Whole bodies, by name. */
export const BODIES: Readonly<Record<string, Filler>> = {
  ...VALUES,
  ...Object.fromEntries(
    Object.entries(VALUES).map(([name, fill]) => [
      `${name}, in a review`,
      within(BEFORE, fill, AFTER),
    ]),
  ),
  "a review": (bytes) => JSON.stringify(reviewOf({ text: "x".repeat(bytes) })),
  "a long conversion": (bytes) => JSON.stringify(conversionOf(Math.ceil(bytes / 1200), 1000)),
  "a conversion of small objects": (bytes) =>
    JSON.stringify(conversionOf(Math.ceil(bytes / 200), 0)),
};
