// A photo of a gallery by its key. The app lists the first photos of a large gallery; of others it is asked.

import { say } from "../base/words.js";

// The position of a photo, -1 where there is none.
export async function positionOf(engine, facts, key) {
  if (!key) return -1;
  const index = facts.items.findIndex((item) => item.key === key);
  if (index >= 0 || facts.items.length === facts.total) return index;
  facts.others ??= new Map();
  const asked = facts.others.get(key) ?? await engine.locate({ gallery: facts.name, photo: key }).catch(() => null);
  if (asked) facts.others.set(key, asked);
  return asked?.index ?? -1;
}

// The same, or 0 where there is none, which is said.
export async function positionOrFirst({ engine, line }, facts, key) {
  const index = await positionOf(engine, facts, key);
  if (key && index < 0) line.note(say("explore.no_such_photo", { name: facts.name, photo: key }));
  return Math.max(0, index);
}

export const itemAt = (facts, index) => facts.items[index] ?? [...(facts.others?.values() ?? [])].find((item) => item.index === index);
