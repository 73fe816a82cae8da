// One row a node, a column a budget. Only the rows in sight are in the document, so that their number does not matter.
const HEIGHT = 32, AROUND = 8, MOST_PRINTED = 2000, PAGE = 12, MOST_BUDGETS = 12;
const scroll = byId("scroll"), form = byId("filters"), matches = byId("matches");

const budgets = [...new Set(rows.flatMap((row) => row.answers.filter((one) => one.kind === "verdict").map((one) => one.budget)))]
  .sort((a, b) => (a ?? Infinity) - (b ?? Infinity));
const answerAt = (row, budget) => row.answers.find((one) => one.kind === "verdict" && one.budget === budget);
const tellAnswer = (one) =>
  !one ? "" : one.status === "vulnerable" ? `${one.flips} flip${one.flips === 1 ? "" : "s"}` : one.status;
const distinct = (get) => new Set(rows.map(get)).size > 1;

// name, what a row says there, and what it is sorted by
const columns = [
  data.sweeps && { name: "sweep", text: (row) => data.settings[row.setting]?.sweep ?? "" },
  distinct((row) => data.settings[row.setting]?.title) && { name: "network", text: (row) => data.settings[row.setting]?.title ?? "" },
  distinct(dataset) && { name: "graph", text: dataset },
  { name: data.things === "graphs" ? "number" : "node", number: true, link: true, text: (row) => count(row.number), rank: (row) => row.number },
  distinct((row) => data.settings[row.setting]?.terms) && { name: "threat", text: (row) => data.settings[row.setting]?.terms ?? "" },
  { name: "class", text: (row) => row.label ?? "" },
  rows.some((row) => row.truth !== null) && { name: "true class", text: (row) => row.truth ?? "" },
  { name: "survives", number: true, text: survives, rank: (row) => (lower(row) === Infinity ? Infinity : Math.min(lower(row), upper(row)) + (upper(row) === Infinity ? 0.5 : 0)) },
  ...budgets.slice(0, MOST_BUDGETS).map((budget) => ({
    name: budget === null ? "any budget" : `budget ${budget}`, text: (row) => tellAnswer(answerAt(row, budget)),
    kind: (row) => answerAt(row, budget)?.status, rank: (row) => answerAt(row, budget)?.flips ?? tellAnswer(answerAt(row, budget)),
  })),
  { name: "attack", number: true, text: (row) => smallest(row)?.flips ?? "", rank: (row) => smallest(row)?.flips ?? Infinity },
  { name: "becomes", text: (row) => smallest(row)?.rival ?? "" },
  { name: "time", number: true, text: (row) => tellSeconds(seconds(row)), rank: seconds },
].filter(Boolean);

let kept = rows.map((_, at) => at), sorted = { column: null, down: false }, current = 0, wantedPair = null;

// widths follow the longest text, so that headings and rows stand under each other
const widths = columns.map((column) => {
  let longest = column.name.length + 3;
  for (const row of rows) longest = Math.max(longest, Math.min(String(column.text(row)).length, 34));
  return `calc(${longest}ch + 1.4rem)`;
});
const cell = (role, place, inside) => {
  const element = make("div", { role, style: `width:${widths[place]}`, "aria-colindex": place + 1 }, inside);
  if (columns[place].number) element.classList.add("number");
  return element;
};

const heads = make("div", { role: "row", class: "row heads", "aria-rowindex": 1 });
columns.forEach((column, place) => {
  const button = make("button", { type: "button" }, column.name);
  button.addEventListener("click", () => sortBy(place));
  heads.append(cell("columnheader", place, button));
});
const spacer = make("div", { class: "spacer", role: "presentation" });
scroll.append(heads, spacer);

function sortBy(place) {
  sorted = { column: place, down: sorted.column === place ? !sorted.down : false };
  [...heads.children].forEach((head, at) => {
    const here = at === place;
    head.setAttribute("aria-sort", here ? (sorted.down ? "descending" : "ascending") : "none");
    head.firstChild.textContent = columns[at].name + (here ? (sorted.down ? " ▼" : " ▲") : "");
  });
  refresh();
}
const rank = (value) => (typeof value === "number" ? [0, value, ""] : [value === "" ? 2 : 1, 0, value]);
const compare = (a, b) => a[0] - b[0] || (a[1] === b[1] ? 0 : a[1] - b[1]) || (a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0);

// the filters: a node's number, a pair or words; the verdict at the budget on top; a class; a question
const words = make("input", { type: "search", name: "words", placeholder: "17, 8-33, class …" });
form.append(make("label", {}, "Find", words));
const choices = [];
function choice(name, values, told, keeps) {
  if (values.length < 2 || values.length > 60) return;
  const select = make("select", { name }, make("option", { value: "" }, "any"));
  values.forEach((value, at) => select.append(make("option", { value: at }, told(value))));
  const label = make("label", {}, make("span", {}, name), select);
  form.append(label);
  choices.push({ select, values, keeps, label });
}
choice("verdict", ["proved", "broken", "undecided", "error", "right and proved"], String, (row, value) =>
  value === "right and proved" ? row.right && stateAt(row, level().budget) === "proved" : stateAt(row, level().budget) === value);
