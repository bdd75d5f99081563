// @hey-api/openapi-ts: one class per operator, fetch.
export default {
  input: "./openapi/openapi.json",
  output: { path: "build/clients/typescript-classes", module: { extension: ".js" } },
  plugins: [
    "@hey-api/client-fetch",
    "@hey-api/typescript",
    { name: "@hey-api/sdk", operations: { strategy: "byTags" } },
  ],
};
