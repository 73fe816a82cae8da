// What the page holds, as objects; and how it is told.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const named = (names, values) => Object.fromEntries(names.map((name, at) => [name, values[at]]));
const rows = data.rows.map((values) => {
  const row = named(data.fields, values);
  row.answers = row.answers.map((one) => named(data.answer, one));
  return row;
});
for (const setting of data.settings)
  setting.levels = setting.levels.map(([budget, proved, broken, undecided, right]) =>
    ({ budget, proved, broken, undecided, right }));

const make = (tag, attributes = {}, ...inside) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside); // strings become text, never markup
  return element;
};
const count = (number) => number.toLocaleString("en");
const tellShare = (part, whole) =>
  !whole ? "" : part > 0 && part < 0.001 * whole ? "under 0.1%" : `${((100 * part) / whole).toFixed(1)}%`;
const tellSeconds = (value) =>
  value === null ? "" : value < 5e-6 ? "0 ms" : value < 1 ? `${(1000 * value).toPrecision(3)} ms` : `${value.toPrecision(4)} s`;
const tellBudget = (budget, noun) => (budget === null ? `any number of ${noun}s` : `${count(budget)} ${noun}${budget === 1 ? "" : "s"}`);
const dataset = (row) => row.graph.replace(/\[\d+\]$/, ""); // without the number, which has a column of its own
const tellSubject = (row) => `${row.whole ? "graph" : "node"} ${row.number}`;

// what is known of a row under so many flips; an attack counts over a bound that contradicts it
const upper = (row) => (row.upper === null ? Infinity : row.upper);
const lower = (row) => (row.lower === null ? Infinity : row.lower);
const stateAt = (row, budget) => {
  const most = budget === null ? Infinity : budget;
  if (upper(row) < most) return "broken";
  if (lower(row) >= most) return "proved";
  return row.answers.every((one) => one.status === "error") ? "error" : "undecided";
};
const COLOUR = { proved: "robust", broken: "vulnerable", undecided: "unknown", error: "error" };
const survives = (row) => {
  if (lower(row) === Infinity) return "all";
  if (upper(row) === Infinity) return `${row.lower} or more`;
  return row.lower >= row.upper ? String(row.upper) : `${row.lower} to ${row.upper}`;
};
const smallest = (row) => row.answers.filter((one) => one.flips !== null).sort((a, b) => a.flips - b.flips)[0] ?? null;
const seconds = (row) => row.answers.reduce((sum, one) => sum + (one.seconds ?? 0), 0);

const several = data.settings.length > 1;
const address = (row) => `#${row.whole ? "graph" : "node"}=${row.number}${several ? `&question=${row.setting}` : ""}`;

function download(name, lines) {
  const quote = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const text = lines.map((line) => line.map(quote).join(",")).join("\n") + "\n";
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
  link.click();
}
