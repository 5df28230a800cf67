import js from "@eslint/js";
import tseslint from "typescript-eslint";
import { tables } from "./scripts/lint/tables.mjs";

/** Time and randomness have one door: `clock.ts`. A seeded simulation is impossible otherwise. */
const TIME = ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval"].map(
  (name) => ({ name, message: "Take a Clock (src/clock.ts) and use its timers." }),
);

const clockOnly = {
  "no-restricted-globals": ["error", ...TIME],
  "no-restricted-properties": [
    "error",
    { object: "Date", property: "now", message: "Use clock.now()." },
    { object: "Math", property: "random", message: "Use clock.random()." },
    { object: "performance", property: "now", message: "Use clock.monotonicMs()." },
    { object: "AbortSignal", property: "timeout", message: "Use timeoutSignal(clock, ms)." },
    { object: "process", property: "exit", message: "Throw; only bin/ ends the process." },
  ],
  "no-restricted-imports": [
    "error",
    {
      paths: [
        { name: "node:timers/promises", message: "Use clock.sleep()." },
        { name: "node:timers", message: "Use the clock's timers." },
      ],
    },
  ],
};

export default tseslint.config(
  {
    ignores: [
      "dist/",
      "api/",
      ".cache/",
      ".tsop/",
      "templates/",
      "src/generated/",
      "examples/",
      "bench/cronjob/",
      "test/**/fixtures/",
      "coverage/",
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["*.js", "*.ts", "*.cjs"] },
        // The example has a configuration of its own.
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "no-console": "error",
      "no-restricted-syntax": [
        "error",
        { selector: "ExportAllDeclaration", message: "Name what is exported." },
        { selector: "ExportDefaultDeclaration", message: "Use a named export." },
      ],
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // An entity class of a user is read, never instantiated; markers hang on it.
      "@typescript-eslint/no-extraneous-class": "off",
      "@typescript-eslint/no-dynamic-delete": "off",
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" },
      ],
      "@typescript-eslint/unified-signatures": "off",
      "@typescript-eslint/no-invalid-void-type": ["error", { allowInGenericTypeArguments: true }],
    },
  },
  { files: ["src/**/*.{ts,tsx}"], ignores: ["src/clock.ts"], rules: clockOnly },
  {
    files: ["src/**/*.{ts,tsx}"],
    ignores: ["src/generated/**"],
    plugins: { tables },
    rules: {
      "@typescript-eslint/max-params": ["error", { max: 5 }],
      "max-lines": ["error", 400],
      "tables/asked-for-text": "error",
    },
  },
  {
    files: ["src/cli/**", "scripts/**", "bench/**", "bin/**", "test/**"],
    rules: { "no-console": "off" },
  },
  {
    files: ["*.js", "*.ts", "*.cjs", "bin/**", "scripts/**/*.mjs", "docs/.vitepress/**"],
    rules: {
      "no-restricted-syntax": "off",
      "@typescript-eslint/explicit-module-boundary-types": "off",
    },
  },
  { files: ["**/*.js", "**/*.mjs", "**/*.cjs"], ...tseslint.configs.disableTypeChecked },
  {
    files: ["**/*.js", "**/*.mjs", "**/*.cjs"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        module: "readonly",
        Buffer: "readonly",
        fetch: "readonly",
        setTimeout: "readonly",
        performance: "readonly",
      },
    },
  },
  {
    files: ["bin/**"],
    languageOptions: { sourceType: "commonjs", globals: { require: "readonly" } },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  {
    files: ["test/**"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
  {
    // They are written as their readers write: objects of a kind are plain ones.
    files: ["test/docs/guides/**"],
    rules: { "@typescript-eslint/no-unsafe-class-instance-assignment": "off" },
  },
);
