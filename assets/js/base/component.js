// A component: mounted once, filled by `show`.

// mount: of a view; answer(event, detail): what a trigger leads to.
export function component(element, mount, value, answer) {
  const props = { value };
  const updates = [];
  mount(element, props, (event, detail = {}) => answer(event, detail), (_names, update) => updates.push(update));
  return {
    get value() { return props.value; },
    show(next) {
      props.value = next;
      updates.forEach((update) => update());
    },
  };
}
