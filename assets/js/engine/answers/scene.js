// A drawn scene's facts for a caption, as demo/record/scene.py; phrases of typed captions as demo/galleries/annotation.py.

import { sum } from "../../base/arrays.js";
import { say } from "../../base/words.js";

const HALF = 0.5; // of a patch's area: what objects cover of those that they hold

// facts: of the scene; nouns: of its gallery; record: decoded; pieces: the positions of each word's pieces, or null.
export function sceneValue(record, facts, nouns, caption, pieces) {
  return {
    unit: facts.unit,
    objects: objectsValue(facts, nouns, caption),
    inside: pieces ? insideOf(record, facts, phrasesOf(facts, nouns, caption), pieces) : {},
  };
}

// The objects of which something is seen, and whether a caption names them.
export function objectsValue(facts, nouns, caption) {
  const named = new Set(phrasesOf(facts, nouns, caption).flatMap(({ objects }) => objects));
  return facts.objects.map(({ name, lines }, number) => ({ number, name, mentioned: named.has(number), lines }))
    .filter(({ lines }) => lines.length);
}

// The weight of each word of a phrase inside what the phrase names.
function insideOf(record, facts, phrases, pieces) {
  const { word_maps: maps } = record.alignments[0];
  const inside = {};
  for (const { first, length, objects } of phrases) {
    const covered = coverOf(facts, objects, maps[0].length);
    if (!covered.some(Boolean)) continue;
    for (const word of pieces.slice(first, first + length).flat()) {
      if (word >= maps.length - 1 || !maps[word].some(Boolean)) continue;
      const share = sum(Array.from(maps[word], (value, patch) => value * covered[patch])) / sum(maps[word]);
      inside[word] = { share, objects, says: say("word.inside", { share: 100 * share, name: objectsName(facts, objects) }) };
    }
  }
  return inside;
}

function coverOf(facts, objects, count) {
  const covered = Array.from({ length: count }, () => 0);
  for (const number of objects) {
    const { inside } = facts.objects[number];
    for (let at = 0; at < inside.length; at += 2) covered[inside[at]] += inside[at + 1];
  }
  return covered.map((cover) => Math.min(cover, 1));
}

// The patches inside objects: those that they cover by half, or, of small ones, most.
export function patchesOf(facts, objects, count) {
  const covered = coverOf(facts, objects, count);
  const most = Math.max(...covered);
  return covered.map((cover) => (cover > 0 && cover >= Math.min(HALF, most) ? 1 : 0));
}

export function objectsName(facts, numbers) {
  const names = numbers.map((number) => facts.objects[number].name);
  const named = [...new Set(names)].map((name) => {
    const count = sum(names.map((other) => other === name));
    return count === 1 ? `the ${name}` : `the ${count} ${facts.objects[numbers[names.indexOf(name)]].many}`;
  });
  return named.join(" and ");
}

// The phrases of a caption that name objects: {first, length, objects}, where first counts words split at spaces.
export function phrasesOf(facts, nouns, caption) {
  return facts.mentions[caption]?.map(([first, length, objects]) => ({ first, length, objects })) ?? matched(facts, nouns, caption);
}

function matched(facts, nouns, caption) {
  const words = caption.split(/\s+/).filter(Boolean).map((word) => bare(word, nouns.punctuation).toLowerCase());
  const known = new Set(facts.objects.flatMap(({ kind }) => nouns.forms[kind]));
  const phrases = [];
  let [at, free] = [0, 0];
  while (at < words.length) {
    let length = nouns.longest;
    while (length && !(at + length <= words.length && known.has(words.slice(at, at + length).join(" ")))) length -= 1;
    if (!length) {
      at += 1;
      continue;
    }
    const noun = words.slice(at, at + length).join(" ");
    const first = opening(nouns, words, at, free);
    const end = ending(facts, nouns, words, at, at + length);
    const around = [...words.slice(first, at), ...words.slice(at + length, end)];
    const colour = nameIn(around, nouns.colours);
    const size = nameIn(around, nouns.sizes);
    const objects = facts.objects.flatMap((thing, number) =>
      nouns.forms[thing.kind].includes(noun) && [null, thing.colour].includes(colour) && [null, thing.size].includes(size)
        ? [number] : []);
    if (objects.length) phrases.push({ first, length: end - first, objects });
    at = free = end;
  }
  return phrases;
}

function bare(word, punctuation) {
  let [from, to] = [0, word.length];
  while (from < to && punctuation.includes(word[from])) from += 1;
  while (to > from && punctuation.includes(word[to - 1])) to -= 1;
  return word.slice(from, to);
}

const nameIn = (words, names) => names[words.find((word) => Object.hasOwn(names, word))] ?? null;

function opening({ colours, sizes, openings }, words, noun, free) {
  const opens = (word) => Object.hasOwn(colours, word) || Object.hasOwn(sizes, word) || openings.includes(word);
  let first = noun;
  while (first > free && opens(words[first - 1])) first -= 1;
  return first;
}

// Where the phrase of a noun ends: with "in a pink dress", where kinds of this noun show their colour so.
function ending(facts, nouns, words, noun, after) {
  const name = words.slice(noun, after).join(" ");
  const alike = (word, [pattern, many]) => (pattern === "{}"
    ? Object.hasOwn(nouns.colours, word)
    : [pattern, many].includes(word) || (word === "an" && pattern === "a"));
  for (const { kind } of facts.objects) {
    const part = nouns.parts[kind];
    if (!part || !nouns.forms[kind].includes(name)) continue;
    for (const shape of [part, part.filter(([word]) => word !== "a")]) {
      const there = words.slice(after, after + shape.length);
      if (there.length === shape.length && there.every((word, index) => alike(word, shape[index]))) return after + shape.length;
    }
  }
  return after;
}
