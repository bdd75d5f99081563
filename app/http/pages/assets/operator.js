// The form of an operator page: runs the operator where the page came from, and keeps the calls in step with it.
import { listed, mistake, request } from "./fields.js";
import { element, figure, read, setsOf, shapeOf } from "./tensor.js";

const MOST = 600; // elements that are drawn
const KEPT = "keepdims key"; // where a key that was known stays for as long as its tab does

const form = document.getElementById("try");
const outcome = document.getElementById("outcome");
const key = form.elements.key; // of a service that has keys
const answer = document.getElementById("answer");
const calls = [...document.querySelectorAll("pre[data-template]")];
const url = new URL(`..${form.dataset.path}`, location.href).href;

/** The axes that are reduced, none of them negative. */
function reducedAxes(rank) {
  const wrap = (axis) => (Number(axis) + rank) % Math.max(rank, 1);
  if (form.elements.axis) return [wrap(form.elements.axis.value || 0)];
  const axes = listed(form.elements.axes.value).map(wrap);
  if (axes.length) return axes;
  return form.elements.noop_with_empty_axes?.checked ? [] : [...Array(rank).keys()];
}

/** A call that cannot be sent is not shown. */
function fillCalls() {
  if (mistake(form)) return;
  const body = request(form).replace(/\s+/g, " ").replaceAll("'", "\\u0027"); // it stands between single quotes, on one line
  for (const call of calls) {
    call.textContent = call.dataset.template.replace("{url}", () => url).replace("{body}", () => body);
  }
}

function draw(text) {
  const given = read(form.elements.values.value);
  const reduced = read(text).reduced.values;
  const shape = shapeOf(given);
  const axes = reducedAxes(shape.length);
  const sets = setsOf(shape, axes);
  if (sets.length > MOST) return [element("p", `The answer is below; ${MOST} elements at most are drawn.`)];
  const kept = shapeOf(reduced);
  const tensors = element("div", "", "tensors");
  const singles = kept.length === shape.length ? axes : [];
  tensors.append(figure("data", given, axes, sets));
  tensors.append(figure("reduced", reduced, singles, setsOf(kept, [])));
  return [tensors];
}

async function run(event) {
  event.preventDefault();
  const wrong = mistake(form);
  if (wrong) {
    outcome.replaceChildren(element("p", wrong.words, "problem"));
    wrong.field.focus();
    return;
  }
  fillCalls();
  const button = form.querySelector("button");
  button.disabled = true;
  const headers = { "Content-Type": "application/json" };
  if (key?.value) headers.Authorization = `Bearer ${key.value}`;
  try {
    const response = await fetch(url, { method: "POST", headers, body: request(form) });
    const text = await response.text();
    answer.textContent = text;
    if (response.ok) {
      if (key) sessionStorage.setItem(KEPT, key.value);
      outcome.replaceChildren(...draw(text));
    } else {
      const problem = JSON.parse(text);
      const words = element("p", `${problem.title}: ${problem.detail}${problem.place ? ` (${problem.place})` : ""}`, "problem");
      outcome.replaceChildren(words);
    }
  } catch (error) {
    outcome.replaceChildren(element("p", `Nothing came back: ${error.message}`, "problem"));
  } finally {
    button.disabled = false;
  }
}

for (const call of calls) {
  const button = element("button", "Copy");
  button.type = "button";
  button.setAttribute("aria-label", `Copy the call in ${call.parentElement.querySelector("figcaption").textContent}`);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(call.textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  call.parentElement.append(button);
}

form.hidden = false;
form.addEventListener("submit", run);
form.addEventListener("input", fillCalls);
fillCalls();
if (key) key.value = sessionStorage.getItem(KEPT) ?? "";
if (!key || key.value) form.requestSubmit();
