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
  },
};
