// Two records side by side, S(I, T) of each split into shares that add up, as demo/record/contrast.py. A difference is the
// left share minus the right one. A side: {title, caption, record, attribution, rank, total}, rank 0 if it was not ranked.

import { firstHighest, joined, sum } from "../base/arrays.js";
import { listed, phrase, say } from "../base/words.js";
import { whereabouts } from "./whereabouts.js";

const MARKED = 3; // words that are marked on the pictures
const LEAST = 5e-5; // what counts as a difference
const numbers = ({ left, right, difference }) => ({ left, right, difference });

// What two sides have in parts: {sides, words, rest, closed}; closed: words that name nothing that a picture could show.
export function contrastOf(left, right, closed) {
  const sides = [left, right];
  const words = paired(sides).map(([name, ...both], number) => {
    const shares = both.map((pieces, place) => (pieces ? sum(pieces.map((piece) => sides[place].attribution.ofWords[piece])) : null));
    return partOf(name, shares, { number, pieces: both.map((pieces) => pieces ?? []) });
  });
  const specials = sides.map(({ record, attribution }) => {
    const read = new Set(captionWords(record.alignments[0].words).flatMap(({ pieces }) => pieces));
    return sum(attribution.ofWords.filter((_, piece) => !read.has(piece)));
  });
  const rest = [
    partOf("specials", specials),
    partOf("tokens", sides.map(({ attribution }) => sum(attribution.ofTokens))),
    partOf("left_over", sides.map(({ attribution }) => attribution.leftOver)),
  ];
  return { sides, words: words.sort((first, other) => other.difference - first.difference), rest, closed };
}

function partOf(name, shares, more = {}) {
  const [left, right] = shares;
  return { name, left, right, difference: (left ?? 0) - (right ?? 0), ...more };
}

// The words of both captions with their pieces: the k-th "dog" of one is paired with the k-th of the other.
function paired(sides) {
  const [words, others] = sides.map(({ record }) => captionWords(record.alignments[0].words));
  const waiting = [...others];
  const pairs = words.map(({ text, pieces }) => {
    const at = waiting.findIndex((other) => other.text === text);
    return [text, pieces, at < 0 ? null : waiting.splice(at, 1)[0].pieces];
  });
  return [...pairs, ...waiting.map(({ text, pieces }) => [text, null, pieces])];
}

// The mean of the maps of a word's pieces on one side; zero where the caption has not got it.
function mapOf({ sides }, { pieces }, place) {
  const { word_maps: maps } = sides[place].record.alignments[0];
  const mean = new Float32Array(maps[0].length);
  for (const piece of pieces[place]) maps[piece].forEach((value, patch) => { mean[patch] += value; });
  return mean.map((value) => value / Math.max(1, pieces[place].length));
}

const isMapped = (contrast, part, place) => mapOf(contrast, part, place).some(Boolean);

// The words that are marked: content words of the greatest differences that have a place.
function deciding(contrast) {
  return contrast.words.filter(({ name }) => isContent(name, contrast.closed))
    .sort((first, other) => Math.abs(other.difference) - Math.abs(first.difference))
    .filter((part) => [0, 1].some((place) => isMapped(contrast, part, place)))
    .slice(0, MARKED);
}

function marksOf(contrast, place) {
  return deciding(contrast).filter((part) => isMapped(contrast, part, place)).map((part) => {
    const patch = firstHighest(mapOf(contrast, part, place));
    return { number: part.number, word: part.name, patch, speaks: (part.difference > 0) === (place === 0) };
  });
}

const isOfCaptions = ({ sides: [left, right] }) => left.caption !== right.caption;
const differenceOf = ({ sides: [left, right] }) => left.attribution.similarity - right.attribution.similarity;

function namesOf(contrast) {
  const [left, right] = contrast.sides.map(({ title }) => title);
  if (isOfCaptions(contrast)) return [say("why.first_caption"), say("why.second_caption")];
  return left === right ? [say("why.left_photo"), say("why.right_photo")] : [left, right];
}

function sentencesOf(contrast) {
  const { sides, rest } = contrast;
  const names = namesOf(contrast);
  const sign = differenceOf(contrast) >= 0 ? 1 : -1;
  const [first, second] = sign > 0 ? names : [...names].reverse();
  const [low, high] = sides.map(({ attribution }) => attribution.similarity).sort((least, most) => least - most);
  const [{ caption, title }] = sides;
  if ([...contrast.words, ...rest].every(({ difference }) => Math.abs(difference) < LEAST)) {
    return [say("why.level", { first, second, score: high })];
  }
  const head = say(isOfCaptions(contrast) ? "why.captions" : "why.photos", {
    first, second, caption, title, high, low, difference: high - low,
  });
  const sums = Object.fromEntries(rest.map(({ name, difference }) => [name, sign * difference]));
  const parts = say("why.parts", { words: sign * sum(contrast.words.map(({ difference }) => difference)), ...sums });
  const dense = sides.some(({ record }) => record.branches.length > 1) ? [say("why.with_dense")] : [];
  return [head, parts, ...dense, speakingSentence(contrast, first, second, sign)];
}

