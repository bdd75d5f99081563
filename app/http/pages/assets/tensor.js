// A tensor as coloured grids: what is reduced together has one colour, before and after.

/** The elements of JSON text as they are written: an integer beyond 2^53 keeps its digits. */
export function read(text) {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?(?:\d[\d.eE+-]*|Infinity)|NaN/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
  return JSON.parse(quoted);
}

export function shapeOf(nested) {
  const shape = [];
  for (let level = nested; Array.isArray(level); level = level[0]) shape.push(level.length);
  return shape;
}

/** For each element in row-major order, the number of the set it is reduced in. */
export function setsOf(shape, axes) {
  const count = shape.reduce((product, size) => product * size, 1);
  return Array.from({ length: count }, (_, position) => {
    let set = 0;
    let width = 1;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const index = position % shape[axis];
      position = Math.floor(position / shape[axis]);
      if (!axes.includes(axis)) {
        set += index * width;
        width *= shape[axis];
      }
    }
    return set;
  });
}

/** A figure: the axes by name, and one grid for each pair of the last two. */
export function figure(title, nested, axes, sets) {
  const shape = shapeOf(nested);
  const found = element("figure");
  found.append(element("figcaption", `${title}, shape [${shape.join(", ")}]`));
  shape.forEach((size, axis) => {
    const reduced = axes.includes(axis);
    found.append(element("span", `axis ${axis}: ${size}${reduced ? ", reduced" : ""}`, reduced ? "axis reduced" : "axis"));
  });
  const values = [nested].flat(Infinity);
  const [rows, columns] = [1, 1, ...shape].slice(-2);
  const total = Math.max(...sets, 0) + 1;
  for (let start = 0; start < values.length; start += rows * columns) {
    found.append(grid(shape, axes, rows, columns, (place) => [values[start + place], sets[start + place] / total]));
  }
  return found;
}

function grid(shape, axes, rows, columns, cell) {
  const table = element("table", "", "grid");
  const marks = (axis) => (axes.includes(axis) ? "reduced" : "");
  if (shape.length > 0) {
    const head = element("tr");
    if (shape.length > 1) head.append(element("td", "", "corner"));
    for (let column = 0; column < columns; column++) head.append(element("th", `${column}`, marks(shape.length - 1)));
    table.append(head);
  }
  for (let row = 0; row < rows; row++) {
    const line = element("tr");
    if (shape.length > 1) line.append(element("th", `${row}`, marks(shape.length - 2)));
    for (let column = 0; column < columns; column++) {
      const [value, turn] = cell(row * columns + column);
      const found = element("td", String(value));
      found.style.setProperty("--hue", Math.round(turn * 330 + 190) % 360);
      line.append(found);
    }
    table.append(line);
  }
  return table;
}

export function element(name, text = "", className = "") {
  const found = document.createElement(name);
  if (text) found.textContent = text;
  if (className) found.className = className;
  return found;
}
