/**
 * The search of the pages: the index is loaded with the first search.
 *
 * @module
 */
import MiniSearch from "minisearch";
import { SEARCH_OPTIONS } from "./search-options.ts";
import { element } from "./elements.ts";

const MAX_FOUND = 12;

/** Has a field find pages, whose links begin at `root`. */
export function enableSearch(field: HTMLInputElement, place: HTMLElement, root: URL): void {
  let finder: Promise<MiniSearch["search"]> | undefined;
  const read = async (): Promise<MiniSearch["search"]> => {
    const response = await fetch(new URL("assets/search.json", root));
    if (!response.ok) throw new Error(`the index of the search could not be loaded: ${response.status}`);
    const index = MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS);
    return index.search.bind(index);
  };
  const load = (): Promise<MiniSearch["search"]> => {
    finder ??= read();
    // The next search tries again.
    finder.catch(() => (finder = undefined));
    return finder;
  };
  const show = (parts: readonly Node[]): void => {
    place.replaceChildren(...parts);
    place.hidden = false;
    field.ariaExpanded = "true";
  };
  let chosen = -1;
  const choose = (at: number): void => {
    const links = [...place.querySelectorAll("a")];
    chosen = links.length === 0 ? -1 : (at + links.length) % links.length;
    for (const [i, link] of links.entries()) link.ariaSelected = String(i === chosen);
    if (chosen >= 0) field.setAttribute("aria-activedescendant", links[chosen]!.id);
    links[chosen]?.scrollIntoView({ block: "nearest" });
  };
  const close = (): void => {
    place.hidden = true;
    field.ariaExpanded = "false";
    field.removeAttribute("aria-activedescendant");
  };
  const look = async (): Promise<void> => {
    const text = field.value.trim();
    if (text === "") return close();
    const find = await load();
    const found = find(text).slice(0, MAX_FOUND);
    if (field.value.trim() !== text) return;
    show([
      ...found.map(({ title, page, url }, at) => {
        const link = element("a", "", String(title));
        link.href = new URL(String(url), root).href;
        link.id = `found-${at}`;
        link.role = "option";
        if (page !== title) link.append(element("small", "", String(page)));
        return link;
      }),
      ...(found.length === 0 ? [element("p", "", "Nothing was found.")] : []),
    ]);
    choose(0);
  };
  const fail = (error: unknown): void => show([element("p", "", (error as Error).message)]);
  field.addEventListener("focus", () => void load().catch(() => {}));
  field.addEventListener("input", () => void look().catch(fail));
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter" && !place.hidden) place.querySelectorAll("a")[chosen]?.click();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  field.addEventListener("blur", () => setTimeout(close, 200));
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    field.focus();
  });
}
