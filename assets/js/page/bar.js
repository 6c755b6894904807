// The bar of views, which scrolls where it is too long for the screen: the view that is open stays in sight, and the bar
// knows at which sides there is more, which the style shows.

const HIDDEN = 4; // CSS pixels

function showOpen() {
  const open = document.querySelector('#views > .tab-wrapper [role="tab"][aria-selected="true"]');
  const bar = open?.parentElement;
  if (!bar || bar.scrollWidth <= bar.clientWidth) return;
  bar.scrollLeft = open.offsetLeft - (bar.clientWidth - open.offsetWidth) / 2;
}

function tellMore() {
  const bar = document.querySelector("#views > .tab-wrapper > .tab-container");
  if (!bar) return;
  const beyond = { left: bar.scrollLeft, right: bar.scrollWidth - bar.clientWidth - bar.scrollLeft };
  const more = Object.keys(beyond).filter((side) => beyond[side] > HIDDEN).join(" ");
  if (bar.parentElement.dataset.more !== more) bar.parentElement.dataset.more = more;
}

export function keepOpenInSight() {
  const changed = { subtree: true, childList: false, attributeFilter: ["aria-selected"] };
  const follow = () => {
    showOpen();
    tellMore();
  };
  new MutationObserver(follow).observe(document.body, changed);
  window.addEventListener("resize", follow);
  document.addEventListener("scroll", tellMore, { capture: true, passive: true });
  follow();
}
