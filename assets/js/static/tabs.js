// The views as tabs.

export function tabs() {
  const list = [...document.querySelectorAll('#views [role="tab"]')];
  function open(tab) {
    for (const other of list) {
      const isOpen = other === tab;
      other.setAttribute("aria-selected", String(isOpen));
      other.setAttribute("tabindex", isOpen ? "0" : "-1");
      other.classList.toggle("selected", isOpen);
      document.getElementById(other.getAttribute("aria-controls")).hidden = !isOpen;
    }
  }
  for (const [index, tab] of list.entries()) {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (/** @type {KeyboardEvent} */ { key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      const next = /** @type {HTMLElement} */ (list[(index + step + list.length) % list.length]);
      open(next);
      next.focus();
    });
  }
  const view = new URLSearchParams(location.search).get("view") ?? "search";
  open(list.find((tab) => tab.dataset.tabId === view) ?? list[0]);
}
