// What every page does in the browser: times, toasts, dialogs, keys, selections, live parts. The server decides the rest.
import { drawCharts, redrawCharts } from "./charts.js";
import { drawGraphs } from "./graphs.js";
import { startList } from "./lists.js";

// The page's language as the reader's browser writes it: en-GB rather than en, where that is what it says.
const language = navigator.languages.find((name) => name.split("-")[0] === document.documentElement.lang) || document.documentElement.lang;
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// -- times ------------------------------------------------------------------------------------------------

const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
const looks = {
  datetime: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }),
  date: new Intl.DateTimeFormat(language, { dateStyle: "medium" }),
  log: { format: inLog },
};
const units = [["year", 31536000], ["month", 2592000], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];

const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

// In a log the day is said only where it is not today.
function inLog(at) {
  return (at.toDateString() === new Date().toDateString() ? clock : dayAndClock).format(at);
}

function showTimes(root = document) {
  for (const element of $$("time[datetime]", root)) {
    const at = new Date(element.dateTime);
    const whole = looks.datetime.format(at);
    element.title = whole;
    const look = element.dataset.look;
    element.textContent = look in looks ? looks[look].format(at) : inWords(at);
  }
}

function inWords(at) {
  const seconds = (at - Date.now()) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return relative.format(0, "minute");
}

// -- requests ---------------------------------------------------------------------------------------------

export function send(method, url, values = {}) {
  return window.htmx.ajax(method, url, { values, swap: "none", source: document.body });
}

// -- toasts -----------------------------------------------------------------------------------------------

const toasts = $("#toasts");
const undoable = [];

function showToast({ text, kind, undo }) {
  const toast = document.createElement("div");
  toast.className = `toast ${kind || ""}`;
  const words = document.createElement("span");
  words.textContent = text;
  toast.append(words);
  if (undo) {
    undoable.push(undo);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button small";
    button.textContent = toasts.dataset.undo;
    button.addEventListener("click", () => { toast.remove(); takeBack(undo); });
    toast.append(button);
  }
  const close = document.createElement("button");
  close.type = "button";
  close.className = "button small icon-only";
  close.setAttribute("aria-label", toasts.dataset.close);
  close.textContent = "×";
  close.addEventListener("click", () => toast.remove());
  toast.append(close);
  while (toasts.children.length > 2) toasts.firstChild.remove();
  toasts.append(toast);
  setTimeout(() => toast.remove(), kind === "error" ? 12000 : 8000);
}

// The last act, or the one of a toast; u again takes back the one before it.
export function takeBack(id = undoable.at(-1)) {
  const place = undoable.lastIndexOf(id);
  if (place >= 0) undoable.splice(place, 1);
  document.body.dispatchEvent(new CustomEvent("takenback", { detail: { id } }));
  return send("POST", "/undo", id ? { id } : {});
}

document.body.addEventListener("toast", (event) => showToast(event.detail));

// -- dialogs ----------------------------------------------------------------------------------------------

export function openDialog(id, fill = () => {}) {
  const dialog = document.getElementById(id);
  fill(dialog);
  dialog.showModal();
  $("textarea, input:not([type=hidden]), select, button", dialog)?.focus();
  return dialog;
}

export function askSure(question) {
  const dialog = openDialog("sure-dialog", (shown) => { $("[data-question]", shown).textContent = question; });
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    dialog.returnValue = "no";
  });
}

export function correct(item) {
  openDialog("correct-dialog", (dialog) => {
    const form = $("form", dialog);
    form.reset();
    form.elements.id.value = item.dataset.id;
    form.elements.text.value = item.dataset.text;
    $("[data-original]", dialog).textContent = item.dataset.text;
    showReason(form);
  });
}

function showReason(form) {
  const reason = form.elements.wrong.value;
  for (const element of $$("[data-for]", form)) element.hidden = !element.dataset.for.split(" ").includes(reason);
  form.elements.text.required = reason === "inaccurate" || reason === "too_specific";
  form.elements.original.required = reason === "duplicate";
  if (reason === "duplicate") {
    const target = $("#similar", form);
    window.htmx.ajax("GET", `/memories/${form.elements.id.value}/similar`, {
      target, swap: "innerHTML",
    });
  }
}

export function addMemory(about = "", kind = "") {
  openDialog("add-dialog", (dialog) => {
    if (about) $("[data-about]", dialog).value = about;
    if (kind) $("select[name=kind]", dialog).value = kind;
  });
}

document.addEventListener("change", (event) => {
  if (event.target.name === "wrong") showReason(event.target.form);
  if (event.target.matches("[data-pick-original]")) $("#correct-dialog form").elements.original.value = event.target.value;
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button, a, [data-edit]");
  if (!button) return;
  if (button.dataset.open) addMemory(button.dataset.aboutThis, button.dataset.kind);
  else if (button.hasAttribute("data-close")) button.closest("dialog").close();
  else if (button.hasAttribute("data-keys")) openDialog("keys-dialog");
  else if (button.hasAttribute("data-correct")) correct(button.closest("[data-item]"));
  else if (button.hasAttribute("data-menu")) toggleMenu();
  else if (button.dataset.sure && button.dataset.delete) {
    if (await askSure(button.dataset.sure)) {
      await send("DELETE", button.dataset.delete, { purge: "true" });
      location.href = button.dataset.then;
    }
  }
});

