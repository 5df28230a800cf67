/** Lint rules of this project that look at syntax alone. */
export default {
  meta: { name: "house" },
  rules: {
    "no-export-all": {
      meta: { type: "problem", schema: [], messages: { named: "Name the exports." } },
      create: (context) => ({
        ExportAllDeclaration: (node) => context.report({ node, messageId: "named" }),
      }),
    },
    // A path in a project's `.tsop` is what a cloned repository wrote, unless `OwnState` knows better.
    "project-folder": {
      meta: {
        type: "problem",
        schema: [],
        messages: {
          path: "Take the path from src/project-folder.ts or src/cli/project/tsop-folder.ts, and what is believed from OwnState.",
        },
      },
      create: (context) => {
        const look = (node, text) => {
          if (/^\.tsop(?:\/|$)/.test(text)) context.report({ node, messageId: "path" });
        };
        return {
          Literal: (node) => typeof node.value === "string" && look(node, node.value),
          TemplateElement: (node) => look(node, node.value.cooked ?? ""),
        };
      },
    },
  },
};
