import { describe, expect, it } from "vitest";
import { StatusError, type Status } from "../../../src/kube/status.ts";
import { negotiate } from "../../../src/controlplane/views/negotiate.ts";

const builtIn = { builtIn: true, tables: true, collection: false, watch: false };
const custom = { ...builtIn, builtIn: false };
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

function refusal(accept: string, endpoint = builtIn): Status {
  try {
    negotiate(accept, endpoint);
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error(`${accept} was accepted`);
}

describe("negotiate", () => {
  it("answers JSON to a client of protobuf that also takes JSON", () => {
    expect(negotiate("application/vnd.kubernetes.protobuf,application/json", builtIn)).toEqual({
      mediaType: "application/json",
    });
  });

  it("takes the first view that it has, in the order of the header", () => {
    expect(negotiate(`${TABLE},application/json`, builtIn).view?.kind).toBe("Table");
    expect(negotiate(`application/json,${TABLE}`, builtIn).view).toBeUndefined();
    expect(negotiate(`${TABLE};q=0.1,application/json`, builtIn).view).toBeUndefined();
    expect(
      negotiate(`application/json;as=Table;v=v9;g=meta.k8s.io, */*`, builtIn).view,
    ).toBeUndefined();
  });

  it("shows views as YAML too, but streams JSON only", () => {
    const yaml = "application/yaml;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    expect(negotiate(yaml, builtIn)).toEqual({
      mediaType: "application/yaml",
      view: { kind: "PartialObjectMetadata", version: "v1" },
    });
    const stream = `${TABLE};stream=watch`;
    expect(negotiate(stream, { ...builtIn, watch: true }).view?.kind).toBe("Table");
  });

  it("refuses a media type that a built-in kind does not have before it looks closer", () => {
    expect(refusal("application/xml")).toMatchObject({
      code: 406,
      message:
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
      details: {},
    });
    expect(refusal("application/xml", { ...builtIn, collection: true }).message).toContain(
      "application/json;stream=watch",
    );
    expect(refusal("application/*").code).toBe(406);
    expect(negotiate("application/*", custom).mediaType).toBe("application/json");
  });

  it("refuses unknown views, and tables of what has none", () => {
    const message =
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
    expect(refusal("application/json;as=table;v=v1;g=meta.k8s.io")).toMatchObject({
      code: 406,
      reason: "NotAcceptable",
      message,
    });
    expect(refusal(TABLE, { ...builtIn, tables: false }).message).toBe(message);
    expect(refusal("application/xml", custom).message).toBe(message);
  });

  it("tells a client of protobuf alone what it could take", () => {
    expect(refusal("application/vnd.kubernetes.protobuf").message).toBe(
      "only the following media types are accepted: application/json, application/yaml",
    );
  });
});
