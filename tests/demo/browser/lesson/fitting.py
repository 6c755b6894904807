"""Whether a talk fits its window: nothing leaves it, nothing lies over anything else, nothing is cut."""

from playwright.sync_api import Page

SCRIPT = """() => {
    const root = document.querySelector(".seps-lesson");
    const problems = new Set();
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
    const within = (a, b, leading = 1) => a.left >= b.left - 1 && a.right <= b.right + 1
        && a.top >= b.top - leading && a.bottom <= b.bottom + leading;
    const box = (element) => element.getBoundingClientRect();
    const apart = (list) => list.forEach(([name, its], at) => list.slice(at + 1).forEach(([other, theirs]) => {
        if (meet(its, theirs)) problems.add(`${name} lies over ${other}`);
    }));

    // What the talk consists of.
    const parts = ["rail", "said", "equation", "symbols", "scene", "choices", "knobs", "tensors"]
        .map((name) => [name, root.querySelector(`.seps-${name}`)]).filter(([, part]) => part.getClientRects().length);
    const boxes = parts.map(([name, element]) => [name, box(element)]);
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (const [name, its] of boxes) if (!within(its, screen)) problems.add(`${name} leaves the window`);
    apart(boxes);
    for (const controls of [".seps-rail button", ".seps-knob > *"]) {
        const seen = [...root.querySelectorAll(controls)].filter((element) => element.getClientRects().length);
        apart(seen.map((element) => [element.textContent, box(element)]));
    }

    // What is written, line by line; chips that do not all fit fade out inside their box.
    const lines = (element) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const rects = [];
        while (walker.nextNode()) {
            const { currentNode: node } = walker;
            const range = document.createRange();
            range.selectNodeContents(node);
            if (!node.textContent.trim() || !node.parentElement.checkVisibility()) continue;
            const chips = node.parentElement.closest(".seps-chips");
            const end = chips ? box(chips).bottom : Infinity;
            rects.push(...[...range.getClientRects()].filter(({ width, bottom }) => width && bottom <= end));
        }
        return rects;
    };
    for (const [name, element] of parts) {
        if (["knobs", "equation", "scene"].includes(name)) continue;
        if (lines(element).some((rect) => !within(rect, box(element), 9))) problems.add(`${name} is too small`);
    }
    const stage = box(root.querySelector(".seps-scene"));
    const labels = [...root.querySelectorAll(".seps-labels > div")].map((label) => [label.dataset.label, lines(label)]);
    for (const [name, rects] of labels) {
        if (rects.some((rect) => !within(rect, stage, 3))) problems.add(`${name} leaves the stage`);
    }
    apart(labels.flatMap(([name, rects]) => rects.map((rect) => [name, rect])));
    for (const element of root.querySelectorAll(".seps-labels p")) {
        if (element.scrollWidth > element.clientWidth + 1) problems.add(`cut: ${element.textContent}`);
    }
    return [...problems];
}"""


def problems_of(page: Page) -> list[str]:
    """Return a sentence for each part that does not fit on the page of a talk."""
    return list(page.evaluate(SCRIPT))
