// Figures work without this script: it adds keys, details and the choice of colours.
const kinds = {};

/** An element with attributes and children; texts are text, never markup. */
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A button that does something. */
function button(label, does, attributes = {}) {
  const made = make("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", does);
  return made;
}

const reduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The number of the last value of a rising list that is not greater; -1 if all are. */
function lastUpTo(rising, value) {
  let low = 0, high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle] <= value) low = middle + 1; else high = middle;
  }
  return low - 1;
}

function colours() {
  const root = document.documentElement;
  const looks = [["auto", "As the system"], ["light", "Light"], ["dark", "Dark"], ["contrast", "High contrast"]];
  const chosen = make("select", { "aria-label": "Colours" });
  for (const [value, label] of looks) chosen.append(make("option", { value }, label));
  chosen.value = root.dataset.theme;
  chosen.addEventListener("change", () => { root.dataset.theme = chosen.value; });
  document.getElementById("tools")?.append(chosen);
}

function start() {
  colours();
  for (const figure of document.querySelectorAll("[data-kind]")) {
    const data = figure.querySelector(":scope > script[type='application/json']");
    const play = kinds[figure.dataset.kind];
    if (data && play) play(figure, JSON.parse(data.textContent));
  }
}

/** A text with rows of parts: another row in front, and one part after the other with its details. */
kinds.text = (figure, data) => {
  const box = figure.querySelector(".lines");
  const lines = [...box.querySelectorAll(".line")];
  const cards = [...figure.querySelectorAll(".card")];
  const legends = [...figure.querySelectorAll(".legend")];
  const layers = lines.map(line => [...line.querySelectorAll(".row")]);
  const rows = data.rows.map((row, number) => ({ ...row, get parts() { return places(number).parts; }, get starts() { return places(number).starts; }, get ends() { return places(number).ends; } }));
  const placed = [];

  /** The elements and the bytes of the parts of a row, found at their first use: there are thousands. */
  function places(number) {
    return placed[number] ??= find(number);
  }

  function find(number) {
    const parts = [], starts = [], ends = [], spans = data.rows[number].spans;
    for (const line of layers)
      for (const one of line[number].querySelectorAll("i")) {
        let several = Number(one.dataset.p || 1);
        if (parts.length && one.classList.contains("o")) { parts[parts.length - 1].push(one); several--; }
        for (; several > 0; several--) parts.push([one]);
      }
    let at = 0;
    for (let k = 0; k < spans.length; k += 2) {
      at += spans[k];
      starts.push(at);
      ends.push(at + spans[k + 1]);
    }
    return { parts, starts, ends };
  }

  let front = 0, current = -1, marked = [];

  const says = make("output", { "aria-live": "polite" });
  const before = button("‹", () => go(current - 1), { "aria-label": "Previous" });
  const after = button("›", () => go(current + 1), { "aria-label": "Next" });
  box.after(make("div", { class: "about" }, before, says, after));
  box.tabIndex = 0;

  function hint() {
    says.textContent = `Choose a ${rows[front].unit}: click it, or use the arrow keys.`;
  }

  /** Shows a part of the row in front, and what the other rows have in its place. */
  function go(number, scrolls = true) {
    for (const one of marked) one.classList.remove("on");
    marked = [];
    const row = rows[front];
    current = Math.max(0, Math.min(number, row.parts.length - 1));
    before.disabled = current <= 0;
    after.disabled = current >= row.parts.length - 1;
    if (!row.parts.length) return;
    const start = row.starts[current], end = row.ends[current];
    const others = [];
    rows.forEach((other, which) => {
      if (which === front) { marked.push(...other.parts[current]); return; }
      let first = lastUpTo(other.ends, start) + 1, count = 0;
      for (let k = first; k < other.starts.length && other.starts[k] < end; k++, count++) marked.push(...other.parts[k]);
      others.push(`${other.name}: ${count}`);
    });
    for (const one of marked) one.classList.add("on");
    const [text, more] = row.facts[row.of[current]];
    const bytes = end - start === 1 ? `byte ${start}` : `bytes ${start} to ${end}`;
    const place = start === end ? "no bytes of the text" : bytes;
    says.replaceChildren(
      make("b", {}, make("bdi", {}, text)), ` · ${more} · ${row.unit} ${current + 1} of ${row.parts.length} · ${place}`,
      others.length ? make("small", {}, make("br"), `In its place: ${others.join(", ")}`) : "",
    );
    const seen = row.parts[current].find(one => one.dataset.t) || row.parts[current][0];
    if (scrolls) seen.scrollIntoView({ block: "nearest" });
  }

  function putInFront(number) {
    if (number === front) return;
    const start = current >= 0 ? rows[front].starts[current] : -1;
    front = number;
    lines.forEach((line, at) => line.children[0].after(layers[at][front], ...layers[at].filter((_, k) => k !== front)));
    cards.forEach((card, k) => { card.setAttribute("aria-checked", k === front); card.tabIndex = k === front ? 0 : -1; });
    legends.forEach((legend, k) => { legend.hidden = k !== front; });
    box.setAttribute("aria-label", `The text with the ${rows[front].unit}s of ${rows[front].name}`);
    if (start >= 0) go(lastUpTo(rows[front].starts, start), false); else hint();
  }

  figure.querySelector(".cards").setAttribute("role", "radiogroup");
  figure.querySelector(".cards").setAttribute("aria-label", "In front");
  cards.forEach((card, number) => {
    card.setAttribute("role", "radio");
    card.setAttribute("aria-checked", number === 0);
    card.tabIndex = number === 0 ? 0 : -1;
    card.addEventListener("click", () => putInFront(number));
    card.addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      putInFront((number + step + cards.length) % cards.length);
      cards[front].focus();
    });
  });

  box.addEventListener("click", event => {
    if (String(getSelection())) return;
    const under = new Set(document.elementsFromPoint(event.clientX, event.clientY));
    const found = rows[front].parts.findIndex(part => part.some(one => under.has(one)));
    if (found >= 0) go(found, false);
  });
  box.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turned = current >= 0 && rows[front].parts[current][0].closest(".rtl") ? -1 : 1;
    const to = {
      ArrowRight: current + turned, ArrowLeft: current - turned, Home: 0, End: rows[front].parts.length - 1,
    }[event.key];
    const digit = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
    if (to !== undefined) { event.preventDefault(); go(to); } else if (digit >= 0 && digit < rows.length) putInFront(digit);
  });
  after.disabled = !data.rows[0].of.length;
  before.disabled = true;
  hint();
};

