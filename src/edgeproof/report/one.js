// One node: its verdicts, its attacks drawn, and its address, #node=17.
const dialog = byId("one");
let shownRow = null;

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}
const tellQuestion = (one) =>
  one.kind === "radius" ? (one.budget === null ? "radius" : `radius up to ${one.budget}`) : one.budget === null ? "any budget" : `budget ${one.budget}`;

function openRow(at) { // through the address, so that "back" and a copied link do what one expects
  if (location.hash !== address(rows[at])) history.pushState(null, "", address(rows[at]));
  show(rows[at]);
}

function follow() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("pair")) {
    words.value = asked.get("pair");
    refresh();
    byId("all").scrollIntoView();
    return;
  }
  const whole = asked.has("graph") ? 1 : 0, text = asked.get(whole ? "graph" : "node");
  if (text === null) { if (dialog.open) dialog.close(); return; }
  const same = rows.filter((row) => row.whole === whole && String(row.number) === text);
  const row = same.find((one) => String(one.setting) === asked.get("question")) ?? same[0];
  if (row) show(row, asked.has("budget") ? Number(asked.get("budget")) : null);
}

function stepTo(by) {
  const place = kept.indexOf(rows.indexOf(shownRow)) + by;
  if (place < 0 || place >= kept.length) return;
  goTo(place);
  openRow(kept[place]);
}

function show(row, budget = null) {
  shownRow = row;
  const place = kept.indexOf(rows.indexOf(row));
  const step = (name, by, key) => {
    const button = make("button", { type: "button", id: key, "aria-label": `${name} row` }, by < 0 ? "◀" : "▶");
    button.disabled = place < 0 || place + by < 0 || place + by >= kept.length;
    button.addEventListener("click", () => stepTo(by));
    return button;
  };
  const close = make("button", { type: "button" }, "Close");
  close.addEventListener("click", () => dialog.close());
  const sweep = data.settings[row.setting]?.sweep;
  const title = make("h2", { id: "one-title" }, `${dataset(row) || "graph"}, ${tellSubject(row)}${sweep ? ` (${sweep})` : ""}`);
  const tabs = make("div", { id: "tabs", role: "tablist" });
  const picture = make("div", { id: "picture" }), list = make("dl");
  const choose = async (one) => {
    for (const tab of tabs.children) tab.setAttribute("aria-selected", tab === tabs.children[row.answers.indexOf(one)]);
    await draw(picture, one);
    list.replaceChildren(...facts(row, one).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  };
  for (const one of row.answers) {
    const tab = make("button", { type: "button", role: "tab" }, `${tellQuestion(one)}: `, make("span", { class: `s-${one.status}` },
      one.status === "vulnerable" ? tellAnswer(one) : one.status));
    tab.addEventListener("click", () => choose(one));
    tabs.append(tab);
  }
  const others = rows.filter((one) => one !== row && one.number === row.number && one.whole === row.whole && one.graph === row.graph);
  const also = make("p", { id: "also" });
  if (others.length) also.append("Also: ", ...others.flatMap((one, at) => [at ? ", " : "",
    make("a", { href: address(one) }, `${data.settings[one.setting]?.title}, ${data.settings[one.setting]?.terms}`)]));
  const nav = make("span", { class: "steps" }, step("previous", -1, "previous"), step("next", 1, "next"), close);
  dialog.replaceChildren(make("header", {}, title, nav), tabs, picture, list, also);
  const now = budget ?? (row.setting === chosen.setting ? level().budget : null);
  const first = row.answers.find((one) => one.budget === now && one.flips !== null) ?? row.answers.find((one) => one.flips !== null)
    ?? row.answers.find((one) => one.budget === now) ?? row.answers[0];
  if (!dialog.open) dialog.showModal();
  close.focus();
  return choose(first);
}

async function draw(picture, one) {
  picture.replaceChildren();
  if (one.picture !== null) picture.innerHTML = await unpack(data.pictures[one.picture]); // made by Edgeproof, with every name in it escaped
  else if (one.pairs) picture.append(make("p", {}, `Flips: ${one.pairs.replaceAll(" ", ", ")}. There is no picture of this one.`));
  else if (one.flips === 0) picture.append(make("p", {}, "The claim fails on the graph as it is."));
  else if (one.status === "robust") picture.append(make("p", {}, "Proved: no attack within the budget exists."));
  else picture.append(make("p", {}, "No attack is known, so there is nothing to draw."));
  picture.querySelector(".ep-target")?.scrollIntoView({ block: "nearest", inline: "center" });
}

function facts(row, one) {
  const about = data.settings[row.setting];
  return [
    ["question", about ? `${about.title}, ${about.terms}` : ""], ["class", row.label], ["true class", row.truth], ["survives", survives(row)],
    ["becomes", one.rival], ["attack", one.flips === null ? null : `${one.flips} flip${one.flips === 1 ? "" : "s"}`],
    ["time", tellSeconds(one.seconds)], ["search nodes", one.nodes === null ? null : count(one.nodes)], ["note", one.note],
  ].filter(([, value]) => value !== null && value !== "").map(([name, value]) => [name, String(value)]);
}

dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
dialog.addEventListener("keydown", (event) => {
  if (event.key === "ArrowLeft") stepTo(-1);
  else if (event.key === "ArrowRight") stepTo(1);
});
dialog.addEventListener("close", () => {
  history.replaceState(null, "", location.pathname + location.search);
  scroll.focus();
});
addEventListener("popstate", follow); // also where a link or a typed address changes what stands behind the #
startOverview();
startCompare();
refresh();
if (data.settings.length) showLevel();
follow();
