// What holds the page together: the address that reproduces a view, and files to take away.
(() => {
  "use strict";

  /** The address shows what is shown, so that a copied link leads back here. */
  function remember(value, { layer, step, talk }) {
    if (value?.waiting) return; // the address leads to what is waited for
    if (!value || !value.link) return history.replaceState(null, "", location.pathname);
    const told = Object.entries({ layer: layer === "mask" ? null : layer, step, talk: talk ? 1 : null });
    const rest = told.filter(([, one]) => one).map(([name, one]) => `&${name}=${encodeURIComponent(one)}`);
    history.replaceState(null, "", value.link + rest.join(""));
  }

  /** Mount a picture view whose link follows it into the address while it is in sight. */
  function linked(mount) {
    return (element, props, trigger, watch) => {
      const seen = () => element.offsetParent !== null;
      let told = {}; // the lesson's step and mode, which a new value does not change
      mount(
        element,
        props,
        (event, detail) => {
          if (event === "step") told = detail;
          if ((event === "layer" || event === "step") && seen()) remember(props.value, detail);
          trigger(event, event === "export" ? { ...detail, dark: document.body.classList.contains("dark") } : detail);
        },
        (names, call) =>
          watch(names, () => {
            call();
            if (seen()) remember(props.value, { ...props.value, ...told });
          }),
      );
      if (props.value && seen() && !location.search) remember(props.value, props.value);
    };
  }

  /** value: {key, name, type, base64} saves a file as soon as it comes. */
  function download(element, props, trigger, watch) {
    watch("value", () => {
      if (!props.value) return;
      const { name, type, base64 } = props.value;
      const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
      const address = URL.createObjectURL(new Blob([bytes], { type }));
      const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
      document.body.append(anchor);
      anchor.click();
      anchor.remove();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    });
  }

  window.SepsPage = {
    viewer: (...mounting) => linked(window.SepsViewer.mount)(...mounting),
    compare: (...mounting) => linked(window.SepsCompare.mount)(...mounting),
    edit: (...mounting) => linked(window.SepsEdit.mount)(...mounting),
    lesson: (...mounting) => linked(window.SepsLesson.mount)(...mounting),
    // Gradio's own "change" fires with every new value: what a person changes has another name.
    playground: (element, props, trigger, watch) =>
      window.SepsPlayground.mount(element, props, (_, detail) => trigger("turn", detail), watch),
    download,
  };
})();
