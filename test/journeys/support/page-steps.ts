/**
 * A page of the documentation as steps that a test can take. Comments in the page, which readers do not see, say what a
 * fence alone does not: the file that code belongs into, what shows that a command that goes on is up, where it is stopped.
 */

/** One thing that a reader does, or sees. */
export type PageStep = { readonly line: number } & (
  | { readonly do: "write"; readonly file: string; readonly text: string }
  | { readonly do: "run"; readonly commands: readonly string[]; readonly code: number }
  | { readonly do: "refuse"; readonly command: string; readonly because: string }
  | { readonly do: "start"; readonly command: string; readonly until: RegExp }
  | { readonly do: "see"; readonly lines: readonly string[] }
  | { readonly do: "stop" }
);

/** The steps of a page, in its order. @throws Error for code that nobody would do anything with */
export function stepsOf(page: string): PageStep[] {
  const steps: PageStep[] = [];
  let said: { readonly what: string; readonly value: string } | undefined;
  const parts = /^<!-- (\w+)(?:: (.*))? -->$|^```(\w+)\n([^]*?)^```$/gm;
  for (const match of page.matchAll(parts)) {
    const [, what, value = "", fence, code = ""] = match;
    const line = page.slice(0, match.index).split("\n").length;
    if (what === "stop") {
      steps.push({ line, do: "stop" });
    } else if (what !== undefined) {
      said = { what, value };
    } else {
      steps.push({ line, ...stepOf(fence ?? "", code, said) });
      said = undefined;
    }
  }
  return steps;
}

type Told = { readonly what: string; readonly value: string } | undefined;
type WithoutLine<Step> = Step extends PageStep ? Omit<Step, "line"> : never;

function stepOf(fence: string, code: string, said: Told): WithoutLine<PageStep> {
  const lines = code.split("\n").filter((line) => line.trim() !== "");
  if (said?.what === "file") return { do: "write", file: said.value, text: code };
  const [command = ""] = lines;
  if (said?.what === "until") return { do: "start", command, until: new RegExp(said.value) };
  if (said?.what === "refused") return { do: "refuse", command, because: said.value };
  if (fence === "sh") {
    return { do: "run", commands: lines, code: said?.what === "exit" ? Number(said.value) : 0 };
  }
  if (fence === "text") return { do: "see", lines };
  throw new Error(`what is done with this?\n${code}`);
}
