// The page in its language: what Gradio and the page's HTML show from the code's English, and the switch in the header.
// Our own components say what they say in the page's language themselves, and what a person writes stays as it is.

import { button } from "../base/dom.js";
import { language } from "../base/language.js";
import { phrase } from "../base/words.js";

const KEPT = "seps.lang"; // in the browser's own memory, read by assets/opening/language.js
const OTHER = language === "en" ? { name: "zh", lang: "zh-CN", text: "中文" } : { name: "en", lang: "en", text: "English" };
const ATTRIBUTES = ["placeholder", "aria-label", "title"];
const OURS = ".seps-view, .seps-list, script, style";

// The button that opens the same address in the other language.
export function languageSwitch() {
  const turn = () => {
    const address = new URL(location.href);
    if (OTHER.name === "en") address.searchParams.delete("lang");
    else address.searchParams.set("lang", OTHER.name);
    try {
      localStorage.setItem(KEPT, OTHER.name);
    } catch {
      if (OTHER.name === "en") address.searchParams.set("lang", "en"); // no memory: the address alone tells
    }
    location.assign(address);
  };
  return button({ class: "seps-language", lang: OTHER.lang, click: turn }, OTHER.text);
}

// Show the page in its language now, and whatever comes later.
export function followLanguage() {
  if (language === "en") return;
  document.documentElement.lang = "zh-CN";
  const observer = new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      if (type === "childList") addedNodes.forEach(translate);
      else translate(target);
    }
  });
  const followed = { subtree: true, childList: true, characterData: true, attributeFilter: ATTRIBUTES };
  observer.observe(document.body, followed);
  translate(document.body);
}

// A node and all that lies in it, but for what our own components draw.
function translate(node) {
  const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  if (!element || element.closest(OURS)) return;
  if (node.nodeType === Node.TEXT_NODE) translateText(node);
  if (node !== element) return;
  for (const name of ATTRIBUTES) {
    const text = element.getAttribute(name);
    if (text && phrase(text) !== text) element.setAttribute(name, phrase(text));
  }
  element.childNodes.forEach(translate);
}

function translateText(node) {
  const text = node.data.trim();
  if (text && phrase(text) !== text) node.data = node.data.replace(text, () => phrase(text));
}
