/** What is said to who writes a marker of controller-gen names markers that there are. */
import { expect, it } from "vitest";
import { GO_NAMES } from "../../src/generator/read/marks/go-names.ts";
import { classMarkers, fieldMarkers } from "../../src/markers/registry.ts";

it("names markers that there are, for names that are none", () => {
  const known = new Set([...fieldMarkers.keys(), ...classMarkers]);
  for (const [name, words] of GO_NAMES) {
    expect(known).not.toContain(name);
    for (const [, marker = ""] of words.matchAll(/@(\w+)/g)) {
      expect(known).toContain(marker);
    }
  }
});
