// An equation in MathML, as large as its place allows.
window.SepsEquation = (() => {
  "use strict";

  const MATHML = "http://www.w3.org/1998/Math/MathML";

  // Show the equation of a MathML text inside an element; anything else shows nothing.
  function show(place, text) {
    const math = new DOMParser().parseFromString(text, "application/xml").documentElement;
    place.style.fontSize = "";
    place.replaceChildren();
    if (math.namespaceURI !== MATHML) return;
    place.append(document.importNode(math, true));
    fit(place, place.firstElementChild);
  }

  // Twice, since indices do not shrink evenly.
  function fit(place, math) {
    if (!place.clientWidth) return;
    for (let turns = 0; turns < 2; turns += 1) {
      const box = math.getBoundingClientRect();
      const share = Math.min(
        place.clientWidth / Math.max(box.width, math.scrollWidth),
        place.clientHeight / box.height,
      );
      if (share < 1) place.style.fontSize = `${parseFloat(getComputedStyle(place).fontSize) * share * 0.98}px`;
    }
  }

  return { show };
})();
