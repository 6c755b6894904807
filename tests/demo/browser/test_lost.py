"""An answer that Gradio's page loses on its way, since the stream of answers was closed late, comes all the same."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.demo.browser.page import KNOWN, WAIT

# The message that closes the stream comes late, as behind a slow proxy: meanwhile something else was asked.
LATE_CLOSE = """(() => {
  const fetched = window.fetch;
  window.closings = 0;
  window.fetch = async (...asked) => {
    const answer = await fetched(...asked);
    if (!String(asked[0]?.url ?? asked[0]).includes("/queue/data")) return answer;
    const reader = answer.body.getReader();
    const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
    const body = new ReadableStream({
      async pull(to) {
        const { value, done } = await reader.read();
        if (done) return to.close();
        const text = decoder.decode(value);
        const at = text.search(/data: *{"msg": *"close_stream"/);
        if (at < 0) return to.enqueue(value);
        window.closings += 1;
        if (at) to.enqueue(encoder.encode(text.slice(0, at)));
        if (window.closings === 1) await new Promise((go) => setTimeout(go, 1500));
        to.enqueue(encoder.encode(text.slice(at)));
      },
    });
    return new Response(body, { headers: answer.headers, status: answer.status });
  };
})();"""


def test_a_link_s_view_comes_though_its_answer_was_lost(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    context.add_init_script(KNOWN)
    page = context.new_page()
    page.add_init_script(LATE_CLOSE)
    page.goto(address + "/?view=search&gallery=examples&caption=a+cat")
    expect(page.locator("#viewer canvas").first).to_be_visible(timeout=WAIT)
    assert page.evaluate("window.closings") >= 2  # the stream was opened again
    context.close()