choice("question", data.settings.map((_, at) => at), (at) => `${data.settings[at].title}: ${data.settings[at].terms}`, (row, at) => row.setting === at);
choice("class", [...new Set(rows.map((row) => row.label))].filter((one) => one !== null).sort(), String, (row, value) => row.label === value);
choice("prediction", rows.some((row) => row.right !== null) ? ["right", "wrong"] : [], String, (row, value) => row.right === (value === "right" ? 1 : 0));
form.addEventListener("input", refresh);
form.addEventListener("submit", (event) => { event.preventDefault(); if (kept.length) openRow(kept[0]); });

let texts = null;
const isPair = (word) => /^\d+[-→]\d+$/.test(word);
function holds(row, at, word) {
  if (/^\d+$/.test(word)) return String(row.number) === word;
  if (isPair(word)) return row.answers.some((one) => one.pairs.replaceAll("→", "-").split(" ").includes(word.replace("→", "-")));
  texts ??= rows.map((one) => [one.graph, one.label, one.truth, ...one.answers.flatMap((x) => [x.status, x.rival, x.note])]
    .filter(Boolean).join(" ").toLowerCase());
  return texts[at].split(" ").some((part) => part.startsWith(word));
}

function refresh() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  kept = [];
  rows.forEach((row, at) => {
    for (const { select, values, keeps } of choices)
      if (select.value !== "" && !keeps(row, values[Number(select.value)])) return;
    if (wanted.every((word) => holds(row, at, word))) kept.push(at);
  });
  if (sorted.column !== null) {
    const { text, rank: by } = columns[sorted.column];
    const ranks = rows.map((row) => rank((by ?? text)(row)));
    kept.sort((a, b) => (sorted.down ? compare(ranks[b], ranks[a]) : compare(ranks[a], ranks[b])) || a - b);
  }
  current = 0;
  scroll.scrollTop = 0;
  matches.textContent = `${count(kept.length)} of ${count(rows.length)} rows`;
  render();
}

function line(at, index) {
  const row = make("div", {
    role: "row", class: "row line-of-table", id: `row-${index}`, "aria-rowindex": index + 2,
    "aria-selected": index === current, style: `top:${HEIGHT * (index + 1)}px`,
  });
  columns.forEach((column, place) => {
    const text = String(column.text(rows[at]));
    const inside = cell("gridcell", place, column.link ? make("a", { href: address(rows[at]), tabindex: -1 }, text) : text);
    const kind = column.kind?.(rows[at]);
    if (kind) inside.classList.add(`s-${kind}`);
    if (data.settings[rows[at].setting]?.levels[chosen.at]?.budget === budgets.find((one) => column.name === `budget ${one}`)) inside.classList.add("now");
    row.append(inside);
  });
  row.addEventListener("click", (event) => {
    event.preventDefault();
    current = index;
    render();
    openRow(at);
  });
  return row;
}

function render(from = null, to = null) {
  const first = from ?? Math.max(Math.floor(scroll.scrollTop / HEIGHT) - AROUND, 0);
  const last = to ?? Math.min(Math.ceil((scroll.scrollTop + scroll.clientHeight) / HEIGHT) + AROUND, kept.length);
  scroll.querySelectorAll(".line-of-table").forEach((old) => old.remove());
  spacer.style.height = `${HEIGHT * kept.length}px`;
  scroll.setAttribute("aria-rowcount", kept.length + 1);
  const lines = document.createDocumentFragment();
  for (let index = first; index < last; index++) lines.append(line(kept[index], index));
  scroll.append(lines);
  scroll.setAttribute("aria-activedescendant", kept.length ? `row-${current}` : "");
}
let waiting = false;
scroll.addEventListener("scroll", () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; render(); });
});

function goTo(index) {
  current = Math.min(Math.max(index, 0), kept.length - 1);
  const top = HEIGHT * current, room = scroll.clientHeight - 2 * HEIGHT;
  if (top < scroll.scrollTop) scroll.scrollTop = top;
  else if (top > scroll.scrollTop + room) scroll.scrollTop = top - room;
  render();
}
scroll.addEventListener("keydown", (event) => {
  if (event.target !== scroll || !kept.length) return;
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE, Home: -Infinity, End: Infinity };
  if (event.key === "Enter" || event.key === " ") openRow(kept[current]);
  else if (event.key in steps) goTo(current + steps[event.key]);
  else return;
  event.preventDefault();
});

byId("csv").addEventListener("click", () => {
  const head = ["network", "graph", data.things === "graphs" ? "number" : "node", "threat", "class", "true class", "lower", "upper",
    ...budgets.map((budget) => (budget === null ? "any budget" : `budget ${budget}`)), "attack", "flips", "becomes", "seconds"];
  download("edgeproof.csv", [head, ...kept.map((at) => {
    const row = rows[at], attack = smallest(row), { title = "", terms = "" } = data.settings[row.setting] ?? {};
    return [title, row.graph, row.number, terms, row.label, row.truth, row.lower ?? "inf", row.upper ?? "inf",
      ...budgets.map((budget) => answerAt(row, budget)?.status), attack?.pairs, attack?.flips, attack?.rival, seconds(row)];
  })]);
});

// on paper there is no scrolling
window.addEventListener("beforeprint", () => {
  render(0, Math.min(kept.length, MOST_PRINTED));
  if (kept.length > MOST_PRINTED) matches.textContent += `; the first ${count(MOST_PRINTED)} are printed`;
});
window.addEventListener("afterprint", refresh);
window.addEventListener("resize", () => render());
onLevel(() => {
  for (const { select } of choices) if (select.name === "verdict" && select.value !== "") { refresh(); return; }
  render();
});
