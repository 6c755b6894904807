// The service worker of the page without a server. Files in folders with content-based names are
// taken from the cache if present, and stored once fetched; the page itself comes from the network while
// there is one.

const CACHE = "seps-explorer"; // as in assets/js/engine/onnx/offline.js

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const base = self.registration.scope;
  if (request.method !== "GET" || !request.url.startsWith(base)) return;
  const inFolder = request.url.slice(base.length).includes("/");
  event.respondWith(inFolder ? kept(request) : fresh(request));
});

async function kept(request) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone()).catch(() => {}); // no room
  return answer;
}

async function fresh(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const known = await (await caches.open(CACHE)).match(new URL("./", self.registration.scope), { ignoreSearch: true });
    if (known && request.mode === "navigate") return known;
    throw error;
  }
}
