// The page works without this. It adds three things: what others write appears by itself, notes are found while
// typing, and a branch of a tree opens in place. It never makes HTML: the server's answer is parsed, not run, and only
// regions that the page already has are replaced.

const fragment = globalThis.trustedTypes
  ? trustedTypes.createPolicy("fragment", { createHTML: (text) => text })
  : { createHTML: (text) => text };
const parsed = (text) => new DOMParser().parseFromString(fragment.createHTML(text), "text/html");
const said = document.getElementById("said");
const button = document.getElementById("live");
const regions = () => document.querySelectorAll("[data-live][id]");

async function fetched(address) {
  const answer = await fetch(address, { headers: { accept: "text/html" }, credentials: "same-origin" });
  if (answer.status === 401) throw new Error("logged out");
  return parsed(await answer.text());
}

// Ages go on by themselves and are no change; what a person opened, ticked or typed stays.
const likeness = (region) => {
  const copy = region.cloneNode(true);
  for (const time of copy.querySelectorAll("time")) time.textContent = "";
  for (const open of copy.querySelectorAll("details")) open.removeAttribute("open");
  return copy.innerHTML;
};
const isBusy = (region) =>
  [...region.querySelectorAll("textarea, input:not([type=checkbox])")].some((it) => it.value !== it.defaultValue);

function replace(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const key = focused && (focused.id ? `#${CSS.escape(focused.id)}` : focused.getAttribute("href") && `a[href="${CSS.escape(focused.getAttribute("href"))}"]`);
  const open = [...old.querySelectorAll("details[open][id]")].map((it) => it.id);
  const ticked = [...old.querySelectorAll("input:checked")].map((it) => it.id);
  const rows = new Set([...old.querySelectorAll("tr[id]")].map((it) => it.id));
  const scrolled = [...old.querySelectorAll("[id]")].filter((it) => it.scrollTop).map((it) => [it.id, it.scrollTop]);
  old.replaceChildren(...document.adoptNode(fresh).childNodes);
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  for (const id of ticked) { const it = document.getElementById(id); if (it) it.checked = true; }
  for (const [id, top] of scrolled) { const it = document.getElementById(id); if (it) it.scrollTop = top; }
  if (rows.size) for (const row of old.querySelectorAll("tr[id]")) if (!rows.has(row.id)) row.classList.add("fresh");
  if (key) old.querySelector(key)?.focus({ preventScroll: true });
}

// What a person reads stays where it is on the screen; at the top, new rows come into view.
function keepingPlace(act) {
  const top = (it) => it.getBoundingClientRect().top;
  const seen = scrollY > 0 && [...document.querySelectorAll("main [id]")].find((it) => top(it) >= 64);
  const before = seen && top(seen);
  act();
  const now = seen && document.getElementById(seen.id);
  if (now) scrollBy({ top: top(now) - before, behavior: "instant" });
}

function take(fresh) {
  let changed = false;
  keepingPlace(() => {
    for (const region of regions()) {
      const now = fresh.getElementById(region.id);
      if (!now || isBusy(region) || likeness(now) === likeness(region)) continue;
      replace(region, now);
      changed = true;
    }
  });
  return changed;
}

// One look at a time, and one more if something came in meanwhile.
let looking = false;
let again = false;
async function look(address = location.href, speak = true) {
  if (looking) { again = true; return; }
  looking = true;
  try {
    do {
      again = false;
      if (take(await fetched(address)) && speak && said) said.textContent = button?.dataset.updatedText ?? "";
    } while (again);
  } catch { lost(); } finally { looking = false; }
}

let stream = null;
let paused = sessionStorage.getItem("paused") === "yes";
function show(state) {
  if (!button) return;
  button.hidden = false;
  button.setAttribute("aria-pressed", String(paused));
  button.classList.toggle("lost", state === "lost");
  button.textContent = button.dataset[`${state}Text`];
}
function lost() { show(paused ? "paused" : "lost"); }
function listen() {
  stream?.close();
  stream = null;
  if (paused || document.hidden) { show(paused ? "paused" : "live"); return; }
  stream = new EventSource("/stream");
  // Something may have come in before anybody listened.
  stream.addEventListener("hello", () => { show("live"); look(); });
  stream.addEventListener("changed", () => look());
  stream.addEventListener("error", lost);
}
if (button && regions().length) {
  button.addEventListener("click", () => {
    paused = !paused;
    sessionStorage.setItem("paused", paused ? "yes" : "");
    listen();
  });
  // A page that nobody sees needs nothing.
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => stream?.close());
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  listen();
}

// Ages.
const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
setInterval(() => {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const minutes = Math.round((Date.parse(time.dateTime) - Date.now()) / 60000);
    if (minutes > -60 && minutes < 0) time.textContent = relative.format(minutes, "minute");
    else if (minutes <= -60 && minutes > -1440) time.textContent = relative.format(Math.ceil(minutes / 60), "hour");
  }
}, 30000);

// Found while typing.
for (const form of document.querySelectorAll("form[data-typing]")) {
  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const address = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
      history.replaceState(null, "", address);
      look(address, false);
    }, 120);
  });
}
for (const form of document.querySelectorAll("form[data-at-once]"))
  form.addEventListener("change", () => form.requestSubmit());

// A branch of a tree opens in place.
document.addEventListener("toggle", async (event) => {
  const branch = event.target;
  if (!(branch instanceof HTMLDetailsElement) || !branch.open || !branch.dataset.from) return;
  const from = branch.dataset.from;
  delete branch.dataset.from;
  try {
    const fresh = await fetched(from);
    const inner = fresh.querySelector("ul.tree") ?? fresh.querySelector("pre.text");
    if (inner) branch.append(document.adoptNode(inner));
    const next = inner?.matches("ul") && fresh.querySelector("ul.tree ~ .pages a");
    if (next) branch.append(document.adoptNode(next));
  } catch { branch.dataset.from = from; }
}, true);
