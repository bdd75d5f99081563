// What stands in the form: the JSON text of a request, or what is wrong with it.

const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** Whether a text is JSON as the service reads it, with NaN and infinities bare. What was read is thrown away: it has
 * long integers rounded. */
function isJson(text) {
  const strict = text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (token) => (token.startsWith('"') ? token : "null"));
  try {
    JSON.parse(strict);
    return true;
  } catch {
    return false;
  }
}

/** The integers of a list, brackets around it or not. */
export function listed(text) {
  return text.split(/[\s,[\]]+/).filter(Boolean);
}

/** The fields that can be mistyped: when they are right, and what is said when they are not. */
const RULES = {
  values: [isJson, "Values must be a JSON list such as [1, 2, 3] or [[1, 2], [3, 4]]."],
  axes: [(text) => listed(text).every((axis) => INTEGER.test(axis)), "Axes must be integers such as 0, 1."],
  axis: [(text) => text.trim() === "" || INTEGER.test(text.trim()), "Axis must be an integer such as 1."],
};

/** Marks the fields that cannot be sent; the first of them with what is said of it, or undefined. The service would
 * tell a column of a body that nobody sees. */
export function mistake(form) {
  const found = [];
  for (const [name, [holds, words]] of Object.entries(RULES)) {
    const field = form.elements[name];
    if (!field) continue;
    const wrong = !holds(field.value);
    field.setAttribute("aria-invalid", wrong);
    if (wrong) found.push({ field, words });
  }
  return found[0];
}

/** The request as JSON text; values go as they were typed. */
export function request(form) {
  const { dtype, values, axes, axis } = form.elements;
  const parts = [`"data": {"dtype": "${dtype.value}", "values": ${values.value.trim()}}`];
  if (axis?.value.trim()) parts.push(`"axis": ${axis.value.trim()}`);
  if (axes && listed(axes.value).length) parts.push(`"axes": [${listed(axes.value).join(", ")}]`);
  for (const flag of form.querySelectorAll("input[type=checkbox]")) {
    if (flag.checked || flag.name === "keepdims") parts.push(`"${flag.name}": ${flag.checked ? 1 : 0}`);
  }
  return `{${parts.join(", ")}}`;
}
