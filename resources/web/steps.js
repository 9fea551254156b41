/** The player of a figure: buttons, a slider, keys, and `show`, which is called with each step that is shown. */
function player(figure, data, pace, show) {
  const box = figure.querySelector(".steps"), last = data.said.length - 1;
  const said = figure.querySelector(".said"), figures = figure.querySelector(".count");
  const stage = figure.querySelector(".stage"), grows = stage.querySelector(".grows");
  let at = data.at, timer = 0;

  const slider = make("input", { type: "range", min: 0, max: last, value: at, "aria-label": "Step" });
  const count = make("output");
  const speed = make("select", { "aria-label": "Speed" });
  for (const factor of [0.5, 1, 2, 4, 8]) speed.append(make("option", { value: factor }, `${factor} ×`));
  speed.value = "1";
  const play = button("Play", () => (timer ? pause() : start()), { class: "main" });
  const first = button("|‹", () => go(0), { "aria-label": "First step" });
  const back = button("‹", () => go(at - 1), { "aria-label": "Step back" });
  const next = button("›", () => go(at + 1), { "aria-label": "Step forward" });
  const end = button("›|", () => go(last), { "aria-label": "Last step" });
  const controls = figure.querySelector(".player");
  controls.append(first, back, play, next, end, slider, count, speed);
  controls.hidden = false;

  /** Shows a step; by hand it also pauses. */
  function go(step, byHand = true) {
    if (byHand) pause();
    const before = at;
    at = Math.max(0, Math.min(step, last));
    show(at, before);
    [said.textContent, figures.textContent] = data.said[at];
    slider.value = at;
    slider.setAttribute("aria-valuetext", `Step ${at} of ${last}`);
    count.textContent = `${at} / ${last}`;
    first.disabled = back.disabled = at === 0;
    next.disabled = end.disabled = at === last;
    if (grows) fit();
    follow();
    if (byHand && data.group) document.dispatchEvent(new CustomEvent("step", { detail: { group: data.group, step: at, from: figure } }));
  }

  function start() {
    if (at === last) go(0);
    said.setAttribute("aria-live", "off"); // each sentence would interrupt the one before
    play.textContent = "Pause";
    const tick = () => {
      go(at + 1, false);
      if (at === last) pause(); else timer = setTimeout(tick, pace / speed.value);
    };
    timer = setTimeout(tick, pace / speed.value);
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    said.removeAttribute("aria-live");
    play.textContent = "Play";
  }

  /** Makes a drawing as high as what is seen of it; its room stays the same, so that the buttons stay in their place. */
  function fit() {
    const seen = grows.getBBox(), high = Math.ceil(seen.y + seen.height + 8);
    grows.setAttribute("height", high);
    grows.setAttribute("viewBox", `0 0 ${grows.getAttribute("width")} ${high}`);
  }

  /** Scrolls a wide figure to what happens, and a long row of tokens to the first that is not made yet. */
  function follow() {
    const row = stage.querySelector(".kept > .tokens");
    const next = row && (row.querySelector(".loose:not(.off)") ?? row.lastElementChild);
    if (next) row.scrollTop += next.getBoundingClientRect().top - row.getBoundingClientRect().top - row.clientHeight / 2;
    const here = [".coming", ".frame:not(.off)", ".frontier:not(.off)", ".read", ".made"]
      .map(one => stage.querySelector(one)).find(one => one);
    if (!here) return;
    const room = stage.getBoundingClientRect(), place = here.getBoundingClientRect();
    const margin = Math.min(120, room.width / 3);
    if (place.left < room.left + margin) stage.scrollLeft += place.left - room.left - margin;
    else if (place.right > room.right - margin) stage.scrollLeft += place.right - room.right + margin;
    if (!grows) return;
    const top = room.top + (stage.querySelector(".kept")?.offsetHeight ?? 0);
    if (place.bottom > room.bottom - 12) stage.scrollTop += place.bottom - room.bottom + 12;
    else if (place.top < top) stage.scrollTop += place.top - top - 12;
  }

  if (grows) stage.querySelector(".rows").style.minHeight = `${grows.parentNode.dataset.room}px`;
  slider.addEventListener("input", () => go(Number(slider.value)));
  box.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const on = event.target;
    if (on.closest("select, details, table") || (on === slider && event.key !== " ")) return;
    if (event.key === " ") {
      if (on.closest("button")) return;
      event.preventDefault();
      play.click();
      return;
    }
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
  if (data.group) document.addEventListener("step", event => {
    if (event.detail.group === data.group && event.detail.from !== figure) go(event.detail.step, false);
  });
  go(at, false);
}

/** An element of its name, its attributes and what is inside. */
function elementOf([name, attributes, ...inside], namespace) {
  const made = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside.map(one => typeof one === "string" ? one : elementOf(one, namespace)));
  return made;
}

