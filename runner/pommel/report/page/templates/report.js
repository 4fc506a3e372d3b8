// What chooses models and items of the report, and draws its charts. The tables need none of this.
(() => {
  "use strict";
  const page = document.documentElement;
  page.classList.add("js");
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const parsed = (element) => JSON.parse(element.textContent);

  // --- rows that are packed as columns

  const rowsOf = (packed) => {
    const columns = Object.entries(packed.columns).map(([name, column]) => [
      name, column.texts ? column.at.map((place) => column.texts[place]) : column.values,
    ]);
    return Array.from({ length: packed.n }, (_, row) =>
      Object.fromEntries(columns.map(([name, values]) => [name, values[row]])));
  };

  const csvOf = (rows) => {
    const names = Object.keys(rows[0] ?? {});
    const cell = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [names, ...rows.map((row) => names.map((name) => row[name]))]
      .map((cells) => cells.map(cell).join(",") + "\n").join("");
  };

  const save = (name, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };

  // --- which models are shown

  const boxes = all('#choose-models input[name="model"]');
  const labels = boxes.map((box) => box.value);
  const N_AT_FIRST = 4;
  boxes.forEach((box, place) => { box.checked = place < N_AT_FIRST; });
  const chosen = () => new Set(boxes.filter((box) => box.checked).map((box) => box.value));

  // Where none of the models that are chosen was run, the first of those that were.
  const modelsOf = (suite) => JSON.parse(suite.dataset.models);
  const isLeftOut = (suite, shown) => shown.size > 0 && !modelsOf(suite).some((label) => shown.has(label));
  const shownIn = (suite) => {
    const shown = chosen();
    return isLeftOut(suite, shown) ? new Set(modelsOf(suite).slice(0, N_AT_FIRST)) : shown;
  };

  const sayChosen = (suite) => {
    const shown = chosen();
    const n = modelsOf(suite).length;
    const others = n > N_AT_FIRST ? `the first ${N_AT_FIRST} of the ${n} that did` : n > 1 ? `the ${n} that did` : "the one that did";
    const text = shown.size === 0 ? "No model is chosen above."
      : isLeftOut(suite, shown) ? `None of the models chosen above ran this suite; shown: ${others}.` : "";
    const place = suite.querySelector(".of-choice");
    place.textContent = text;
    place.hidden = !text;
  };

  const showChosen = (suite) => {
    const shown = shownIn(suite);
    sayChosen(suite);
    for (const row of all(".by-model-rows tr[data-model]", suite)) {
      row.hidden = labels.includes(row.dataset.model) && !row.matches(".family")
        && !shown.has(row.dataset.model);
    }
    const table = suite.querySelector(".items");
    if (table) {
      const own = JSON.parse(table.dataset.labels);
      // The columns of models stand behind those of condition and sentence.
      const hidden = own.flatMap((label, place) => shown.has(label) ? [] : [place + 3]);
      styleOf(suite).textContent = hidden.map((column) =>
        `#${suite.id} .items tr > :nth-child(${column})`).join(",") + (hidden.length ? "{display:none}" : "");
      fillModels(suite, own.filter((label) => shown.has(label)));
    }
    for (const drawing of all(".drawing[data-drawn]", suite)) {
      // It is drawn again once it is seen, which what is hidden never is.
      delete drawing.dataset.drawn;
      drawing.hidden = false;
      seen.observe(drawing);
    }
    later(drawOthers);
  };

  const styles = new Map();
  const styleOf = (suite) => {
    if (!styles.has(suite.id)) styles.set(suite.id, document.head.appendChild(document.createElement("style")));
    return styles.get(suite.id);
  };

  const countChosen = () => {
    document.getElementById("n-chosen").textContent = `(${chosen().size} of ${labels.length})`;
  };

  // --- charts

  const specOf = (block, keeps) => {
    const filled = (value) => {
      if (Array.isArray(value)) return value.map(filled);
      if (value === null || typeof value !== "object") return value;
      return Object.fromEntries(Object.entries(value).map(([key, each]) =>
        key === "data" && each && Object.hasOwn(each, "table")
          ? [key, { values: rowsOf(block.tables[each.table]).filter(keeps) }]
          : [key, filled(each)]));
    };
    return filled(block.spec);
  };

  const fitted = (spec, room) => {
    // So many facets beside one another as there is room for.
    const width = spec.facet?.field && spec.spec?.width;
    if (typeof width !== "number") return spec;
    return { ...spec, columns: Math.max(1, Math.floor((room - 140) / (width + 70))) };
  };

  // Vega's name for it: no warnings.
  const LOG_ERRORS = 1;

  // The models that a suite's chart shows: those that are chosen, as far as they have rows, and
  // not so many that a browser would stand still over them.
  const N_FACETS = 24;
  const facetsOf = (drawing, block) => {
    const shown = shownIn(drawing.closest(".suite"));
    const known = new Set(block.tables.flatMap((table) => rowsOf(table).map((row) => row.model)));
    const own = labels.filter((label) => shown.has(label) && known.has(label));
    const note = drawing.parentElement.querySelector(".of-drawing");
    note.textContent = own.length === 0 ? "No surprisals are known of the models that are chosen."
      : own.length > N_FACETS ? `Drawn: the first ${N_FACETS} of ${own.length} models; choose fewer to see others.` : "";
    note.hidden = !note.textContent;
    return new Set(own.slice(0, N_FACETS));
  };

  // One after another, each to be seen before the next is begun.
  let drawn = Promise.resolve();
  const draw = (drawing) => {
    drawing.dataset.drawn = "";
    drawn = drawn.then(() => drawNow(drawing)).then(() => new Promise(later));
    return drawn;
  };

  const drawNow = async (drawing) => {
    const block = parsed(document.getElementById(drawing.dataset.chart));
    // Vega-Embed makes what it draws in as wide as the chart; around it, what is too wide scrolls.
    const place = document.createElement("div");
    const facets = drawing.closest(".suite") && facetsOf(drawing, block);
    drawing.hidden = facets?.size === 0;
    if (drawing.hidden) return;
    const keeps = (row) => !facets || facets.has(row.model);
    const spec = fitted(specOf(block, keeps), drawing.parentElement.clientWidth);
    try {
      // Without "ast" expressions would be compiled, which the page's own policy forbids.
      await vegaEmbed(place, spec, {
        ast: true, renderer: "svg", logLevel: LOG_ERRORS, downloadFileName: drawing.dataset.chart,
        actions: { export: true, source: false, compiled: false, editor: false },
      });
      drawing.replaceChildren(place);
      drawing.dataset.drawn = "done";
    } catch (error) {
      drawing.textContent = `This chart cannot be drawn: ${error.message}`;
      console.error(error);
    }
  };

  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      draw(target);
    }
  }, { rootMargin: "300px" });

  // --- suites

  const suites = all(".suite");
  const chooser = document.getElementById("choose-suite");

  // Most of a page are parts of suites that nobody looks at yet: text, of which elements are made
  // when a suite is opened, or the browser has nothing else to do.
  const fill = (suite) => {
    const parts = all("noscript.part", suite);
    if (parts.length === 0) return;
    for (const part of parts) part.outerHTML = part.textContent;
    suite.dispatchEvent(new Event("filled", { bubbles: true }));
    suite.querySelector(".tools")?.addEventListener("change", () => arrange(suite));
    for (const button of all("[data-rows]", suite)) button.addEventListener("click", () => saveRows(suite, button));
    const table = suite.querySelector(".items");
    if (!table) return;
    const head = new ResizeObserver(() => table.style.setProperty("--head", `${table.tHead.offsetHeight + 8}px`));
    head.observe(table.tHead);
  };

  const saveRows = (suite, button) => {
    const tables = { verdicts: () => verdictsOf(suite), regions: () => rowsOf(parsed(document.getElementById(suite.querySelector(".drawing").dataset.chart)).tables[0]) };
    const name = `${suite.dataset.suite}-${button.textContent}`;
    save(name.replace(/[^\p{L}\p{N}._-]/gu, "_"), csvOf(tables[button.dataset.rows]()));
  };

  const prepare = (suite) => {
    fill(suite);
    if (suite.dataset.ready !== undefined) return;
    suite.dataset.ready = "";
    showChosen(suite);
  };

  const openAt = (anchor) => {
    const suite = document.getElementById(anchor.replace(/-item-.*/, ""))?.closest(".suite");
    if (!suite) return;
    fill(suite);
    const target = document.getElementById(anchor) ?? suite;
    for (const other of suites) if (other !== suite && target === suite) other.open = false;
    suite.open = true;
    prepare(suite);
    chooser.value = suite.id;
    target.scrollIntoView();
  };

  const verdictsOf = (suite) => {
    suite.verdicts ??= rowsOf(parsed(suite.querySelector(".verdicts")));
    return suite.verdicts;
  };

  const fillModels = (suite, shown) => {
    const select = suite.querySelector('.tools [name="model"]');
    const before = select.value;
    select.replaceChildren(...shown.map((label) => new Option(label, label)));
    if (shown.includes(before)) select.value = before;
    arrange(suite);
  };

  const arrange = (suite) => {
    const form = suite.querySelector(".tools");
    const [order, model, failures] = ["order", "model", "failures"].map((name) => form.elements[name]);
    const least = new Map();
    const failing = new Set();
    for (const row of verdictsOf(suite)) {
      if (row.model_name !== model.value) continue;
      const margin = row.margin_bits === null ? Infinity : Number(row.margin_bits.toString().replace("inf", "Infinity"));
      least.set(row.item_number, Math.min(least.get(row.item_number) ?? Infinity, margin));
      if (row.result === "False") failing.add(row.item_number);
    }
    const table = suite.querySelector(".items");
    const bodies = all("tbody", table);
    table.written ??= bodies;
    const inOrder = [...table.written];
    const marginOf = (body) => least.get(Number(body.dataset.item)) ?? Infinity;
    if (order.value === "margin") inOrder.sort((one, other) => marginOf(one) - marginOf(other) || 0);
    for (const body of inOrder) body.hidden = failures.checked && !failing.has(Number(body.dataset.item));
    if (inOrder.some((body, place) => body !== bodies[place])) table.append(...inOrder);
  };

  // --- what reacts

  for (const suite of suites) {
    suite.addEventListener("toggle", () => { if (suite.open) prepare(suite); });
  }
  chooser.addEventListener("change", () => { if (chooser.value) location.hash = chooser.value; });
  addEventListener("hashchange", () => openAt(location.hash.slice(1)));
  document.addEventListener("click", (event) => {
    const menu = document.getElementById("choose-models");
    if (menu.open && !menu.contains(event.target)) menu.open = false;
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) openAt(link.hash.slice(1));
  });
  document.addEventListener("keydown", (event) => {
    const menu = document.getElementById("choose-models");
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  const choiceChanged = () => {
    countChosen();
    for (const suite of suites) {
      // Those that are closed are seen to when they are opened.
      delete suite.dataset.ready;
      if (suite.open) prepare(suite);
    }
  };
  document.getElementById("choose-models").addEventListener("change", choiceChanged);
  for (const button of all("[data-choose]")) {
    button.addEventListener("click", () => {
      for (const box of boxes) box.checked = button.dataset.choose === "all";
      choiceChanged();
    });
  }
  for (const button of all("[data-file]")) {
    const file = all("script.file").find((each) => each.dataset.name === button.dataset.file);
    button.addEventListener("click", () => save(button.dataset.file, parsed(file)));
  }
  // Anchors are not to lie below what sticks at the top.
  const bar = document.querySelector(".bar");
  new ResizeObserver(() => page.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);

  // On paper nothing is folded, and every chart is there: what nobody has seen is made while the
  // browser has nothing else to do.
  const folded = new Set();
  addEventListener("beforeprint", () => {
    suites.forEach(fill);
    // The menus of charts are no text, and come anew with every drawing.
    for (const each of all("main details:not([open], .vega-embed details)")) {
      folded.add(each);
      each.open = true;
    }
  });
  addEventListener("afterprint", () => {
    for (const each of folded) each.open = false;
    folded.clear();
  });
  const later = globalThis.requestIdleCallback ?? ((work) => setTimeout(work, 200));
  const drawOthers = async () => {
    const next = document.querySelector(".drawing:not([data-drawn]):not([hidden])");
    if (!next) return fillOthers();
    seen.unobserve(next);
    await draw(next);
    later(drawOthers);
  };

  // What is there is found by a search in the page, too.
  const fillOthers = () => {
    const next = document.querySelector(".suite:has(noscript.part)");
    if (!next) return;
    fill(next);
    later(fillOthers);
  };

  countChosen();
  for (const drawing of all(".drawing")) seen.observe(drawing);
  later(drawOthers);
  openAt(location.hash.slice(1));
})();
