// The words of a caption without a match in a picture, and their sentences: as demo/record/unmatched.py, and
// seps/explanation/caption_words.py, which joins pieces to words.

import { listed, say } from "../base/words.js";

const isSpecial = (label) => /^\[.+\]$/s.test(label);

// Words of a caption: {text, pieces}, where pieces are positions among the labels of its tokens.
export function captionWords(labels) {
  const words = [];
  labels.forEach((label, position) => {
    if (isSpecial(label)) return;
    const before = words.at(-1);
    if (label.startsWith("##") && label.length > 2 && before?.pieces.at(-1) === position - 1) {
      before.text += label.slice(2);
      before.pieces.push(position);
    } else words.push({ text: label, pieces: [position] });
  });
  return words;
}

// The words of a record's caption that match nothing, {text, pieces, cosine}. language: of the model, {found: {threshold,
// words, kind}, function_words}, where `found` is null if it was not measured when a word matches nothing.
export function unfound(record, { found: rule, function_words: closed }) {
  if (!rule) return [];
  const { words: labels, cosines } = record.alignments[0];
  const best = ({ pieces }) => Math.max(...pieces.flatMap((piece) => cosines.map((row) => row[piece])));
  return captionWords(labels)
    .filter(({ text }) => isContent(text, closed) && (!rule.words || rule.words.includes(text.toLowerCase())))
    .map((word) => ({ ...word, cosine: best(word) }))
    .filter(({ cosine }) => cosine < rule.threshold);
}

// Whether a word can name something that a picture shows.
export function isContent(word, closed) {
  return /\p{L}/u.test(word) && !word.startsWith("#") && !closed.includes(word.toLowerCase());
}

// The words without a match as the viewer marks them; null if all match.
export function unfoundValue(record, language) {
  const words = unfound(record, language);
  if (!words.length) return null;
  const { threshold, kind } = language.found;
  const line = ({ text, cosine }) => say("found.word", { word: text, cosine, threshold, kind });
  return {
    pieces: words.flatMap(({ pieces }) => pieces),
    says: say("found.here", { words: quoted(words) }),
    plain: say("found.plain", { words: quoted(words) }),
    words: Object.fromEntries(words.flatMap((word) => word.pieces.map((piece) => [piece, line(word)]))),
  };
}

// The sentence on a ranking; the record is of its best picture.
export function missedSentence(record, language) {
  const words = unfound(record, language);
  return words.length ? say("found.best", { words: quoted(words) }) : "";
}

// Words in quotation marks, each once, with commas and an "or".
export function quoted(words) {
  const marked = [...new Set(words.map(({ text }) => `“${text}”`))];
  return marked.length === 1 ? marked[0] : `${listed(marked.slice(0, -1))}${say("reading.or")}${marked.at(-1)}`;
}
