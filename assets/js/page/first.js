// What the page begins with, the worked example, is nobody's answer to an address that asks for something else.

import { say } from "../base/words.js";
import { askedNames } from "./embed.js";

const asked = askedNames();

// The query that the page was opened with, "" or from its "?" on; what the page shows is written into the address soon.
export const opened = location.search;

// Whether the address that the page was opened with asks for the first view, and for nothing else than how it looks; in
// another language its sentences come from the server.
export const asksForFirst = asked.length === 0;

// The same of the page before the app, which says all of it by itself.
export const asksForExample = asked.every((name) => name === "lang");

// The mount of a component that has a value from the start, `first`: where the address asks for something else, it
// shows `instead`, until the answer is there.
function standing(mount, instead) {
  return (element, props, ...rest) => {
    const hidden = { get value() { return props.value?.first && !asksForFirst ? instead() : props.value; } };
    mount(element, hidden, ...rest);
  };
}

export const standingPicture = (mount) => standing(mount, () => ({ waiting: say("hint.computing") }));
export const standingList = (mount) => standing(mount, () => null);
