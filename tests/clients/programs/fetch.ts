// Calls the service through openapi-fetch with the types that openapi-typescript makes.
import createClient from "openapi-fetch";
import type { paths } from "../typescript/schema.js";

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });
const answers: Record<string, unknown> = {};

function keep(name: string, { data }: { data?: { reduced: unknown } }): void {
  answers[name] = data?.reduced;
}

const rows = { dtype: "int8" as const, values: [[3, 1, 2], [9, 7, -8]] };
keep("reduce_min", await client.POST("/v12/reduce_min", { body: { data: rows, axes: [1], keepdims: 0 } }));

const terms = { dtype: "float32" as const, values: [[1e8, 1, -1e8], [0.5, 0.25, 0.125]] };
keep("reduce_sum", await client.POST("/v11/reduce_sum", { body: { data: terms, axes: [-1] } }));

const found = { dtype: "float64" as const, values: [[2, 1, 1], [0, 5, 0]] };
const last = { data: found, axis: 1, keepdims: 0, select_last_index: 1 };
keep("arg_min", await client.POST("/v12/arg_min", { body: last }));

const { error } = await client.POST("/v12/reduce_min", { body: { data: rows, axes: [3] } });
answers["error"] = error satisfies { type: string; status: number; place?: string } | undefined;

const unordered = { dtype: "float32" as const, values: [1, "NaN", "-Infinity"] };
keep("nan", await client.POST("/v13/reduce_max", { body: { data: unordered } }));

const wide = { dtype: "int64" as const, values: ["9007199254740993", 7] };
keep("int64 as text", await client.POST("/v20/reduce_max", { body: { data: wide, answer: { integers: "string" } } }));

const packed = { dtype: "float32" as const, shape: [2, 3], base64: "AABAQAAAgD8AAABAAAAQQQAA4EAAAABB" };
keep("base64", await client.POST("/v13/reduce_mean", { body: { data: packed, axes: [0], keepdims: 0 } }));

const scalar = { dtype: "float32" as const, shape: [], values: 2.5 };
keep("scalar", await client.POST("/v13/reduce_sum", { body: { data: scalar } }));
const empty = { dtype: "float32" as const, shape: [0, 3], values: [] };
keep("empty", await client.POST("/v13/reduce_sum", { body: { data: empty, axes: [0] } }));

console.log(JSON.stringify(answers));
