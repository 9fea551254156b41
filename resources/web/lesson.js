// The questions of a lesson: answered by keys, touch or mouse. Nothing is kept: a page that is opened again begins anew.
// And the choices of pages that compare tokenizers.
const score = { right: 0, done: 0, all: 0 };

function sayScore() {
  const line = document.querySelector(".lesson-steps .score");
  const { right, done, all } = score;
  const shown = done > right ? `, ${done - right} shown` : "";
  if (line) line.textContent = `${right} of ${all} ${all === 1 ? "question" : "questions"} answered${shown}.`;
}

/** Makes buttons a group in which the arrow keys go from one to the next, and which Tab passes. */
function moveByArrows(group, label, buttons) {
  group.setAttribute("role", "toolbar");
  group.setAttribute("aria-label", label);
  buttons.forEach((one, place) => { one.tabIndex = place ? -1 : 0; });
  group.addEventListener("keydown", event => {
    const now = buttons.indexOf(document.activeElement);
    const turned = getComputedStyle(group).direction === "rtl" ? -1 : 1;
    const to = { ArrowRight: now + turned, ArrowLeft: now - turned, Home: 0, End: buttons.length - 1 }[event.key];
    if (now < 0 || to === undefined || !buttons[to]) return;
    event.preventDefault();
    buttons[now].tabIndex = -1;
    buttons[to].tabIndex = 0;
    buttons[to].focus();
  });
}

const measures = {
  characters: text => [...text].length,
  bytes: text => new TextEncoder().encode(text).length,
  letters: (text, letter) => text.split(letter).length - 1,
};

/** Whether a text has so many characters, bytes or letters. */
function meets(text, [measure, letter, sign, number]) {
  const size = measures[measure](text, letter);
  return { "==": size === number, "!=": size !== number, "<": size < number, "<=": size <= number, ">": size > number, ">=": size >= number }[sign];
}

