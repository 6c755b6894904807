// Notes on a caption as the model reads it; same as demo/service/captions.py.

import { listed, say } from "../../base/words.js";

const UNKNOWN = "[UNK]";
const MIN_FRACTION = 0.25; // of the words in pieces, from which on a caption of at least ENOUGH words gets a hint
const SHORT_FRACTION = 0.5; // and above which a shorter one does
const ENOUGH = 4;
const NAMED = 5; // words that a hint names
const MOST_LINES = 200; // captions that are typed at once
const SHOWN = 40; // characters of a caption in a sentence

// Return {caption, note}: the caption as read, and what the model does not read of it. Throws if it cannot be read.
export async function readCaption(pairs, facts, typed, isDense = false) {
  const caption = typed.replaceAll("\0", " ").split(/\s+/).filter(Boolean).join(" ");
  if (!caption) throw new Error(say("static.empty"));
  const { max_characters: limit, common } = facts.language;
  if (caption.length > limit) throw new Error(say(isDense ? "static.dense_long" : "static.long", { count: caption.length, limit }));
  return { caption, note: noteOf(caption, await pairs.read(facts, caption, isDense), common, isDense) };
}

// The same for the dense caption; an empty one stays empty.
export async function readDense(pairs, facts, typed) {
  return typed.trim() ? readCaption(pairs, facts, typed, true) : { caption: "", note: "" };
}

// Captions typed one a line, as read; empty lines are passed over. Throws, naming the line, where one cannot be read.
export async function readLines(pairs, facts, text) {
  const lines = text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/).map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim());
  if (lines.length > MOST_LINES) throw new Error(say("static.many_captions", { count: lines.length, limit: MOST_LINES }));
  const captions = [];
  for (const { line, number } of lines) {
    try {
      captions.push((await readCaption(pairs, facts, line)).caption);
    } catch ({ message }) {
      throw new Error(say("static.line", { number, problem: message }));
    }
  }
  return captions;
}

// Return notes on what the model does not read; throws where it reads nothing. common: short English words.
function noteOf(caption, { pieces, words, limit }, common, isDense = false) {
  const of = (name) => `static.${isDense ? "dense_" : ""}${name}`;
  const unknown = pieces.filter((piece) => piece === UNKNOWN).length;
  if (unknown === pieces.length) throw new Error(say(of("unknown"), { caption: shortened(caption) }));
  const notes = [hint(words, pieces, common)];
  if (pieces.length > limit) notes.push(say(of("cut"), { limit, count: pieces.length }));
  else if (unknown && !notes[0]) {
    const named = first(words.filter(({ labels }) => labels.includes(UNKNOWN)));
    notes.push(say(of("unknown_pieces"), { unknown, count: pieces.length, words: named }));
  }
  return notes.filter(Boolean).join(" ");
}

function hint(all, pieces, common) {
  const words = all.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (!words.length) return "";
  const broken = words.filter(({ labels }) => labels.some((label) => label.startsWith("##") || label === UNKNOWN));
  const fraction = broken.length / words.length;
  if (words.length >= ENOUGH ? fraction >= MIN_FRACTION : fraction > SHORT_FRACTION) {
    return say("static.not_english_words", { words: first(broken) });
  }
  const isEnough = new Set(words.map(({ text }) => text)).size >= ENOUGH;
  return isEnough && !pieces.some((piece) => common.includes(piece.toLowerCase())) ? say("static.not_english") : "";
}

// The first words, each once, without the punctuation around them.
function first(words) {
  const once = [...new Set(words.map(({ text }) => bare(text)))];
  const named = listed(once.slice(0, NAMED));
  return once.length > NAMED ? say("static.more", { words: named, count: once.length - NAMED }) : named;
}

const bare = (word) => word.replace(/^[.,;:!?"'()[\]]+|[.,;:!?"'()[\]]+$/g, "") || word;

const shortened = (text) => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1).trimEnd()}…`);
