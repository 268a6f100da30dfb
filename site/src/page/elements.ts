/**
 * Elements of pages.
 *
 * @module
 */

/** Makes an element with a class and a text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** Makes a button; its title says what it does. */
export function button(text: string, title: string, work: () => void, className = ""): HTMLButtonElement {
  const made = element("button", className, text);
  made.type = "button";
  made.title = title;
  made.addEventListener("click", work);
  return made;
}

/** Copies a text. Resolves to whether it was copied: a browser may refuse that. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
