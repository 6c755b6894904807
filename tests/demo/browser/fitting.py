"""Whether a talk fits its window: nothing leaves it, nothing lies over anything else, nothing is cut."""

from __future__ import annotations

from playwright.sync_api import Page

SCRIPT = """() => {
    const root = document.querySelector(".seps-lesson");
    const problems = new Set();
    const meet = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 3;
    const within = (one, other, leading = 1) => one.left >= other.left - 1 && one.right <= other.right + 1
        && one.top >= other.top - leading && one.bottom <= other.bottom + leading;
    const box = (one) => one.getBoundingClientRect();
    const apart = (list) => list.forEach(([name, its], at) => list.slice(at + 1).forEach(([other, theirs]) => {
        if (meet(its, theirs)) problems.add(`${name} lies over ${other}`);
    }));

    // What the talk consists of.
    const parts = ["rail", "said", "equation", "symbols", "scene", "choices", "knobs", "tensors"]
        .map((name) => [name, root.querySelector(`.seps-${name}`)]).filter(([, one]) => one.getClientRects().length);
    const boxes = parts.map(([name, one]) => [name, box(one)]);
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (const [name, its] of boxes) if (!within(its, screen)) problems.add(`${name} leaves the window`);
    apart(boxes);
    for (const controls of [".seps-rail button", ".seps-knob > *"]) {
        const seen = [...root.querySelectorAll(controls)].filter((one) => one.getClientRects().length);
        apart(seen.map((one) => [one.textContent, box(one)]));
    }

    // What is written, line by line; chips that do not all fit fade out inside their box.
    const lines = (element) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walker.nextNode()) {
            const { currentNode: node } = walker;
            const range = document.createRange();
            range.selectNodeContents(node);
            if (!node.textContent.trim() || !node.parentElement.checkVisibility()) continue;
            const chips = node.parentElement.closest(".seps-chips");
            const end = chips ? box(chips).bottom : Infinity;
            found.push(...[...range.getClientRects()].filter(({ width, bottom }) => width && bottom <= end));
        }
        return found;
    };
    for (const [name, one] of parts) {
        if (["knobs", "equation", "scene"].includes(name)) continue;
        if (lines(one).some((rect) => !within(rect, box(one), 9))) problems.add(`${name} is too small`);
    }
    const stage = box(root.querySelector(".seps-scene"));
    const labels = [...root.querySelectorAll(".seps-labels > div")].map((one) => [one.dataset.label, lines(one)]);
    for (const [name, rects] of labels) {
        if (rects.some((rect) => !within(rect, stage, 3))) problems.add(`${name} leaves the stage`);
    }
    apart(labels.flatMap(([name, rects]) => rects.map((rect) => [name, rect])));
    for (const one of root.querySelectorAll(".seps-labels p")) {
        if (one.scrollWidth > one.clientWidth + 1) problems.add(`cut: ${one.textContent}`);
    }
    return [...problems];
}"""


def problems_of(page: Page) -> list[str]:
    """What does not fit on the page of a talk, a sentence each."""
    return list(page.evaluate(SCRIPT))