document.body.addEventListener("htmx:confirm", (event) => {
  const question = event.detail.elt.dataset?.question;
  if (!question || event.detail.elt.hasAttribute("data-bulk-purge")) return;
  event.preventDefault();
  askSure(question).then((yes) => yes && event.detail.issueRequest(true));
});

document.body.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.elt;
  if (event.detail.successful && form.matches?.("form[data-closes]")) {
    form.closest("dialog")?.close();
    form.reset();
  }
});

function toggleMenu(open = !document.body.classList.contains("is-menu-open")) {
  document.body.classList.toggle("is-menu-open", open);
  $("[data-menu]").setAttribute("aria-expanded", String(open));
}

// -- loading and the connection ---------------------------------------------------------------------------

let waiting = 0;
function load(step) {
  waiting = Math.max(0, waiting + step);
  document.body.classList.toggle("is-loading", waiting > 0);
}
document.body.addEventListener("htmx:beforeRequest", () => load(1));
document.body.addEventListener("htmx:afterRequest", () => load(-1));
document.body.addEventListener("htmx:sendError", () => showConnection("lost"));

function showConnection(state) {
  for (const connection of $$("[data-connection]")) {
    connection.classList.toggle("is-live", state === "live");
    connection.classList.toggle("is-lost", state === "lost");
    connection.title = connection.dataset[state];
    $("[data-text]", connection).textContent = connection.dataset[state];
  }
}
document.body.addEventListener("htmx:sseOpen", () => showConnection("live"));
document.body.addEventListener("htmx:sseError", () => showConnection("lost"));
document.body.addEventListener("htmx:sseClose", () => showConnection("lost"));

// A live part is left alone while somebody writes in it or looks at a dialog.
document.body.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.detail.elt;
  const cause = event.detail.requestConfig.triggeringEvent?.type;
  if (!part.hasAttribute?.("data-live-part") || cause === "changed") return;
  const active = document.activeElement;
  const writes = part.contains(active) && active.matches("input:not([type=checkbox]), textarea, select");
  if (writes || $("dialog[open]")) event.preventDefault();
});

// An address that is shared names only what was chosen.
const usual = { view: "table", state: "active" };
document.body.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.verb !== "get" || !detail.elt.matches("form.filters")) return;
  for (const [name, value] of [...detail.formData]) if (value === "" || usual[name] === value) detail.formData.delete(name);
});

// What a page brought in later stays when the part around it is looked at again.
window.Idiomorph.defaults.callbacks.beforeNodeMorphed = (shown) => !shown.hasAttribute?.("data-keep");

// The address of a live part follows the filter above it.
document.body.addEventListener("htmx:configRequest", (event) => {
  const part = event.detail.elt;
  const address = part.hasAttribute?.("data-live-part") && $("[data-part-address]", part)?.dataset.partAddress;
  if (address) event.detail.path = address;
});

// -- keys -------------------------------------------------------------------------------------------------

const places = { h: "/", r: "/review", m: "/memories", s: "/sessions" };
let isGoing = false;

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === "m") {
    event.preventDefault();
    addMemory();
    return;
  }
  if (event.key === "Escape") toggleMenu(false);
  const typing = event.target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  if (isGoing) {
    isGoing = false;
    if (places[event.key]) { event.preventDefault(); location.href = places[event.key]; }
    return;
  }
  if (event.key === "g") isGoing = true;
  else if (event.key === "/") { event.preventDefault(); ($("[data-search]") || { focus: () => { location.href = "/memories"; } }).focus(); }
  else if (event.key === "?") openDialog("keys-dialog");
  else if (event.key === "u" && undoable.length) { event.preventDefault(); takeBack(); }
});

// -- logs -------------------------------------------------------------------------------------------------

// A log stays at its end as it grows, unless somebody has scrolled up to read.
const readers = new WeakSet();
document.addEventListener("scroll", ({ target: log }) => {
  if (!log.matches?.("[data-scroll-end]")) return;
  if (log.scrollTop + log.clientHeight < log.scrollHeight - 40) readers.add(log); else readers.delete(log);
}, true);

function followLogs() {
  for (const log of $$("[data-scroll-end]")) if (!readers.has(log)) log.scrollTop = log.scrollHeight;
}

// -- start ------------------------------------------------------------------------------------------------

function refresh(root = document) {
  showTimes(root);
  drawCharts(root);
  drawGraphs(root);
}

startList({ send, askSure });
showTimes();
document.fonts.ready.then(() => refresh());
document.body.addEventListener("htmx:afterSettle", () => { refresh(); followLogs(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { redrawCharts(); refresh(); });
setInterval(() => showTimes(), 30000);
if (new URLSearchParams(location.search).has("add")) addMemory(new URLSearchParams(location.search).get("add_about") || "");
followLogs();
