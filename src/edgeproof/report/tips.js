// Explanations of words, and the numbers of charts, where the pointer or the keyboard is.
const tip = make("div", { id: "tip", role: "tooltip", hidden: "" });
document.body.append(tip);
function showTip(element) {
  tip.textContent = element.dataset.tip;
  tip.hidden = false;
  element.setAttribute("aria-describedby", "tip");
  const around = (element.closest("dialog") ?? document.body);
  if (tip.parentNode !== around) around.append(tip); // a dialog hides what is outside of it
  const place = element.getBoundingClientRect(), own = tip.getBoundingClientRect();
  const left = Math.min(Math.max(place.left + place.width / 2 - own.width / 2, 8), innerWidth - own.width - 8);
  const above = place.top - own.height - 8;
  tip.style.left = `${Math.max(left, 8)}px`;
  tip.style.top = `${above > 8 ? above : Math.min(place.bottom + 8, innerHeight - own.height - 8)}px`;
}
function hideTip() { tip.hidden = true; }
for (const event of ["mouseover", "focusin", "click"])
  document.addEventListener(event, ({ target }) => {
    const element = target instanceof Element ? target.closest("[data-tip]") : null;
    if (element) showTip(element);
    else hideTip();
  });
document.addEventListener("keydown", ({ key }) => { if (key === "Escape") hideTip(); });
addEventListener("scroll", hideTip, { passive: true, capture: true });
