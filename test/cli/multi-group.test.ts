import { expect, it } from "vitest";
import { parse } from "yaml";
import { filesIn, newProject, runCli } from "./support/run-cli.ts";

const page = (group: string): string[] => [
  ...["--group", group, "--version", "v1"],
  ...["--kind", "Page"],
];

it("two groups have kinds of one name: each has files, CRD, role and webhooks of its own, and goes to the byte", async () => {
  const root = await newProject();
  const tsop = async (...argv: string[]): Promise<void> => {
    expect([argv, await runCli(root, argv)]).toMatchObject([argv, { code: 0, err: "" }]);
  };
  await tsop("edit", "--multigroup");
  await tsop("create", "api", ...page("web"), "--field", "title:string");
  await tsop("create", "webhook", ...page("web"), "--defaulting");
  await tsop("manifests");
  const before = filesIn(root);

  await tsop("create", "api", ...page("news"), "--field", "text:string");
  await tsop("create", "webhook", ...page("news"), "--defaulting", "--validation");
  await tsop("create", "webhook", ...page("web"), "--validation");
  await tsop("manifests");
  const files = filesIn(root);
  expect(files).toMatchObject({
    "config/crd/bases/web.example.com_pages.yaml": expect.stringContaining("title:"),
    "config/crd/bases/news.example.com_pages.yaml": expect.stringContaining("text:"),
    "src/api/v1/page.ts": before["src/api/v1/page.ts"],
    "src/api/v1/page-news.ts": expect.stringContaining('group: "news.example.com"'),
  });
  // With a field that only the other one has, a test would not compile.
  expect(files["test/page-validator.test.ts"]).toContain("title:");
  expect(files["test/page-news-validator.test.ts"]).toContain("text:");
  const { rules } = parse(files["config/rbac/role.yaml"] ?? "") as {
    rules: { apiGroups: string[]; resources: string[] }[];
  };
  const groups = rules.filter(({ resources }) => resources.includes("pages"));
  expect(groups.flatMap(({ apiGroups }) => apiGroups).sort()).toEqual([
    "news.example.com",
    "web.example.com",
  ]);
  const names = files["config/webhook/manifests.yaml"]?.match(/(?<=name: )[mv]page\S*\.kb\.io/g);
  expect(names?.sort()).toEqual([
    ...["mpage-news-v1.kb.io", "mpage-v1.kb.io"],
    ...["vpage-news-v1.kb.io", "vpage-v1.kb.io"],
  ]);
  const list = await runCli(root, ["list"]);
  expect(list.out.match(/^Page .*$/gm)).toHaveLength(2);

  await tsop("delete", "webhook", ...page("web"), "--validation");
  await tsop("delete", "api", ...page("news"));
  await tsop("manifests");
  expect(filesIn(root)).toEqual(before);
});
