import { describe, expect, it } from "vitest";
import {
  JSON_TYPE,
  YAML_TYPE,
  chooseMediaType,
  parseAccept,
} from "../../../src/controlplane/views/accept.ts";

describe("parseAccept", () => {
  it("sorts by quality, wildcards behind, and keeps the order of the rest", () => {
    const clauses = parseAccept(
      "*/*, text/html;q=0.5, application/json;as=Table, application/yaml",
    );
    expect(clauses.map(({ type, subtype }) => `${type}/${subtype}`)).toEqual([
      "application/json",
      "application/yaml",
      "*/*",
      "text/html",
    ]);
    expect(clauses[0]?.parameters).toEqual({ as: "Table" });
  });

  it("leaves out what is malformed", () => {
    expect(parseAccept("json, a/b/c, *")).toMatchObject([{ type: "*", subtype: "*" }]);
  });
});

describe("chooseMediaType", () => {
  const choose = (header: string | undefined): string | undefined =>
    chooseMediaType(header, [JSON_TYPE, YAML_TYPE], (type) => type.join("/"));

  it("takes the first type on offer when anything will do", () => {
    expect(choose(undefined)).toBe("application/json");
    expect(choose("")).toBe("application/json");
    expect(choose("*/*")).toBe("application/json");
  });

  it("goes on to the next clause when one is not served", () => {
    expect(choose("application/xml, application/yaml")).toBe("application/yaml");
    expect(choose("text/*")).toBeUndefined();
  });
});
