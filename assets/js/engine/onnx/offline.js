// What was opened is kept, so that the page works without a network too: assets/static/offline.js answers from it.

const CACHE = "seps-explorer"; // as in assets/static/offline.js
const AT_ONCE = 4; // files that are fetched together, after those that a person waits for

// Cache the page. Returns keep(name), which caches one gallery after the other; kept(galleries) gets the complete ones.
export function keepOffline(site, kept) {
  if (!("serviceWorker" in navigator && "caches" in window)) return () => {}; // an address without https
  const asked = new Set();
  const whole = [];
  const page = keepPage(site);
  let turn = page.then(tellWhole).catch(() => {});
  const keepNext = async (gallery) => {
    if (whole.includes(gallery)) return;
    await keepFiles(filesOf(site, gallery));
    whole.push(gallery);
    kept(whole);
  };
  async function tellWhole() { // what an earlier visit kept
    for (const gallery of site.galleries) if (!(await missingOf(filesOf(site, gallery))).length) whole.push(gallery);
    if (whole.length) kept(whole);
  }
  return (name) => {
    const gallery = site.galleries.find((each) => each.name === name);
    if (!gallery || asked.has(name)) return;
    asked.add(name);
    turn = turn.then(() => page).then(() => keepNext(gallery)).catch((error) => {
      if (error instanceof TypeError) asked.delete(name); // not fetched: tried again, unlike without room
    });
  };
}

async function keepPage(site) {
  await navigator.serviceWorker.register("offline.js");
  const cache = await caches.open(CACHE);
  if (navigator.onLine) await cache.add("./").catch(() => {}); // without a network it stays what it was
  await keepFiles([
    ...site.scripts.map((script) => `${site.parts.js}/${script}`),
    ...["ort.js", "ort.wasm.gz", "tokenizers.js"].map((file) => `${site.parts.libraries}/${file}`),
    `${site.parts.losses}/losses.json`,
  ]);
  await forgetOthers(cache, site);
}

function filesOf(site, { name, model, files, pictures }) {
  const folder = site.parts[`gallery ${name}`];
  return [
    ...["gallery.json", "embeddings.f16", ...pictures].map((file) => `${folder}/${file}`),
    ...files.map((file) => `${site.parts[`model ${model}`]}/${file}`),
  ];
}

async function keepFiles(paths) {
  const [cache, missing] = [await caches.open(CACHE), await missingOf(paths)];
  while (missing.length) {
    await cache.addAll(missing.splice(0, AT_ONCE).map((path) => new Request(path, { priority: "low" })));
  }
}

async function missingOf(paths) {
  const cache = await caches.open(CACHE);
  const missing = [];
  for (const path of paths) if (!(await cache.match(path))) missing.push(path);
  return missing;
}

// Parts of an earlier version go.
async function forgetOthers(cache, site) {
  const folders = new Set(Object.values(site.parts));
  const base = new URL(".", document.baseURI).href;
  for (const request of await cache.keys()) {
    const [folder, ...rest] = request.url.slice(base.length).split("/");
    if (rest.length && !folders.has(folder)) await cache.delete(request);
  }
}
