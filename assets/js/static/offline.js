// What a visit fetched is kept, so that the page opens without a network too: assets/static/offline.js answers from it.

const CACHE = "seps-explorer"; // as in assets/static/offline.js
const AT_ONCE = 8; // files that are fetched together

// Keep the page itself, the libraries, and each model and gallery that was opened; the first one's pictures too.
export async function keepOffline(site) {
  if (!("serviceWorker" in navigator) || !("caches" in window)) return; // an address without https
  try {
    await navigator.serviceWorker.register("offline.js");
    const cache = await caches.open(CACHE);
    const [{ name, model, files, pictures }] = site.galleries;
    const folder = site.parts[`gallery ${name}`];
    const paths = [
      "./", ...site.scripts.map((script) => `${site.parts.js}/${script}`),
      ...["ort.mjs", "ort.wasm.gz", "tokenizers.mjs"].map((file) => `${site.parts.libraries}/${file}`),
      ...files.map((file) => `${site.parts[`model ${model}`]}/${file}`),
      `${site.parts.losses}/losses.json`,
      ...["gallery.json", "embeddings.f16", ...pictures].map((file) => `${folder}/${file}`),
    ];
    const missing = [];
    for (const path of paths) if (path === "./" || !(await cache.match(path))) missing.push(path);
    while (missing.length) await cache.addAll(missing.splice(0, AT_ONCE));
    await forgetOthers(cache, site);
    document.body.dataset.offline = "ready";
  } catch {
    // no room, or no network any more: the page works as long as it is open
  }
}

// Parts of an earlier version go.
async function forgetOthers(cache, site) {
  const folders = new Set(Object.values(site.parts));
  const base = new URL("./", document.baseURI).href;
  for (const request of await cache.keys()) {
    const [folder, ...rest] = request.url.slice(base.length).split("/");
    if (rest.length && !folders.has(folder)) await cache.delete(request);
  }
}
