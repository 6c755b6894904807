// What was typed and is not answered yet: whatever else is asked for in that view waits, so that a row that is pressed
// meanwhile opens for the caption that was typed.

const PATIENCE = 8000; // milliseconds, where an answer is lost on its way
const WATCHED = ".answers-typed textarea"; // boxes whose text the server names when it has answered it

const typed = new Map(); // the box -> when its text changed last
const waiting = []; // [the view's place, what waits there]

const placeOf = (element) => element.closest(".tabitem");
const isTyped = (place) =>
  [...typed].some(([box, since]) => placeOf(box) === place && performance.now() - since < PATIENCE);

// Do something in the view of an element: now, or when what was typed there is answered. Ends when it is done.
export function afterTyped(element, act) {
  const place = placeOf(element);
  const isBehind = waiting.some(([other]) => other === place);
  if (!isBehind && !isTyped(place)) return act();
  return new Promise((done) => {
    waiting.push([place, () => done(act())]);
    setTimeout(release, PATIENCE);
  });
}

function release() {
  const ready = waiting.filter(([place]) => !isTyped(place));
  waiting.splice(0, Infinity, ...waiting.filter((each) => !ready.includes(each)));
  for (const [, act] of ready) act();
}

// Something was typed into a box, which will be answered.
export function waitForAnswer(box) {
  typed.set(box, performance.now());
}

// All that was typed into a box is answered.
export function typingAnswered(box) {
  typed.delete(box);
  setTimeout(release); // once all of the answer is drawn
}

// value: {box, text}: the text of the box with this id was answered.
export function mount(element, props, trigger, watch) {
  watch("value", () => {
    const { box: id, text } = props.value;
    const box = document.querySelector(`#${id} textarea`);
    if (box instanceof HTMLTextAreaElement && box.value === text) typingAnswered(box); // else more was typed by then
  });
}

export function noticeTyping() {
  document.addEventListener("input", ({ target }) => {
    if (target instanceof Element && target.matches(WATCHED)) waitForAnswer(target);
  }, true);
}
