// Two sweeps: how their verdicts go together at the budget on top, and the nodes where they differ.
const STATES = ["proved", "broken", "undecided"];
function startCompare() {
  if (!data.compare.length) return;
  const partners = data.compare.map(([first, second]) => {
    const other = new Map(rows.filter((row) => row.setting === second).map((row) => [row.number, row]));
    return rows.filter((row) => row.setting === first && other.has(row.number)).map((row) => [row, other.get(row.number)]);
  });
  let picked = null; // a cell of the table of verdicts; null: all that differ
  const pairs = () => {
    const at = data.compare.findIndex((both) => both.includes(chosen.setting));
    return [at < 0 ? 0 : at, partners[at < 0 ? 0 : at]];
  };
  const listed = () => {
    const budget = level().budget;
    return pairs()[1].filter(([a, b]) => {
      const states = [stateAt(a, budget), stateAt(b, budget)];
      return picked ? states[0] === picked[0] && states[1] === picked[1] : states[0] !== states[1];
    });
  };
  const MOST = 300;

  function show() {
    const [at, both] = pairs(), budget = level().budget;
    const sides = data.compare[at].map((one) => data.settings[one]);
    const proved = [0, 1].map((side) => both.filter((pair) => stateAt(pair[side], budget) === "proved").length);
    const differ = both.filter(([a, b]) => stateAt(a, budget) !== stateAt(b, budget));
    byId("compared").textContent = `At ${tellBudget(budget, sides[0].noun)}, ${sides[0].sweep} proves ` +
      `${tellShare(proved[0], both.length)} and ${sides[1].sweep} ${tellShare(proved[1], both.length)} of ` +
      `${count(both.length)} ${data.things} that are in both; the verdict differs on ${count(differ.length)}.`;
    const head = make("tr", {}, make("th", {}, `${sides[0].sweep} \\ ${sides[1].sweep}`), ...STATES.map((one) => make("th", { scope: "col" }, one)));
    byId("cross").replaceChildren(head, ...STATES.map((mine) => make("tr", {}, make("th", { scope: "row" }, mine), ...STATES.map((theirs) => {
      const number = both.filter(([a, b]) => stateAt(a, budget) === mine && stateAt(b, budget) === theirs).length;
      const button = make("button", { type: "button", "data-cell": `${mine},${theirs}` }, count(number));
      button.addEventListener("click", () => { picked = [mine, theirs]; show(); });
      return make("td", mine === theirs ? {} : { class: "off" }, button);
    }))));
    const shown = listed();
    byId("differ-title").textContent = picked
      ? `${picked[0]} in ${sides[0].sweep}, ${picked[1]} in ${sides[1].sweep}: ${count(shown.length)} ${data.things}`
      : `Where the verdict differs: ${count(shown.length)} ${data.things}`;
    const line = ([a, b]) => make("tr", {},
      make("td", {}, make("a", { href: address(a) }, String(a.number))), ...[a, b].flatMap((row) => {
        const state = stateAt(row, budget);
        return [make("td", {}, row.label ?? ""), make("td", { class: `s-${COLOUR[state]}` }, make("a", { href: address(row) }, state)), make("td", {}, survives(row))];
      }));
    const names = make("tr", {}, make("th", { scope: "col" }, data.things === "graphs" ? "number" : "node"), ...sides.flatMap(({ sweep }) =>
      ["class", "verdict", "survives"].map((name) => make("th", { scope: "col" }, `${sweep}: ${name}`))));
    const more = shown.length > MOST ? [make("tr", {}, make("td", { colspan: 7 }, `and ${count(shown.length - MOST)} more: the CSV has them all`))] : [];
    byId("differ").replaceChildren(names, ...shown.slice(0, MOST).map(line), ...more);
  }
  byId("differ-csv").addEventListener("click", () => {
    const sides = data.compare[pairs()[0]].map((one) => data.settings[one].sweep);
    download("edgeproof-differ.csv", [
      [data.things === "graphs" ? "number" : "node", ...sides.flatMap((side) => [`${side} class`, `${side} verdict`, `${side} lower`, `${side} upper`])],
      ...listed().map((pair) => [pair[0].number, ...pair.flatMap((row) => [row.label, stateAt(row, level().budget), row.lower ?? "inf", row.upper ?? "inf"])]),
    ]);
  });
  onLevel(() => { picked = null; show(); });
}
