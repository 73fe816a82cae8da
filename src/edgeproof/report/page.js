"use strict";
// The table of all questions: only the rows in sight are in the document, so that their number does not matter.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const HEIGHT = 32, AROUND = 8, MOST_PRINTED = 2000;
  const scroll = document.getElementById("scroll"), form = document.getElementById("filters");
  const matches = document.getElementById("matches"), dialog = document.getElementById("one");
  const status = data.columns.indexOf("status"), whole = new Set(data.whole); // of these, the graph is in question
  let kept = data.rows.map((_, at) => at), sorted = { column: null, down: false }, current = 0;

  const make = (tag, attributes = {}, ...inside) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...inside); // strings become text, never markup
    return element;
  };
  const tell = (value, name) => {
    if (value === null || value === "") return "";
    if (name === "seconds" && value < 5e-6) return "0 ms";
    if (name === "seconds") return value < 1 ? `${(1000 * value).toPrecision(3)} ms` : `${value.toPrecision(4)} s`;
    if (name === "search nodes" || name === "node") return value.toLocaleString("en");
    return String(value);
  };
  const isNumber = (name) => data.numbers.includes(name);

  // widths follow the longest text, so that headings and rows stand under each other
  const widths = data.shown.map((k) => {
    const name = data.columns[k];
    let longest = name.length + 3;
    for (const row of data.rows) longest = Math.max(longest, Math.min(tell(row[k], name).length, 34));
    return `calc(${longest}ch + 1.4rem)`;
  });

  const cell = (role, k, place, inside) => {
    const element = make("div", { role, style: `width:${widths[place]}`, "aria-colindex": place + 1 }, inside);
    if (isNumber(data.columns[k])) element.classList.add("number");
    return element;
  };

  const heads = make("div", { role: "row", class: "row heads", "aria-rowindex": 1 });
  data.shown.forEach((k, place) => {
    const button = make("button", { type: "button" }, data.columns[k]);
    button.addEventListener("click", () => sortBy(k));
    heads.append(cell("columnheader", k, place, button));
  });
  const spacer = make("div", { class: "spacer", role: "presentation" });
  scroll.append(heads, spacer);

  const rank = (value) => {
    if (value === null || value === "") return [2, 0, ""];
    if (typeof value === "number") return [0, value, ""];
    if (value === "all") return [0, Infinity, ""];
    const number = parseFloat(value);
    return Number.isNaN(number) ? [1, 0, value] : [0, number + 0.5, value]; // "3 or more" is more than 3
  };
  const compare = (a, b) => a[0] - b[0] || (a[1] === b[1] ? 0 : a[1] - b[1]) || (a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0);

  function sortBy(k) {
    sorted = { column: k, down: sorted.column === k ? !sorted.down : false };
    [...heads.children].forEach((head, place) => {
      const here = data.shown[place] === k;
      head.setAttribute("aria-sort", here ? (sorted.down ? "descending" : "ascending") : "none");
      head.firstChild.textContent = data.columns[data.shown[place]] + (here ? (sorted.down ? " ▼" : " ▲") : "");
    });
    refresh();
  }

  // the filters: a choice for every column with few values, and words
  const words = make("input", { type: "search", name: "words", placeholder: "node, class, note …" });
  form.append(make("label", {}, "Contains", words));
  const choices = [];
  for (const name of ["network", "graph", "asked", "budget", "local", "flips", "against", "status"]) {
    const k = data.columns.indexOf(name);
    const values = [...new Set(data.rows.map((row) => row[k]))];
    if (values.length < 2 || values.length > 60) continue;
    values.sort((a, b) => compare(rank(a), rank(b)));
    const select = make("select", { name }, make("option", { value: "" }, "any"));
    values.forEach((value, at) => select.append(make("option", { value: at }, tell(value, name) || "none")));
    form.append(make("label", {}, name, select));
    choices.push({ k, select, values });
  }
  form.addEventListener("input", refresh);
  form.addEventListener("submit", (event) => event.preventDefault());

  let texts = null;
  function refresh() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (wanted.length && texts === null)
      texts = data.rows.map((row, at) => [...row, data.flips[at]].filter((x) => x !== null).join(" ").toLowerCase());
    kept = [];
    data.rows.forEach((row, at) => {
      for (const { k, select, values } of choices)
        if (select.value !== "" && row[k] !== values[Number(select.value)]) return;
      if (wanted.some((word) => !texts[at].split(" ").some((part) => part.startsWith(word)))) return;
      kept.push(at);
    });
    if (sorted.column !== null) {
      const ranks = data.rows.map((row) => rank(row[sorted.column]));
      kept.sort((a, b) => (sorted.down ? compare(ranks[b], ranks[a]) : compare(ranks[a], ranks[b])) || a - b);
    }
    current = 0;
    scroll.scrollTop = 0;
    matches.textContent = `${kept.length.toLocaleString("en")} of ${data.rows.length.toLocaleString("en")} questions`;
    render();
  }

  function line(at, index) {
    const row = make("div", {
      role: "row", class: "row line-of-table", id: `row-${index}`, "aria-rowindex": index + 2,
      "aria-selected": index === current, style: `top:${HEIGHT * (index + 1)}px`,
    });
    data.shown.forEach((k, place) => {
      const inside = cell("gridcell", k, place, tell(data.rows[at][k], data.columns[k]));
      if (k === status) inside.classList.add(`s-${data.rows[at][k]}`);
      row.append(inside);
    });
    row.addEventListener("click", () => { current = index; render(); open(at); });
    return row;
  }

  function render(from = null, to = null) {
    const first = from ?? Math.max(Math.floor(scroll.scrollTop / HEIGHT) - AROUND, 0);
    const last = to ?? Math.min(Math.ceil((scroll.scrollTop + scroll.clientHeight) / HEIGHT) + AROUND, kept.length);
    scroll.querySelectorAll(".line-of-table").forEach((old) => old.remove());
    spacer.style.height = `${HEIGHT * kept.length}px`;
    scroll.setAttribute("aria-rowcount", kept.length + 1);
    const rows = document.createDocumentFragment();
    for (let index = first; index < last; index++) rows.append(line(kept[index], index));
    scroll.append(rows);
    scroll.setAttribute("aria-activedescendant", kept.length ? `row-${current}` : "");
  }
  let waiting = false;
  scroll.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; render(); });
  });

  const PAGE = 12;
  scroll.addEventListener("keydown", (event) => {
    if (event.target !== scroll || !kept.length) return;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE, Home: -Infinity, End: Infinity };
    if (event.key === "Enter" || event.key === " ") open(kept[current]);
    else if (event.key in steps) {
      current = Math.min(Math.max(current + steps[event.key], 0), kept.length - 1);
      const top = HEIGHT * current, room = scroll.clientHeight - 2 * HEIGHT;
      if (top < scroll.scrollTop) scroll.scrollTop = top;
      else if (top > scroll.scrollTop + room) scroll.scrollTop = top - room;
      render();
    } else return;
    event.preventDefault();
  });

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }

  async function open(at) {
    const row = data.rows[at], named = (name) => row[data.columns.indexOf(name)];
    const close = make("button", { type: "button" }, "Close");
    close.addEventListener("click", () => dialog.close());
    const what = named("node");
    const which = whole.has(at) ? `graph ${what}` : `node ${what}`;
    const title = make("h2", { id: "one-title" }, `${named("graph") || "graph"}, ${which}: `);
    title.append(make("span", { class: `s-${named("status")}` }, named("status")));
    const picture = make("div", { id: "picture" });
    if (data.picture[at] !== null) {
      // made by Edgeproof, with every name in it escaped
      picture.innerHTML = await unpack(data.pictures[data.picture[at]]);
    } else if (data.flips[at]) picture.append(make("p", {}, `Flips: ${data.flips[at]}. There is no picture of this one.`));
    else if (named("attack") === 0) picture.append(make("p", {}, "The claim fails on the graph as it is."));
    else if (named("status") === "robust") picture.append(make("p", {}, "Proved: no attack within the budget exists."));
    else picture.append(make("p", {}, "No attack is known, so there is nothing to draw."));
    const list = make("dl");
    data.columns.forEach((name, k) => {
      const value = tell(row[k], name);
      if (value !== "") list.append(make("dt", {}, name), make("dd", {}, value));
    });
    dialog.replaceChildren(make("header", {}, title, close), picture, list);
    if (!dialog.open) dialog.showModal();
    picture.querySelector(".ep-target")?.scrollIntoView({ block: "nearest", inline: "center" });
    close.focus();
  }
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => scroll.focus());

  // on paper there is no scrolling
  window.addEventListener("beforeprint", () => {
    render(0, Math.min(kept.length, MOST_PRINTED));
    if (kept.length > MOST_PRINTED) matches.textContent += `; the first ${MOST_PRINTED.toLocaleString("en")} are printed`;
  });
  window.addEventListener("afterprint", refresh);
  window.addEventListener("resize", () => render());
  refresh();
})();
