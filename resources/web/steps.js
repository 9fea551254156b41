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

  /** Scrolls a wide figure to what happens. */
  function follow() {
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

/** Figures whose parts change their classes from step to step. */
kinds.steps = (figure, data) => {
  const parts = [...figure.querySelectorAll("[data-at]")].map(part => {
    const steps = [], looks = [];
    for (const one of part.dataset.at.split(";")) {
      const [step, ...names] = one.split(" ");
      steps.push(Number(step));
      looks.push(names.join(" "));
    }
    const changing = new Set(looks.join(" ").split(" "));
    const base = part.getAttribute("class").split(" ").filter(name => !changing.has(name)).join(" ");
    return { part, steps, looks, base, shown: null };
  });
  player(figure, data, 900, (step, before) => {
    const moves = step === before + 1 && !reduced();
    for (const one of parts) {
      const look = one.looks[lastUpTo(one.steps, step)];
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
      const drawn = document.createElementNS(marks[0].namespaceURI, "svg");
      const bar = document.createElementNS(drawn.namespaceURI, "rect");
      for (const [name, of] of [["class", "f"], ["width", Math.max(0.5, 100 * value / most)], ["height", 10]]) bar.setAttribute(name, of);
      for (const [name, of] of [["class", `length s${hue}`], ["viewBox", "0 0 100 10"], ["preserveAspectRatio", "none"], ["aria-hidden", "true"]]) drawn.setAttribute(name, of);
      drawn.append(bar);
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