/** A question; `data.key` has what answers are compared with, coded so that nobody reads it by chance. */
kinds.question = (figure, data) => {
  const key = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(data.key), sign => sign.charCodeAt(0))));
  const { texts, places } = data;
  const card = figure.querySelector(".question");
  const answer = card.querySelector("details.answer");
  const said = make("div");
  said.append(...[...answer.children].slice(1)); // not in the page until it is asked for
  const room = make("div", { class: "room" });
  const verdict = make("div", { class: "judged", role: "status" });
  card.querySelector(".ask").after(room, verdict);
  let open = true;
  score.all += 1;
  sayScore();

  function finish(outcome) {
    if (!open) return;
    open = false;
    score.done += 1;
    if (outcome === "answered") score.right += 1;
    const step = document.querySelector(`.lesson-steps a[href="#${data.step}"]`);
    step?.setAttribute("data-outcome", outcome);
    step?.append(make("span", { class: "hidden" }, ` (${outcome})`));
    sayScore();
  }

  function uncover() {
    const seen = data.opens && document.getElementById(data.opens);
    if (seen) seen.open = true;
  }

  function copied(part) {
    return part ? [...part.cloneNode(true).childNodes] : [];
  }

  function say(kind, ...parts) {
    verdict.className = `judged ${kind}`;
    const title = { good: "Yes. ", bad: "Not quite. " }[kind];
    verdict.replaceChildren(...(title ? [make("strong", {}, title)] : []), ...parts);
  }

  /** Says whether an answer is right, and why; `number` is that of a choice. */
  function judge(right, number = 0) {
    const reason = copied(said.querySelector(`[data-choice="${number}"] .reason`));
    if (right || data.kind !== "merge") uncover();
    if (right) {
      say("good", ...reason, ...copied(said.querySelector(".after")));
      finish("answered");
      return;
    }
    const hint = copied(card.querySelector(".hint > div"));
    say("bad", ...(reason.length ? reason : hint.length ? hint : ["Try once more."]));
  }

  function judgeTexts(given) {
    judge(given.length === key.right.length && given.every((text, place) => text === key.right[place]));
  }

  function addCheck(check) {
    room.append(button("Check", check, { class: "main" }));
  }

  /** Puts a button around each item of a list; returns the buttons. */
  function buttonsIn(list, does) {
    return [...list.children].map((item, place) => {
      const one = button("", () => {
        const right = texts[place] === key.right[0];
        one.dataset.state = right ? "good" : "bad";
        does(right, place);
      });
      one.append(...item.childNodes);
      item.append(one);
      return one;
    });
  }

  function choose() {
    const list = card.querySelector(".choices");
    const buttons = buttonsIn(list, (right, place) => judge(right, place + 1));
    card.addEventListener("keydown", event => {
      const one = event.ctrlKey || event.altKey || event.metaKey ? undefined : buttons[data.keys.indexOf(event.key)];
      one?.focus();
      one?.click();
    });
    room.append(list);
  }

  function field(check, look) {
    const input = make("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-label": "Your answer", ...look });
    const send = () => { if (input.value.trim()) check(input.value); };
    input.addEventListener("keydown", event => { if (event.key === "Enter") send(); });
    room.append(input);
    addCheck(send);
  }

  const ways = {
    choose,
    merge: choose,
    number() {
      field(value => {
        const number = Number(value.replaceAll(",", "").trim());
        if (Number.isNaN(number)) say("bad", "Write a number.");
        else judge(Math.abs(number - Number(key.right[0])) < 0.051);
      }, { inputmode: "decimal", placeholder: "A number" });
    },
    write() {
      const { right, wrong, needs = [], entries = [], whole = false } = key;
      field(value => {
        if (right.includes(value)) judge(true);
        else if (wrong.includes(value) || !needs.every(need => meets(value, need))) judge(false);
        else if (whole) judge(!entries.length || entries.includes(value));
        else say("", "This page has no tokenizer, so it cannot check this text; Tokenarium can. “Show the answer” has a text that is right.");
      }, { placeholder: "Your text" });
      if (!whole) room.append(make("p", { class: "limits" }, "This page has no tokenizer and knows only some answers. Tokenarium checks every text."));
    },
    order() {
      const list = card.querySelector(".parts");
      const own = new Map([...list.children].map((row, place) => [row, texts[place]]));
      for (const [row, text] of own) {
        for (const [sign, way] of [["↑", "up"], ["↓", "down"]]) {
          const mover = button(sign, () => {
            if (way === "up") row.previousElementSibling?.before(row); else row.nextElementSibling?.after(row);
            mover.focus();
            say("", `${text}: place ${[...list.children].indexOf(row) + 1} of ${own.size}.`);
          }, { "aria-label": `Move ${way}: ${text}` });
          row.append(mover);
        }
      }
      room.append(list);
      addCheck(() => judgeTexts([...list.children].map(row => own.get(row))));
    },
    split() {
      const letters = card.querySelector(".letters");
      const cuts = texts.slice(1).map((text, place) => {
        const label = `Split between ${texts[place]} and ${text}`;
        const cut = button("", () => cut.setAttribute("aria-pressed", cut.getAttribute("aria-pressed") !== "true"), { class: "cut", "aria-pressed": "false", "aria-label": label });
        return cut;
      });
      letters.replaceChildren(...texts.flatMap((text, place) => [...(place ? [cuts[place - 1]] : []), make("span", {}, text)]));
      moveByArrows(letters, "Where to split", cuts);
      room.append(letters);
      addCheck(() => {
        const pieces = [texts[0]];
        cuts.forEach((cut, place) => {
          if (cut.getAttribute("aria-pressed") === "true") pieces.push(texts[place + 1]);
          else pieces[pieces.length - 1] += texts[place + 1];
        });
        judgeTexts(pieces);
      });
    },
    click() {
      const list = card.querySelector(".offers");
      const bar = make("div", {}, list);
      moveByArrows(bar, "Tokens", buttonsIn(list, right => judge(right)));
      room.append(bar);
    },
    cut() {
      const list = card.querySelector(".offers");
      const cuts = places.map((place, number) => {
        const cut = button("", () => {
          cut.dataset.state = place === key.right[0] ? "good" : "bad";
          judge(place === key.right[0]);
        }, { class: "cut", "aria-label": `Between ${texts[number]} and ${texts[number + 1]}` });
        list.children[number].append(cut);
        return cut;
      });
      const bar = make("div", {}, list);
      moveByArrows(bar, "Token boundaries", cuts);
      room.append(bar);
    },
  };
  ways[data.kind]();

  answer.addEventListener("toggle", () => {
    if (!answer.open || answer.children.length > 1) return;
    answer.append(said.cloneNode(true));
    uncover();
    finish("shown");
  });
};

/** A text by several tokenizers: a menu of other texts, and a choice of the tokenizers. */
kinds.compare = (figure, data) => {
  let shown = figure.querySelector("[data-kind=text]");
  const whole = shown.cloneNode(true); // as it is before its script has run
  const all = JSON.parse(whole.querySelector(":scope > script").textContent);
  const menu = make("select", { "aria-label": "Text" });
  for (const [file, group, title] of data.texts) {
    let options = [...menu.children].find(one => one.label === group);
    if (!options) menu.append(options = make("optgroup", { label: group }));
    options.append(make("option", { value: file }, title));
  }
  menu.value = data.here;
  menu.addEventListener("change", () => { location.href = menu.value; });

  const boxes = data.names.map(name => make("input", { type: "checkbox", value: name, checked: "" }));
  function show() {
    const wanted = boxes.map(box => box.checked);
    const next = whole.cloneNode(true);
    const keep = list => list.forEach((one, number) => { if (!wanted[number]) one.remove(); });
    keep(next.querySelectorAll(".card"));
    next.querySelectorAll(".line").forEach(line => keep(line.querySelectorAll(".row")));
    next.querySelector(".lines").className = `lines n${wanted.filter(Boolean).length}`;
    if (!wanted[0]) next.querySelector(":scope > details")?.remove(); // the tokens of the first one
    shown.replaceWith(next);
    shown = next;
    kinds.text(next, { ...all, rows: all.rows.filter((_, number) => wanted[number]) });
    const last = wanted.filter(Boolean).length === 1;
    boxes.forEach(box => { box.disabled = last && box.checked; });
  }
  boxes.forEach(box => box.addEventListener("change", show));
  const choices = boxes.map(box => make("label", {}, box, box.value));
  figure.querySelector(".choose-rows").append(menu, make("fieldset", {}, make("legend", {}, "Tokenizers"), ...choices));
};
