// The page's texts and symbols. Its head has the tables demo/record/texts/table.json, with symbols as MathML, and
// demo/record/layers/layer_table.py, and the Chinese texts; missing keys fall back to English.

import { h } from "./dom.js";
import { fixed, rounded, withMinus, withSign } from "./numbers.js";

const LANGUAGE = "lang"; // in the page's URL, where assets/opening/language.js puts it
export const language = new URLSearchParams(location.search).get(LANGUAGE) === "zh" ? "zh" : "en";
const read = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "{}");
const english = read("seps-table");
const { phrases = {}, ...translated } = language === "en" ? {} : read(`seps-table-${language}`);
const table = { ...english };
for (const [section, rows] of Object.entries(translated)) table[section] = { ...english[section], ...rows };
export const layers = table.layers;
const escaped = (name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const names = Object.keys(table.symbols).sort((first, other) => other.length - first.length);
const NAMES = new RegExp(`(?<!\\w)(${names.map(escaped).join("|")})(?!\\w)`);

// A query, "" or from its "?" on, that keeps the page's language.
export function inLanguage(query) {
  if (language === "en" || new URLSearchParams(query).has(LANGUAGE)) return query;
  return `${query}${query ? "&" : "?"}${LANGUAGE}=${language}`;
}

// The sentence of a template of the table, as say("mask.count", {kept, total}).
export const say = (key, values = {}) => fill(template(key), values);

// Translate an English string of the code into the page's language; unchanged without a translation.
export const phrase = (text) => (Object.hasOwn(phrases, text) ? phrases[text] : text);

// What a token is called, by its label in the record: "aggregated 7", "extra" or "[CLS]".
export function tokenLabel(label) {
  const [name, number] = label.split(" ");
  return number ? phrase(`${name} {number}`).replace("{number}", number) : phrase(name);
}

const coarse = window.matchMedia("(pointer: coarse)");

// A template of the table; on touch devices, the one for touch if it exists.
export function template(key) {
  const [section] = key.split(".", 1);
  return (coarse.matches && table.touch[key]) || table[section][key.slice(section.length + 1)];
}

// Whether the table has a template.
export const tells = (key) => template(key) !== undefined;

// Parts of a list as the language joins them: words, or with "clause" what is longer.
export const listed = (parts, between = "comma") => parts.join(template(`reading.${between}`));

// The sentence of a template as nodes, where a value may be an element.
export const sayNodes = (key, values) => pieces(template(key), values).filter((piece) => piece !== "");

// Whether a layer is a part of the score, which is called by its symbol.
export const isPart = (name) => name in table.part;

export function layerName(name) {
  const part = table.part[name];
  return part ? part[0].toUpperCase() + part.slice(1) : table.name[name];
}

// Fill {name} or {name:format}: a format of Python's, "th" for a place, or a noun that is counted.
export const fill = (template, values) => pieces(template, values).join("");

function pieces(template, values) {
  return template.split(/(\{[^}]*\})/).map((piece, index) => {
    if (index % 2 === 0) return piece;
    const [name, format] = piece.slice(1, -1).split(":");
    if (!(name in values)) throw new Error(`"${template}" needs ${name}`);
    return values[name] instanceof Node ? values[name] : written(values[name], format);
  });
}

function written(value, format) {
  if (!format) return String(value);
  if (format === "th") return ordinal(value);
  if (/^[a-z]/i.test(format)) return counted(value, format);
  if (format === ",") return value.toLocaleString("en");
  const [, sign, digits, kind] = /^(\+?)\.(\d+)([fg%])$/.exec(format);
  const count = Number(digits);
  if (kind === "%") return `${fixed(100 * value, count)}%`;
  const near = sign ? rounded(value, 4) : value; // of a change, what is smaller is rounding
  const text = kind === "f" ? fixed(value, count) : withMinus(String(Number(near.toPrecision(count))));
  return sign ? withSign(text) : text;
}

function ordinal(number) {
  const last = number % 100 > 10 && number % 100 < 14 ? 0 : number % 10;
  return `${number}${["th", "st", "nd", "rd"][last] ?? "th"}`;
}

const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : noun.endsWith("ch") ? "es" : "s"}`;

// Text as nodes, with its symbols drawn.
export const symbols = (text) => text.split(NAMES).map((part, index) => (index % 2 ? symbol(part) : part));

// The mathematics of a symbol by its name, as "s_st", with its meaning.
export const symbol = (name) => h("span", { class: "seps-symbol", title: meaning(name) }, math(table.symbols[name]));

// The meaning of a symbol, a term or a mark, in a sentence; null if unknown.
export const meaning = (name) => table.meaning[name] ?? null;

export const math = (text) =>
  document.importNode(new DOMParser().parseFromString(text, "application/xml").documentElement, true);
