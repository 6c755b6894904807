// Before anything is painted, or asked of the server, which reads the language in the page's address: what was chosen with
// the switch in the header is remembered in this browser, and is in the URL unless it is English.
(() => {
  const address = new URL(location.href);
  let language = address.searchParams.get("lang");
  try {
    language ??= localStorage.getItem("seps.lang");
  } catch {
    // no memory: only the URL decides
  }
  if (language !== "zh") return;
  document.documentElement.lang = "zh-CN";
  if (address.searchParams.get("lang") === language) return;
  address.searchParams.set("lang", language);
  history.replaceState(history.state, "", address);
})();