/** Panels of which one is seen at a time, chosen by a tab with the name and the mark of each. */
kinds.tabs = figure => {
  const box = figure.querySelector(".panels");
  const panels = [...box.children];
  if (panels.length < 2) return;
  const bar = make("div", { class: "tabs", role: "tablist", "aria-label": "Tokenizers" });
  const tabs = panels.map((panel, number) => {
    const head = panel.querySelector("h2");
    panel.id = `${figure.id || "figure"}-${[...document.querySelectorAll(".panels")].indexOf(box)}-${number}`;
    panel.setAttribute("role", "tabpanel");
    panel.tabIndex = 0;
    const tab = button("", () => show(number), { role: "tab", id: `${panel.id}-tab`, "aria-controls": panel.id });
    tab.append(...[...head.childNodes].map(one => one.cloneNode(true)));
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("keydown", event => {
      const to = { ArrowRight: number + 1, ArrowLeft: number - 1, Home: 0, End: panels.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      show((to + panels.length) % panels.length);
      tabs[(to + panels.length) % panels.length].focus();
    });
    bar.append(tab);
    return tab;
  });
  function show(number) {
    panels.forEach((panel, at) => { panel.hidden = at !== number; });
    tabs.forEach((tab, at) => { tab.setAttribute("aria-selected", at === number); tab.tabIndex = at === number ? 0 : -1; });
  }
  box.classList.add("tabbed");
  box.before(bar);
  show(0);
};
