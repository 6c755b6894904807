// Files to take away.

import { bytes } from "../base/bytes.js";
import { worked } from "./busy.js";

// Save a file as soon as it comes: value is {key, name, type, base64}, or {key, failed} where there is none.
export function mount(element, props, trigger, watch) {
  watch("value", () => {
    if (!props.value) return;
    worked();
    if (props.value.failed) return;
    const { name, type, base64 } = props.value;
    const address = URL.createObjectURL(new Blob([bytes(base64)], { type }));
    const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  });
}
