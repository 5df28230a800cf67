import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { errorsIn, errorsPage, markersPage } from "../../scripts/make/docs/pages.ts";
import { ERROR_EXAMPLES } from "../../scripts/make/docs/error-examples.ts";
import { formatted } from "../../scripts/make/docs/formatted.ts";
import { FROM_CONTROLLER_GEN } from "../../scripts/make/docs/marker-examples.ts";
import { emptyFolder, runCli } from "../cli/support/run-cli.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe("the generated pages", () => {
  it("say what the markers say: run `npm run make -- docs` when they do not", async () => {
    const page = readFileSync(`${root}docs/markers.md`, "utf8");
    expect(page).toBe(await formatted("markers.md", await markersPage(root)));
  });

  const errors = errorsPage(root);
  const codes = [...new Set([...errorsIn(root).keys(), ...Object.keys(ERROR_EXAMPLES)])].sort();
  it.each(codes)("explain %s: what it says, what causes it, what to do", (code) => {
    const [, section = ""] = errors.split(new RegExp(`^## ${code}$`, "m"));
    const text = section.split(/^## /m)[0] ?? "";
    expect(text).toMatch(/For example:\n\n```text\n[^]+\n```/);
    expect(text).toMatch(/What to do: \S+/);
    expect(text.trim().startsWith("For example:")).toBe(false);
  });

  it("are what `tsop explain` prints", async () => {
    const marker = await runCli(emptyFolder(), ["explain", "@minlength"]);
    expect(marker).toMatchObject({ code: 0, err: "" });
    expect(marker.out).toContain("  minLength: 1");
    expect((await runCli(emptyFolder(), ["explain", "right-missing"])).out).toContain(
      "What to do:",
    );
    const slip = await runCli(emptyFolder(), ["explain", "Minimun"]);
    expect(slip).toMatchObject({ code: 2 });
    expect(slip.err).toContain("Did you mean Minimum?");
  });

  it.each([
    "kubebuilder:validation:Minimum",
    "+kubebuilder:validation:Minimum",
    "+kubebuilder:validation:Minimum=1",
    "// +kubebuilder:validation:Minimum=1",
    "@kubebuilder:validation:Minimum",
    '"kubebuilder:validation:Minimum"',
    "'+kubebuilder:validation:Minimum'",
    "k8s:minimum",
    "+Minimum",
    '"@Minimum"',
    "@Minimum(1)",
  ])("are found by `tsop explain` with %s", async (name) => {
    const { code, out } = await runCli(emptyFolder(), ["explain", name]);
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(out).toContain("@Minimum\n");
    expect(out).toContain("  minimum: 1");
    expect(out).not.toContain("@Maximum\n");
  });

  // `default` alone is a marker of this name here as well.
  const byName = FROM_CONTROLLER_GEN.filter(
    ({ marker }) => /^[\w:-]+$/.test(marker) && marker !== "default",
  );
  it.each(byName)("say what is written for controller-gen's $marker", async ({ marker, here }) => {
    const name =
      marker.includes(":") || /^[a-z]/.test(marker)
        ? `+${marker}`
        : "+kubebuilder:validation:" + marker;
    const { code, out } = await runCli(emptyFolder(), ["explain", name]);
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(out).toContain(here.replaceAll("`", ""));
  });

  it("say of a marker with arguments what its name says", async () => {
    const name =
      '+kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`';
    expect((await runCli(emptyFolder(), ["explain", name])).out).toContain("@PrintColumn\n");
    const items = "+kubebuilder:validation:items:Pattern=^a$";
    expect((await runCli(emptyFolder(), ["explain", items])).out).toContain("at any depth");
    const unknown = await runCli(emptyFolder(), ["explain", "kubebuilder:validation:Nonsense"]);
    expect(unknown).toMatchObject({ code: 2 });
  });
});
