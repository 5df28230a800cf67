// `npm run site`: the pages of docs/, with a search of their own, for a browser without a network.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { slugOf } from "../../scripts/make/site/anchors.ts";
import { placeOf, sideList, siteLink, sitePages } from "../../scripts/make/site/pages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const pages = sitePages(root);

/** Links of the repository lead to pages of the site; a link to another file is its text. */
function linksOfTheSite(markdown) {
  markdown.core.ruler.push("links-of-the-site", ({ tokens, env }) => {
    const page = env.path.slice(root.length + 1);
    for (const { children } of tokens) {
      const dropped = [];
      for (const token of children ?? []) {
        if (token.type === "link_open") {
          const link = siteLink(root, page, token.attrGet("href"));
          dropped.push(link === undefined);
          if (link === undefined) token.hidden = true;
          else token.attrSet("href", link);
        } else if (token.type === "link_close") {
          token.hidden = dropped.pop();
        }
      }
    }
  });
  for (const rule of ["link_open", "link_close"]) {
    const render = markdown.renderer.rules[rule];
    markdown.renderer.rules[rule] = (tokens, index, options, env, self) => {
      if (tokens[index].hidden) return "";
      return (
        render?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options)
      );
    };
  }
}

/** What is searched needs no colored code, which is half of the build's time. */
function withoutColors(source, env, markdown) {
  const { highlight } = markdown.options;
  markdown.options.highlight = null;
  try {
    return markdown.render(source, env);
  } finally {
    markdown.options.highlight = highlight;
  }
}

function excluded() {
  const beside = readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => name !== "docs" && name !== "examples")
    .map((entry) => (entry.isDirectory() ? `${entry.name}/**` : entry.name));
  return [...beside, "examples/*/!(README).md", "examples/*/*/**"].filter(
    (name) => !pages.includes(name),
  );
}

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3451b2"/><path d="M7 10h18M16 10v15" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>',
)}`;

export default {
  title: "tsop",
  description: "Kubernetes operators in TypeScript, with the control plane in the box",
  // Browsers ask for /favicon.ico otherwise, which is not there.
  head: [["link", { rel: "icon", href: ICON }]],
  srcDir: "..",
  // Nothing but the pages: the folders of builds and tests have Markdown, too.
  srcExclude: excluded(),
  outDir: "../.cache/site",
  cacheDir: "../.cache/vitepress",
  rewrites: Object.fromEntries(pages.map((page) => [page, placeOf(page)])),
  markdown: {
    anchor: { slugify: slugOf },
    config: linksOfTheSite,
  },
  themeConfig: {
    nav: [
      { text: "Guides", link: "/docs/" },
      { text: "Commands", link: "/docs/cli" },
      { text: "Markers", link: "/docs/markers" },
    ],
    sidebar: sideList(root),
    outline: [2, 3],
    search: { provider: "local", options: { _render: withoutColors } },
  },
};