function speakingSentence({ words }, first, second, sign) {
  if (!words.length) return say("why.no_words");
  const [best, worst] = sign > 0 ? [words[0], words.at(-1)] : [words.at(-1), words[0]];
  const [pro, contra] = [sign * best.difference, sign * worst.difference];
  const against = () => say("why.most_for", { word: worst.name, name: second, amount: -contra });
  if (pro <= 0) return `${say("why.none_for", { name: first })} ${against()}`;
  const sentence = say("why.most_for", { word: best.name, name: first, amount: pro });
  return `${sentence} ${contra >= 0 ? say("why.none_for", { name: second }) : against()}`;
}

function wordSentence(contrast, { name: word, left, right, difference }) {
  const names = namesOf(contrast);
  if (left === null || right === null) {
    return say("why.word_alone", { word, share: left ?? right, name: names[right === null ? 0 : 1] });
  }
  const name = names[difference >= 0 ? 0 : 1];
  return say("why.word", { word, left, right, left_name: names[0], right_name: names[1], amount: Math.abs(difference), name });
}

// Describe a picture in words; a word's map, if given.
function alternative(contrast, part, place) {
  const { title, record } = contrast.sides[place];
  if (!part) {
    const words = listed(marksOf(contrast, place).map(({ word }) => word));
    return say("why.picture", { title, shown: words ? say("why.marked", { words }) : say("why.unmarked") });
  }
  const values = mapOf(contrast, part, place);
  const where = () => phrase(whereabouts(values, record.grid)) ?? say("why.evenly");
  const shown = values.some(Boolean) ? say("why.map", { word: part.name, place: where() }) : say("why.no_map", { word: part.name });
  return say("why.picture", { title, shown });
}

// Both similarities in parts as the view draws them, see `contrast_value` in Python.
export function contrastValue(contrast) {
  const { sides, words, rest } = contrast;
  const sizes = words.flatMap(({ left, right }) => [left, right]).filter((share) => share !== null).map(Math.abs);
  const byNumber = [...words].sort((first, other) => first.number - other.number);
  return {
    says: sentencesOf(contrast),
    rows: words.map((part) => ({
      number: part.number, word: part.name, ...numbers(part), says: wordSentence(contrast, part),
      most: Math.max(...[0, 1].flatMap((place) => [...mapOf(contrast, part, place)])),
      shows: [0, 1].map((place) => alternative(contrast, part, place)),
    })),
    rest: rest.map((part) => ({
      name: part.name, title: say(`why.${part.name}`), ...numbers(part), says: say(`why.${part.name}_means`),
    })),
    sum: [...sides.map(({ attribution }) => attribution.similarity), differenceOf(contrast)],
    scale: Math.max(0, ...sizes),
    sides: sides.map((side, place) => ({
      title: side.title,
      caption: isOfCaptions(contrast) ? side.caption : "",
      grid: side.record.grid, kept: side.record.branches[0].kept,
      maps: byNumber.length ? stacked(byNumber.map((part) => mapOf(contrast, part, place))) : null,
      marks: marksOf(contrast, place),
      shows: alternative(contrast, null, place),
      reads: scoreLine(side),
    })),
  };
}

const stacked = (maps) => ({ shape: [maps.length, maps[0].length], values: joined(maps) });
const scoreLine = ({ attribution: { similarity: score }, rank, total }) =>
  (rank ? say("why.ranked", { score, rank, total }) : say("why.score", { score }));

// The same as programs take it, see `contrast_record` in Python.
export function contrastRecord(contrast, model) {
  const [left, right] = contrast.sides.map(({ title, caption, attribution }) => ({ photo: title, caption, similarity: attribution.similarity }));
  return {
    model,
    says: sentencesOf(contrast).map((text) => text.replaceAll("−", "-")),
    left, right, difference: differenceOf(contrast),
    words: contrast.words.map((part) => ({ word: part.name, ...numbers(part) })),
    rest: Object.fromEntries(contrast.rest.map((part) => [part.name, numbers(part)])),
  };
}

// The words of a caption, as in seps/explanation/caption_words.py: {text, pieces}; pieces: positions of its labels.
function captionWords(labels) {
  const words = [];
  labels.forEach((label, position) => {
    if (/^\[.+\]$/s.test(label)) return;
    const before = words.at(-1);
    if (label.startsWith("##") && label.length > 2 && before?.pieces.at(-1) === position - 1) {
      before.text += label.slice(2);
      before.pieces.push(position);
    } else words.push({ text: label, pieces: [position] });
  });
  return words;
}

// Whether a word can name something that a picture shows.
const isContent = (word, closed) => /\p{L}/u.test(word) && !word.startsWith("#") && !closed.includes(word.toLowerCase());
