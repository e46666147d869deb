// SPDX-License-Identifier: Apache-2.0
// What ESLint checks; Prettier formats.
import js from "@eslint/js";
import globals from "globals";

const unused = {
    args: "after-used",
    argsIgnorePattern: "^_",
    caughtErrors: "none",
    ignoreRestSiblings: true,
};

export default [
    js.configs.recommended,
    {
        rules: {
            "no-unused-vars": ["error", unused],
            "no-var": "error",
            "prefer-const": "error",
            eqeqeq: "error",
            "no-control-regex": "off", // texts of others are cleaned of these
            "no-implicit-globals": "error",
            "no-throw-literal": "error",
        },
    },
    { files: ["static/**/*.js"], languageOptions: { globals: globals.browser } },
    { files: ["**/*.mjs"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
];
