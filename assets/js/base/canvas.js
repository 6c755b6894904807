// Pictures and the canvases that they are drawn on.

// The photo as an image that can be drawn, once it is decoded.
export async function loadImage(photo) {
  const image = new Image();
  image.src = photo.src;
  await image.decode();
  return image;
}

// Give a canvas a size in CSS pixels, sharp on the screen it is on.
export function resize(canvas, width, height) {
  const pixel = window.devicePixelRatio || 1;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.width = Math.max(1, Math.round(width * pixel));
  canvas.height = Math.max(1, Math.round(height * pixel));
}

// Call back with the element's width whenever it changes; returns what ends it.
export function onWidth(element, callback) {
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    if (width > 0) callback(width);
  });
  observer.observe(element);
  return () => observer.disconnect();
}

// Load photos; then give their images to `ready`, and the element's width to `fit` now and whenever it changes. Returns
// what ends it.
export function onPhotos(element, photos, ready, fit) {
  let end = () => {};
  let alive = true;
  Promise.all(photos.map(loadImage)).then((images) => {
    if (!alive) return;
    ready(images);
    end = onWidth(element, fit);
  });
  return () => {
    alive = false;
    end();
  };
}
