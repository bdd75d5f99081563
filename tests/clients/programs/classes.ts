// Calls the service through the classes that @hey-api/openapi-ts makes.
import { client } from "../typescript-classes/client.gen.js";
import type { Problem } from "../typescript-classes/index.js";
import { ArgMin, ReduceMax, ReduceMean, ReduceMin, ReduceSum } from "../typescript-classes/index.js";

client.setConfig({ baseUrl: process.argv[2] ?? "" });
const answers: Record<string, unknown> = {};

function keep(name: string, { data }: { data: { reduced: unknown } | undefined }): void {
  answers[name] = data?.reduced;
}

const rows = { dtype: "int8" as const, values: [[3, 1, 2], [9, 7, -8]] };
keep("reduce_min", await ReduceMin.reduceMinV12({ body: { data: rows, axes: [1], keepdims: 0 } }));

const terms = { dtype: "float32" as const, values: [[1e8, 1, -1e8], [0.5, 0.25, 0.125]] };
keep("reduce_sum", await ReduceSum.reduceSumV11({ body: { data: terms, axes: [-1] } }));

const found = { dtype: "float64" as const, values: [[2, 1, 1], [0, 5, 0]] };
keep("arg_min", await ArgMin.argMinV12({ body: { data: found, axis: 1, keepdims: 0, select_last_index: 1 } }));

const refused = await ReduceMin.reduceMinV12({ body: { data: rows, axes: [3] } });
const problem: Problem | undefined = refused.error;
answers["error"] = problem;

const unordered = { dtype: "float32" as const, values: [1, "NaN", "-Infinity"] };
keep("nan", await ReduceMax.reduceMaxV13({ body: { data: unordered } }));

const wide = { dtype: "int64" as const, values: ["9007199254740993", 7] };
keep("int64 as text", await ReduceMax.reduceMaxV20({ body: { data: wide, answer: { integers: "string" } } }));

const packed = { dtype: "float32" as const, shape: [2, 3], base64: "AABAQAAAgD8AAABAAAAQQQAA4EAAAABB" };
keep("base64", await ReduceMean.reduceMeanV13({ body: { data: packed, axes: [0], keepdims: 0 } }));

const scalar = { dtype: "float32" as const, shape: [], values: 2.5 };
keep("scalar", await ReduceSum.reduceSumV13({ body: { data: scalar } }));
const empty = { dtype: "float32" as const, shape: [0, 3], values: [] };
keep("empty", await ReduceSum.reduceSumV13({ body: { data: empty, axes: [0] } }));

console.log(JSON.stringify(answers));
