// What pages do where scripts run: follow what changes, and search while one types. Everything here fetches the same
// pages that a browser without scripts shows, and puts their parts in place; nothing is made up on this side.

const base = document.body.dataset.base;
const live = document.getElementById("live");

// Fetching again takes the node some time; so much longer than the last one took it is left alone.
const SHARE = 4;
const LEAST_PAUSE = 500;
// Times like "12 s ago" go stale without a change.
const STALE = 10_000;

let address = location.href;
let fetching = null;

function parts(root) {
  return new Map([...root.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
}

// Puts the parts of a fetched page in the place of those that differ. Whoever types or reads by keyboard stays where
// they are.
function show(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = parts(page);
  for (const [name, part] of parts(document)) {
    const other = fresh.get(name);
    if (!other || other.outerHTML === part.outerHTML) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    if (focused?.matches("input, select, textarea")) continue;
    const scrolled = [...part.querySelectorAll(".card")].map((card) => card.scrollLeft);
    const link = focused?.getAttribute("href");
    part.replaceWith(document.adoptNode(other));
    [...other.querySelectorAll(".card")].forEach((card, at) => { card.scrollLeft = scrolled[at] ?? 0; });
    if (focused) {
      const same = [...other.querySelectorAll("a")].find((a) => a.getAttribute("href") === link);
      (same ?? other.querySelector("[tabindex]"))?.focus({ preventScroll: true });
    }
  }
}

// Fetches the page at the present address again; the newest wish wins.
async function refresh() {
  fetching?.abort();
  const mine = new AbortController();
  fetching = mine;
  try {
    const answer = await fetch(address, { signal: mine.signal, headers: { accept: "text/html" } });
    const text = await answer.text();
    // What is not there is a page, too; what else goes wrong is none.
    if (fetching === mine && (answer.ok || answer.status === 404)) show(text);
  } catch (error) {
    if (error.name !== "AbortError") say("no answer", false);
  } finally {
    if (fetching === mine) fetching = null;
  }
}

function say(text, isOn) {
  live.textContent = text;
  live.classList.toggle("on", isOn);
}

// === what changes ===

let isDue = false;
let isRunning = false;
let last = performance.now();

async function follow() {
  isDue = true;
  if (isRunning || document.hidden) return;
  isRunning = true;
  while (isDue && !document.hidden) {
    isDue = false;
    const began = performance.now();
    // A search that is on its way will bring what is new.
    if (!fetching) await refresh();
    last = performance.now();
    await new Promise((done) => setTimeout(done, Math.max(LEAST_PAUSE, SHARE * (last - began))));
  }
  isRunning = false;
}

function listen() {
  const events = new EventSource(`${base}live`);
  let known = null;
  events.addEventListener("revision", (event) => {
    say("live", true);
    if (known !== null && known !== event.data) follow();
    known = event.data;
  });
  events.addEventListener("error", () => {
    say(events.readyState === EventSource.CLOSED ? "every 10 s" : "reconnecting", false);
  });
  addEventListener("pagehide", () => events.close());
}

setInterval(() => {
  if (performance.now() - last >= STALE) follow();
}, STALE / 10);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) follow();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) listen();
});
listen();

// === search ===

const filters = document.getElementById("filters");

function search() {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(filters)) {
    if (value) query.set(name, value);
  }
  address = new URL(`${base}instances?${query}`, location.href).href;
  history.replaceState(null, "", address);
  refresh();
}

if (filters) {
  filters.addEventListener("input", search);
  filters.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
}