/** All parts of a figure: those that are seen at first are there, the others are made of their shapes. */
function allParts(figure, { shapes, looks, parts }) {
  const models = [];
  return [...figure.querySelectorAll("[data-parts]")].flatMap((box, number) => {
    const there = [...box.children];
    const made = parts[number].map(([shape, changes, place, ...texts]) => {
      const which = shape < 0 ? -1 - shape : shape;
      const model = models[which] ??= elementOf(shapes[which], box.namespaceURI);
      const base = model.getAttribute("class");
      const steps = changes.filter((_, at) => at % 2 === 0), changed = changes.filter((_, at) => at % 2).map(look => looks[look]);
      if (shape < 0) return { part: there.shift(), base, steps, looks: changed, row: place };
      const part = model.cloneNode(true), [left, row] = [place].flat();
      if (left) part.setAttribute("transform", `translate(${left})`);
      const holes = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      for (const text of texts) holes.nextNode().data = text;
      return { part, base, steps, looks: changed, row };
    });
    box.replaceChildren(...made.map(one => one.part));
    return made;
  });
}

/** Figures whose parts change their classes from step to step. */
kinds.steps = (figure, data) => {
  const parts = allParts(figure, data);
  const sentences = [...figure.querySelectorAll(".listed > ol > li")].map(one => one.textContent);
  data.said = sentences.map((sentence, step) => [sentence, data.figures[step]]);
  player(figure, data, 900, (step, before) => {
    const moves = step === before + 1 && !reduced();
    let row, place = 0;
    for (const one of parts) {
      let look = one.looks[lastUpTo(one.steps, step)] ?? "off";
      if (look !== "off" && one.row !== undefined) {
        place = one.row === row ? place + 1 : 0;
        row = one.row;
        look = look.replace(/hue(\d+)/, (_, hue) => `s${Number(hue) + 8 * (place % 2)}`);
      }
      if (look === one.shown) continue;
      const comes = moves && one.shown === "off" ? " new" : "";
      one.part.setAttribute("class", `${one.base} ${look}${comes}`.trim());
      one.shown = look;
    }
  });
};

/** A training: the bars of its pairs or its pieces, the places on its curves, and a text as it is cut. */
kinds.training = (figure, data) => {
  const bars = figure.querySelector(".bars"), cut = figure.querySelector(".cut");
  const rows = figure.querySelector(".chosen tbody");
  const counted = figure.querySelector(".counted");
  const marks = [...figure.querySelectorAll(".here")];
  const units = data.units.map(([start, end, hue, since, until]) => ({ text: data.text.slice(start, end), hue, since, until }));

  function showBars(step) {
    const most = Math.max(...data.bars[step].map(bar => bar[1]), 0) || 1;
    bars.replaceChildren(...data.bars[step].map(([pair, value, count, note]) => {
      const [label, hue] = data.pairs[pair];
      const bar = ["rect", { class: "f", width: Math.max(0.5, 100 * value / most), height: 10 }];
      const look = { class: `length s${hue}`, viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" };
      const drawn = elementOf(["svg", look, bar], marks[0].namespaceURI);
      return make("div", { class: `pair ${note}`.trim() }, make("span", {}, label), drawn, make("span", {}, `${count} `, make("em", {}, note)));
    }));
  }

  function showCounted(step) {
    const [sentence, shown] = data.table.steps[step];
    const kinds = [...counted.querySelectorAll("th")].map(head => ({ class: head.className }));
    counted.querySelector("span").textContent = sentence;
    counted.querySelector("tbody").replaceChildren(...shown.map(row => make("tr", {},
      ...row.map((cell, column) => make("td", kinds[column], make("bdi", {}, data.table.cells[cell]))))));
  }

  player(figure, data, 200, step => {
    if (data.bars) showBars(step);
    if (data.pieces) rows.replaceChildren(...data.pieces[step].map(cells => make("tr", {}, ...cells.map(cell => make("td", {}, make("bdi", {}, cell))))));
    if (counted) showCounted(step);
    data.curves.forEach((places, number) => {
      const place = places[step] ?? places.slice(0, step).findLast(one => one);
      if (place) { marks[number].setAttribute("cx", place[0]); marks[number].setAttribute("cy", place[1]); }
    });
    const now = units.filter(unit => unit.since <= step && step < unit.until);
    cut.replaceChildren(...now.map((unit, place) => make("span", { class: unit.hue < 0 ? "shared" : `s${unit.hue + 8 * (place % 2)}` }, unit.text)));
  });
};

const opened = [];
addEventListener("beforeprint", () => {
  opened.push(...document.querySelectorAll("details.listed:not([open])"));
  for (const list of opened) list.open = true;
});
addEventListener("afterprint", () => {
  for (const list of opened.splice(0)) list.open = false;
});
