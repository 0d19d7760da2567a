// Lists of memories: moving with keys, selecting, acting on many, editing in place, and looking again every five seconds.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const POLL_MILLISECONDS = 5000;

export function startList({ send, askSure }) {
  const list = $("[data-list]");
  if (!list) { startSingle(); return; }
  const chosen = new Set();
  // Those that were answered with a key and whose answer is still on its way.
  const answered = new Set();
  const isReview = list.hasAttribute("data-review");
  let current = "";
  let place = 0;
  // What was taken back and is not on the page again yet.
  let awaited = "";

  const items = () => $$("[data-item]", list).filter((item) => !answered.has(item.dataset.id));
  const find = (id) => document.getElementById(`m-${id}`);

  function focusItem(index) {
    const all = items();
    if (!all.length) { current = ""; return; }
    place = Math.min(Math.max(index, 0), all.length - 1);
    const item = all[place];
    current = item.dataset.id;
    mark(item);
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }

  function mark(item) {
    for (const one of $$("[data-item]", list)) {
      one.classList.toggle("is-current", one === item);
      one.classList.toggle("item-done", answered.has(one.dataset.id));
    }
  }

  function showChosen() {
    for (const box of $$("[data-pick]", list)) box.checked = chosen.has(box.value);
    const bulk = $("[data-bulk]");
    if (!bulk) return;
    bulk.hidden = chosen.size === 0;
    const count = $("[data-count]", bulk);
    count.textContent = `${chosen.size} ${count.dataset.words}`;
    const all = $("[data-pick-all]", list);
    if (all) all.checked = chosen.size > 0 && chosen.size === items().length;
  }

  function pick(id, on = !chosen.has(id)) {
    if (on) chosen.add(id); else chosen.delete(id);
    showChosen();
  }

  list.addEventListener("change", (event) => {
    if (event.target.matches("[data-pick]")) pick(event.target.value, event.target.checked);
    if (event.target.matches("[data-pick-all]")) {
      chosen.clear();
      if (event.target.checked) for (const item of items()) chosen.add(item.dataset.id);
      showChosen();
    }
  });

  list.addEventListener("focusin", (event) => {
    const item = event.target.closest("[data-item]");
    if (item) { current = item.dataset.id; place = items().indexOf(item); }
  });

  // After a part was swapped: the same selection, and the cursor where it was, or on what took its place.
  document.body.addEventListener("htmx:afterSwap", (event) => {
    if (!event.detail.target.closest?.("[data-list]")) return;
    const there = new Set(items().map((item) => item.dataset.id));
    for (const id of chosen) if (!there.has(id)) chosen.delete(id);
    showChosen();
    if (awaited && find(awaited)) { current = awaited; awaited = ""; place = items().indexOf(find(current)); }
    if (!current) return;
    const still = find(current);
    if (!still || answered.has(current)) focusItem(place);
    else mark(still);
  });

  // What is taken back comes back under the cursor.
  document.body.addEventListener("takenback", ({ detail: { id } }) => { answered.delete(id); if (isReview) awaited = id; });
  document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
    const id = detail.elt.closest?.("[data-item]")?.dataset.id;
    if (id && !detail.successful) { answered.delete(id); mark(find(current)); }
  });

  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
    const item = current && find(current);
    const index = item ? items().indexOf(item) : -1;
    if (event.key === "j" || event.key === "ArrowDown") { event.preventDefault(); focusItem(index + 1); return; }
    if (event.key === "k" || event.key === "ArrowUp") { event.preventDefault(); focusItem(index < 0 ? 0 : index - 1); return; }
    if (!item) return;
    if (event.key === "x") { event.preventDefault(); pick(current); return; }
    if (event.key === "Enter" && event.target === item) { $("[data-open-item]", item)?.click(); return; }
    if (event.target.matches("button, a, summary") && event.key === "Enter") return;
    const button = $(`[data-key="${CSS.escape(event.key)}"]`, item);
    if (!button || button.disabled) return;
    event.preventDefault();
    button.click();
    // The next one is under the cursor at once; nobody waits for the answer.
    if (isReview && (event.key === "c" || event.key === "r")) { answered.add(current); focusItem(index); }
    else if (event.key === "f") focusItem(index + 1);
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button, [data-edit]");
    if (!button) return;
    const ids = [...chosen];
    if (button.dataset.bulkPost) await send("POST", button.dataset.bulkPost, { ids });
    else if (button.hasAttribute("data-bulk-merge")) { if (ids.length > 1) await send("POST", "/merge", { keep: ids[0], ids: ids.slice(1) }); else return; }
    else if (button.hasAttribute("data-bulk-delete")) await send("DELETE", "/memories/bulk", { ids });
    else if (button.hasAttribute("data-bulk-purge")) { if (!(await askSure(button.dataset.question))) return; await send("DELETE", "/memories/bulk", { ids, purge: "true" }); }
    else if (button.hasAttribute("data-bulk-clear")) { /* below */ }
    else if (button.hasAttribute("data-edit-row") || button.hasAttribute("data-edit")) { editInPlace(button.closest("[data-item]"), send); return; }
    else return;
    chosen.clear();
    showChosen();
  });

  list.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("[data-edit]")) { event.preventDefault(); editInPlace(event.target.closest("[data-item]"), send); }
  });

  if (isReview && items().length) { current = items()[0].dataset.id; mark(items()[0]); }

  setInterval(() => {
    if ($("[data-poll]", list) && !document.hidden) window.htmx.trigger(list, "refresh");
  }, POLL_MILLISECONDS);
}

// A page with one memory has the same keys.
function startSingle() {
  const item = $("[data-item]");
  if (!item) return;
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
    const button = $(`[data-item] [data-key="${CSS.escape(event.key)}"]`);
    if (button) { event.preventDefault(); button.click(); }
  });
}

function editInPlace(item, send) {
  const cell = $("[data-edit]", item) || $(".memory-text", item);
  if ($("textarea", item)) return;
  const box = document.createElement("textarea");
  box.value = item.dataset.text;
  box.rows = 3;
  box.setAttribute("aria-label", cell.title || item.dataset.text);
  const before = cell.cloneNode(true);
  cell.replaceWith(box);
  box.focus();
  let isOver = false;
  const end = async (save) => {
    if (isOver) return;
    isOver = true;
    const text = box.value.trim();
    box.replaceWith(before);
    item.focus();
    if (save && text && text !== item.dataset.text) await send("PUT", `/memories/${item.dataset.id}`, { text });
  };
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") end(false);
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); end(true); }
  });
  box.addEventListener("blur", () => end(true));
}
