// The suite editor: cells by keys, what is typed sent as it is typed, what others do put in.
// All of a draft is the server's; what is here is the cursor, and what has not been sent yet.
"use strict";
(() => {
  // Texts, and the revisions that they rest on, by the ids of their cells, until the server has them.
  const dirty = new Map();
  // Of which revision the rows and columns are that stand here: by it the server knows a cell.
  let base = "", grid = 0;
  let sending = false, timer = 0, settling = 0, rebuilding = false, failed = 0;
  let steps = Promise.resolve();
  // What has clashed, which is told until somebody has said that it is read.
  let told = [];

  const one = (selector) => document.querySelector(selector);
  const editor = () => one("#editor");
  const state = () => one("#state");
  const address = (what) => `/drafts/${editor().dataset.draft}/${what}`;
  const isOurs = (element) => ["panes", "editor"].includes(element.id);
  const isText = (element) => element instanceof Element && element.matches("#editor .text");

  function say(text, isWrong = false) {
    const kept = one("#kept"), wrong = one("#wrong");
    if (kept) kept.textContent = isWrong ? "not kept yet" : text;
    if (!wrong) return;
    wrong.hidden = !isWrong;
    wrong.textContent = isWrong ? text : "";
  }

  // What a failure page says, in its own words.
  function reason(xhr) {
    if (!xhr || !xhr.status) return "the server cannot be reached; what you write stays here, and is sent when it is there again";
    const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
    return (page.querySelector("main p") || page.body).textContent.trim() || `the server said ${xhr.status}`;
  }

  // Texts.

  function write(cell) {
    dirty.set(cell.id, { text: cell.value, rests: base, grid });
    say("…");
    clearTimeout(timer);
    timer = setTimeout(send, 400);
  }

  function values(also) {
    const { page, window, contexts } = editor().dataset;
    const item = one("#asked [name=item]").value;
    return { rests_on: base, page, window, contexts, item, ...also };
  }

  async function send() {
    clearTimeout(timer);
    if (sending || rebuilding || !dirty.size || !editor()) return;
    const rests = [...dirty.values()][0].rests;
    const batch = [...dirty].filter(([, each]) => each.rests === rests).slice(0, 400);
    const isOld = batch.some(([, each]) => each.grid !== grid);
    sending = true;
    const done = await ask("texts", { rests_on: rests, place: batch.map(([id]) => id), text: batch.map(([, each]) => each.text) }, "#panes", "innerHTML");
    sending = false;
    if (done) for (const [id, each] of batch) {
      const now = dirty.get(id);
      if (now === each) dirty.delete(id);
      // What was typed on rests on what has just been kept.
      else if (now?.grid === each.grid) now.rests = base;
    }
    if (dirty.size) timer = setTimeout(send, done ? 0 : Math.min(10000, 1000 * 2 ** failed++));
    if (done) failed = 0;
    if (done && !dirty.size) say("all is kept");
    // It was typed into a grid that has been replaced since.
    if (done && isOld) reload();
  }

  // Ask for something that changes the draft; whether it was done.
  function ask(what, also, target, swap) {
    return new Promise((resolve) => {
      const to = address(what);
      let status = 0, xhr;
      const seen = ({ detail }) => { if (detail.requestConfig.path === to && detail.requestConfig.verb === "post") { xhr = detail.xhr; status = xhr.status; } };
      document.body.addEventListener("htmx:afterRequest", seen);
      htmx.ajax("POST", to, { source: editor(), target, swap, values: values(also) }).catch(() => {}).then(() => {
        document.body.removeEventListener("htmx:afterRequest", seen);
        const done = status >= 200 && status < 300;
        if (!done) {
          say(reason(xhr), true);
          // What it does not take it does not take the second time either; whoever has to come in
          // first, or to wait, has lost nothing.
          if ([400, 413].includes(status) && also.place && what === "texts") for (const id of also.place) dirty.delete(id);
        }
        resolve(done);
      });
    });
  }

  // Whether the server has all that was typed, once it has.
  async function isKept() {
    while (dirty.size || sending) {
      await send();
      if (failed) return false;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return true;
  }

  // Everything else: first what was typed, then the change, then the cursor where it was.
  async function change(what, place = [], text = []) {
    if (!await isKept()) return;
    const at = document.activeElement?.id;
    rebuilding = true;
    const done = await ask("changes", { what, place, text }, "#editor", "outerHTML");
    rebuilding = false;
    if (done) {
      say("all is kept");
      if (at) focus(at);
    }
    send();
  }

  // One after the other: pressed again while one is under way, it would be lost with the grid.
  function step(what) {
    steps = steps.then(() => change(what));
  }

  // The cursor.

  function focus(id, within) {
    const cell = document.getElementById(id);
    if (!cell) return false;
    cell.closest("details")?.setAttribute("open", "");
    cell.focus();
    if (cell.setSelectionRange && cell.type === "text") {
      if (within === undefined) cell.select();
      else cell.setSelectionRange(within, within + 1);
    }
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    return true;
  }

  function look(cell) {
    const body = cell.closest("tbody[data-item]");
    if (!body) return;
    const item = one("#asked [name=item]");
    if (item.value === body.dataset.item) return;
    item.value = body.dataset.item;
    one("#here").textContent = body.querySelector(".no input").value;
    htmx.trigger(document.body, "looked");
  }

  function cellBelow(cell, rows) {
    const own = [...one("#grid").rows];
    const row = own[own.indexOf(cell.closest("tr")) + rows];
    if (!row) return null;
    // Rows of one item share the cell of its number: columns are counted from the end.
    const fromEnd = (each, line) => [...line.querySelectorAll("input.text")].reverse().indexOf(each);
    return [...row.querySelectorAll("input.text")].reverse()[fromEnd(cell, cell.closest("tr"))] || null;
  }

  function go(cell, rows, columns) {
    const inputs = [...cell.closest("tr").querySelectorAll("input.text")];
    if (columns && !inputs[inputs.indexOf(cell) + columns]) return false;
    const next = columns ? inputs[inputs.indexOf(cell) + columns] : cellBelow(cell, rows);
    if (next) return focus(next.id);
    const { page, pages, draft } = editor().dataset;
    const other = Number(page) + rows;
    if (rows && other >= 1 && other <= Number(pages) && !cell.closest("thead")) leave(`/drafts/${draft}?page=${other}`);
    return false;
  }

  async function leave(to) {
    await send();
    location.assign(to);
  }

  function onKey(event) {
    const cell = event.target, isUndo = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (isUndo && editor() && event.key.toLowerCase() === "z") {
      event.preventDefault();
      step(event.shiftKey ? "redo" : "undo");
    } else if (isUndo && editor() && event.key.toLowerCase() === "y") {
      event.preventDefault();
      step("redo");
    } else if (isText(cell) && offersKey(event)) {
      event.preventDefault();
    } else if (isText(cell) && cell.closest("#grid") && !event.isComposing && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const isAtStart = cell.selectionEnd === 0 || (cell.selectionStart === 0 && cell.selectionEnd === cell.value.length);
      const isAtEnd = cell.selectionStart === cell.value.length || (cell.selectionStart === 0 && cell.selectionEnd === cell.value.length);
      const back = getComputedStyle(cell).direction === "rtl" ? "ArrowRight" : "ArrowLeft";
      const on = back === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
      if (event.key === "Enter") { event.preventDefault(); go(cell, event.shiftKey ? -1 : 1, 0); }
      else if (event.shiftKey) return;
      else if (event.key === "ArrowDown") { event.preventDefault(); go(cell, 1, 0); }
      else if (event.key === "ArrowUp") { event.preventDefault(); go(cell, -1, 0); }
      else if (event.key === back && isAtStart && go(cell, 0, -1)) event.preventDefault();
      else if (event.key === on && isAtEnd && go(cell, 0, 1)) event.preventDefault();
    }
  }

  function onPaste(event) {
    const cell = event.target, text = event.clipboardData?.getData("text/plain") || "";
    if (!isText(cell) || !cell.classList.contains("cell") || !/[\t\r\n]/.test(text.replace(/\r?\n$/, ""))) return;
    event.preventDefault();
    change("paste", [cell.id], [text]);
  }

  // Completion in formulas: numbers of regions behind a bracket, names of conditions behind %.

  function partial(cell) {
    const before = cell.value.slice(0, cell.selectionStart);
    const name = /([([]\s*(?:\d+|\*)\s*;\s*%?)([^%()[\]]*)$/.exec(before);
    if (name) return { start: before.length - name[2].length, typed: name[2], names: true, head: name[1].includes("%") ? "" : "%" };
    const number = /[([]\s*(\d*)$/.exec(before);
    return number && { start: before.length - number[1].length, typed: number[1], names: false, head: "" };
  }

  function offer(cell) {
    const list = one("#offers"), at = cell.id.startsWith("f-") && document.activeElement === cell ? partial(cell) : null;
    const { conditions, regions, names } = editor().dataset;
    let found = [];
    if (at?.names) found = JSON.parse(conditions).map((name) => [`${at.head}${name}%)`, name, name]);
    else if (at) found = JSON.parse(regions).map((number, n) => [`${number};%`, `${number} ${JSON.parse(names)[n]}`, String(number)]).concat([["*;%", "* the whole sentence", "*"]]);
    found = found.filter(([, , key]) => key.toLowerCase().startsWith(at.typed.toLowerCase()));
    if (!found.length || (at?.names && found.length === 1 && found[0][2] === at.typed)) return close();
    list.replaceChildren(...found.map(([text, label], n) => {
      const each = document.createElement("li");
      each.id = `offer-${n}`;
      each.setAttribute("role", "option");
      each.setAttribute("aria-selected", "false");
      each.dataset.text = text;
      each.textContent = label;
      return each;
    }));
    cell.closest(".formula").append(list);
    list.hidden = false;
    cell.setAttribute("aria-expanded", "true");
  }

  function close() {
    const list = one("#offers");
    if (!list || list.hidden) return false;
    list.hidden = true;
    const cell = list.closest(".formula")?.querySelector("input");
    cell?.setAttribute("aria-expanded", "false");
    cell?.removeAttribute("aria-activedescendant");
    return true;
  }

  function accept(option) {
    const cell = option.closest(".formula").querySelector("input"), at = partial(cell);
    if (!at) return;
    const rest = cell.value.slice(cell.selectionStart).replace(option.dataset.text.endsWith(")") ? /^[^%()[\]]*%?\s*[)\]]?/ : /^\d*\s*;?\s*%?/, "");
    cell.value = cell.value.slice(0, at.start) + option.dataset.text + rest;
    const end = at.start + option.dataset.text.length;
    cell.focus();
    cell.setSelectionRange(end, end);
    write(cell);
    close();
    offer(cell);
  }

  function offersKey(event) {
    const list = one("#offers");
    if (!list || list.hidden || !event.target.closest(".formula")?.contains(list)) return false;
    const options = [...list.children], chosen = options.findIndex((each) => each.getAttribute("aria-selected") === "true");
    if (event.key === "Escape") return close();
    if (event.key === "Enter" || (event.key === "Tab" && chosen >= 0)) {
      if (chosen < 0) return false;
      accept(options[chosen]);
      return true;
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return false;
    const next = (chosen + by + options.length + (chosen < 0 && by < 0 ? 1 : 0)) % options.length;
    options.forEach((each, n) => each.setAttribute("aria-selected", String(n === next)));
    options[next].scrollIntoView({ block: "nearest" });
    event.target.setAttribute("aria-activedescendant", options[next].id);
    return true;
  }

  // What comes from the server.

  function settle() {
    if (!editor()) return;
    const now = state(), isRebuilt = now.dataset.rebuilt === "true";
    if (!isRebuilt) base = now.dataset.revision;
    for (const each of isRebuilt ? [] : now.querySelectorAll("i")) {
      const cell = document.getElementById(each.dataset.place);
      if (!cell || cell.value === each.dataset.text) continue;
      // What was typed is sent yet; what clashes is told beside the grid, which shows what is kept.
      if (!dirty.has(cell.id) || "clash" in each.dataset) cell.value = each.dataset.text;
    }
    for (const each of document.querySelectorAll("[aria-invalid]")) {
      each.removeAttribute("aria-invalid");
      each.removeAttribute("title");
    }
    for (const each of document.querySelectorAll("#panes .faults a[data-place]")) {
      const cell = document.getElementById(each.dataset.place);
      const item = each.closest("li");
      if (!cell || cell.hasAttribute("aria-invalid")) continue;
      cell.setAttribute("aria-invalid", item.classList.contains("error") ? "true" : "grammar");
      cell.title = item.textContent.trim().replace(/\s+/g, " ");
    }
    if (dirty.size) say("…");
    const undo = one("#undo"), redo = one("#redo");
    undo.disabled = now.dataset.undo !== "true";
    redo.disabled = now.dataset.redo !== "true";
    clearTimeout(settling);
    settling = setTimeout(() => htmx.trigger(document.body, "settled"), 350);
    if (isRebuilt) reload();
  }

  // Load the grid again, whose rows or columns have become others; first what was typed into it.
  async function reload() {
    for (let n = 0; n === 0 || sending || rebuilding || (dirty.size && !failed); n++) {
      if (!sending && !rebuilding) await send();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    rebuilding = true;
    const at = document.activeElement?.id, { draft, page, window: own, contexts } = editor().dataset;
    const item = one("#asked [name=item]").value;
    await htmx.ajax("GET", `/drafts/${draft}?page=${page}&window=${own}&item=${item}&contexts=${contexts}`, { source: document.body, target: "#editor", select: "#editor", swap: "outerHTML" }).catch(() => {});
    rebuilding = false;
    if (at) focus(at);
    send();
  }

  async function listen() {
    if (!editor() || document.hidden) return;
    const own = editor().dataset.window;
    try {
      const answer = await fetch(`${address("news.json")}?window=${encodeURIComponent(own)}`);
      if (!answer.ok) return;
      const news = await answer.json(), others = one("#others");
      const said = news.others.length ? `also here: ${news.others.join(", ")}` : "";
      if (others && others.textContent !== said) others.textContent = said;
      if (String(news.revision) !== base && !sending && !rebuilding && !dirty.size) {
        await htmx.ajax("GET", `${address("panes")}?revision=${base}&page=${editor().dataset.page}`, { source: one("#panes"), target: "#panes", swap: "innerHTML" }).catch(() => {});
      }
    } catch { /* It is asked again. */ }
  }

  // Nothing that was typed is lost with the window.
  function flush() {
    if (!dirty.size || !editor()) return;
    for (const rests of new Set([...dirty.values()].map((each) => each.rests))) {
      const body = new URLSearchParams({ rests_on: rests });
      for (const [id, each] of dirty) if (each.rests === rests) { body.append("place", id); body.append("text", each.text); }
      fetch(address("texts"), { method: "POST", body, keepalive: true });
    }
  }

  function onClick(event) {
    const button = event.target.closest("button, a, [role=option]");
    if (!button) return;
    const { go: undo, do: what, place, text, take, here } = button.dataset;
    if (undo) step(undo);
    else if (button.matches("[role=option]")) accept(button);
    else if (take !== undefined) {
      const cell = document.getElementById(take);
      if (cell) { cell.value = text; write(cell); focus(take); }
      button.closest(".told").remove();
    } else if (button.matches("[data-leave]")) button.closest(".told").remove();
    else if (button.matches("button[data-do]")) {
      const at = here !== undefined ? `n-${one("#asked [name=item]").value}` : place;
      change(what, at === undefined ? [] : [at], text === undefined ? [] : [text]);
    } else if (button.matches("a[data-place]")) {
      const within = button.dataset.within === undefined ? undefined : Number(button.dataset.within);
      if (focus(place, within)) event.preventDefault();
    } else if (editor() && button.matches("a[href*='/download?']") && (dirty.size || sending)) {
      event.preventDefault();
      isKept().then((all) => { if (all) button.click(); });
    } else if (editor() && button.matches("a[href^='/']") && dirty.size && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      leave(button.href);
    }
  }

  function onSubmit(event) {
    const form = event.target, what = form.dataset.do;
    if (form.id === "model" || form.id === "asked") event.preventDefault();
    if (!what) return;
    event.preventDefault();
    const data = new FormData(form), place = form.dataset.place;
    change(what, place === undefined ? data.getAll("place") : [place], data.getAll("text"));
  }

  // What is saved, or run, is what stands in the cells when the button is pressed.
  function onSend(event) {
    const { elt, verb, issueRequest } = event.detail;
    if (!editor() || elt === editor() || verb !== "post" || !(dirty.size || sending)) return;
    event.preventDefault();
    isKept().then((all) => { if (all) issueRequest(true); });
  }

  function onFailure(event) {
    const { elt, xhr, requestConfig } = event.detail;
    if (elt === editor() || (xhr.status >= 200 && xhr.status < 400)) return;
    const form = elt.closest("form"), wrong = form?.querySelector(".wrong");
    if (wrong) {
      wrong.textContent = reason(xhr);
      wrong.hidden = false;
    } else if (requestConfig?.verb !== "get") say(reason(xhr), true);
  }

  // A failure is told beside what it is about, and not above the page.
  document.addEventListener("htmx:beforeSwap", ({ detail }) => { if (detail.xhr.status >= 400) detail.shouldSwap = false; });
  document.addEventListener("htmx:beforeSwap", ({ detail }) => { if (isOurs(detail.target)) told = [...document.querySelectorAll(".clashes .told")]; });
  document.addEventListener("input", (event) => {
    const cell = event.target;
    if (!isText(cell)) return;
    write(cell);
    if (cell.id.startsWith("f-")) offer(cell);
  });
  document.addEventListener("change", (event) => { if (isText(event.target)) send(); });
  document.addEventListener("focusin", (event) => { if (isText(event.target)) look(event.target); });
  document.addEventListener("focusout", (event) => { if (event.target.id?.startsWith("f-")) setTimeout(() => { if (document.activeElement !== event.target) close(); }, 150); });
  document.addEventListener("keydown", onKey);
  document.addEventListener("paste", onPaste);
  document.addEventListener("mousedown", (event) => { if (event.target.closest("[role=option]")) event.preventDefault(); });
  document.addEventListener("click", onClick);
  document.addEventListener("submit", onSubmit, true);
  document.addEventListener("htmx:confirm", onSend);
  document.addEventListener("htmx:afterRequest", onFailure);
  document.addEventListener("htmx:beforeRequest", (event) => event.target.querySelector?.(".wrong")?.setAttribute("hidden", ""));
  document.addEventListener("htmx:afterSwap", (event) => { if (event.detail.target.id === "editor") grid++; if (isOurs(event.detail.target)) { one(".clashes")?.append(...told); settle(); } });
  document.addEventListener("visibilitychange", () => { if (document.hidden) send(); else listen(); });
  addEventListener("pagehide", flush);
  setInterval(listen, 5000);
  if (editor()) {
    settle();
    listen();
    const at = decodeURIComponent(location.hash.slice(1));
    if (at) focus(at);
  }
})();
