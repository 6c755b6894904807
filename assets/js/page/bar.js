// The bar of views, which scrolls where it is too long for the screen: the view that is open stays in sight.

function showOpen() {
  const open = document.querySelector('#views > .tab-wrapper [role="tab"][aria-selected="true"]');
  const bar = open?.parentElement;
  if (!bar || bar.scrollWidth <= bar.clientWidth) return;
  bar.scrollLeft = open.offsetLeft - (bar.clientWidth - open.offsetWidth) / 2;
}

export function keepOpenInSight() {
  const changed = { subtree: true, childList: false, attributeFilter: ["aria-selected"] };
  new MutationObserver(showOpen).observe(document.body, changed);
  window.addEventListener("resize", showOpen);
  showOpen();
}
