// The language of the page, from its URL (assets/opening/language.js puts it there), and addresses in it.

const NAME = "lang";

export const language = new URLSearchParams(location.search).get(NAME) === "zh" ? "zh" : "en";

// A query, "" or from its "?" on, that keeps the page's language.
export function inLanguage(query) {
  if (language === "en" || new URLSearchParams(query).has(NAME)) return query;
  return `${query}${query ? "&" : "?"}${NAME}=${language}`;
}
