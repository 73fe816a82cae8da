// The budget on top of the page, and what it says: other parts follow through `onLevel`.
const MOST_BUTTONS = 14;
const listeners = [];
const chosen = { setting: 0, at: 0 };
const onLevel = (listener) => listeners.push(listener);
const setting = () => data.settings[chosen.setting];
const level = () => setting()?.levels[chosen.at] ?? { budget: null };

function fillBudgets() {
  const holder = byId("budgets").querySelector("div");
  const names = setting().levels.map((one) => (one.budget === null ? "any" : String(one.budget)));
  if (names.length > MOST_BUTTONS) {
    const select = make("select", { name: "budget", "aria-label": "budget" });
    names.forEach((name, at) => select.append(make("option", { value: at }, name)));
    select.value = chosen.at;
    holder.replaceChildren(select);
  } else {
    holder.replaceChildren(...names.map((name, at) => {
      const input = make("input", { type: "radio", name: "budget", value: at });
      input.checked = at === chosen.at;
      return make("label", {}, input, make("span", {}, name));
    }));
  }
}

function sentence(one, { budget, proved, right }) {
  const also = right === null ? "" : `, ${tellShare(right, one.count)} right and proved`;
  return `At ${tellBudget(budget, one.noun)}, ${tellShare(proved, one.count)} are proved${also}.`;
}

function showLevel() {
  const one = setting(), now = level();
  byId("sentence").textContent = sentence(one, now);
  byId("which").textContent = `${one.title}, ${one.terms}: ${count(one.count)} ${data.things}`;
  for (const number of document.querySelectorAll("[data-level]")) {
    const value = now[number.dataset.level === "right and proved" ? "right" : number.dataset.level];
    number.closest(".tile").hidden = value === null;
    if (value === null) continue;
    number.textContent = count(value);
    number.nextElementSibling.textContent = tellShare(value, one.count);
  }
  for (const listener of listeners) listener();
}

function startOverview() {
  if (!data.settings.length) return;
  const first = setting().levels.findIndex((one) => one.budget === null || one.budget >= 1);
  chosen.at = Math.max(first, 0);
  byId("budgets").addEventListener("input", (event) => { chosen.at = Number(event.target.value); showLevel(); });
  byId("setting")?.addEventListener("input", (event) => {
    const before = level().budget;
    chosen.setting = Number(event.target.value);
    const same = setting().levels.findIndex((one) => one.budget === before);
    chosen.at = same >= 0 ? same : Math.max(setting().levels.findIndex((one) => one.budget === null || one.budget >= 1), 0);
    fillBudgets();
    showLevel();
  });
  fillBudgets();
}
