/**
 * What stories in a browser have in common.
 *
 * @module
 */
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect, onTestFailed } from "vitest";
import { type AxeFinding, type TestBrowser, type TestPage, axe, picture } from "./chromium.ts";
import { type AskOptions, type TestServer, signIn } from "./server.ts";

/** How long a step of a page may take on a machine that is busy, in milliseconds. */
export const PATIENCE_MS = 60_000;
const POLLED = { timeout: PATIENCE_MS };

let failures = 0;

/** Keeps a picture of a page, and what went wrong in it, if the test fails. */
export function tellWhenFailed({ page, problems }: TestPage): void {
  onTestFailed(async () => {
    const path = await picture(page, `failed-${failures++}`).catch(() => "no picture");
    process.stderr.write(`${page.url()}\n${path}\n${problems.slice(0, 20).join("\n")}\n`);
  });
}

/** Opens a page that is signed in; see {@link signIn}. */
export async function openStory(
  browser: TestBrowser,
  server: TestServer,
  to: string,
  {
    context = { viewport: { width: 1280, height: 800 } },
    ...asked
  }: AskOptions & { readonly context?: BrowserContextOptions } = {},
): Promise<TestPage> {
  const opened = await browser.newPage(context);
  opened.page.setDefaultTimeout(PATIENCE_MS);
  tellWhenFailed(opened);
  await signIn(opened.page, server, { to, ...asked });
  return opened;
}

/** The text that is edited, as an element. */
export const editorOf = (page: Page): Locator => page.locator(".edit-main .cm-content");

/** A button with exactly this name, or one that fits. */
export const buttonOf = (page: Page, name: string | RegExp): Locator =>
  page.getByRole("button", { name, exact: typeof name === "string" });

/** What runs in the page has types of its own, so it is text here. */
const paste = (text: string): string => `{
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", ${JSON.stringify(text)});
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  document.querySelector(".edit-main .cm-content").dispatchEvent(event);
}`;

/** Replaces the whole text of the editor, as a paste does. */
export async function replaceText(page: Page, text: string): Promise<void> {
  await editorOf(page).click();
  await page.keyboard.press("Control+a");
  await page.evaluate(paste(text));
}

/** Waits until the text of the editor fits. */
export const expectText = (page: Page, part: string | RegExp): Promise<void> =>
  expect.poll(() => editorOf(page).innerText(), POLLED).toMatch(part);

/** Replaces a part of the text of the editor, whose lines are all shown, as soon as it is there. */
export async function editText(page: Page, from: string | RegExp, to: string): Promise<void> {
  await expectText(page, from);
  const text = (await editorOf(page).innerText()).trimEnd();
  await replaceText(page, `${text.replace(from, to)}\n`);
}

/** Waits until the editor has the focus. */
export const expectEditorFocus = (page: Page): Promise<void> => page.locator(".edit-main .cm-content:focus").waitFor();

/** Waits until no element fits; where one may still come, first wait for what proves that it would be there. */
export const expectNone = (elements: Locator): Promise<void> => expect.poll(() => elements.count(), POLLED).toBe(0);

/**
 * Moves the slider of time by keys until the page shows a moment between two times, in milliseconds since the epoch. The object,
 * or the list, of that moment may not be there yet.
 */
export async function goBackBetween(page: Page, from: number, to: number): Promise<void> {
  const slider = page.getByRole("slider");
  await slider.focus();
  /** Presses a key; returns the time of the moment that is shown then, `NaN` for now. */
  const press = async (key: string): Promise<number> => {
    await page.keyboard.press(key);
    // The server has found the moment.
    await page.locator(".time-strip[aria-busy=false]").waitFor();
    const at = await page.evaluate<string>(`new URLSearchParams(location.search).get("at") ?? ""`);
    return Date.parse(at.split("@")[1] ?? "");
  };
  // A page is 20 of the 200 steps.
  let time = NaN;
  for (let page_ = 0; page_ < 10 && !(time < to); page_++) time = await press("PageDown");
  for (let step = 0; step < 20 && time < from; step++) time = await press("ArrowRight");
  if (!(time >= from && time < to))
    throw new Error(`expected a moment between ${from} and ${to}, the slider stands at ${time}`);
}

/** What a page says of itself; answers that are refusals, and connections that break off, are none of it. */
export const mistakesOf = ({ problems }: TestPage): readonly string[] =>
  problems.filter((problem) => !/^Failed to load resource|^WebSocket connection to /.test(problem));

/** Runs in a page before its scripts: counts its frames, and remembers the longest time between two of them. */
export const OBSERVE_FRAMES = `
  globalThis.frames_ = { count: 0, longest: 0, last: undefined };
  const onFrame = (now) => {
    if (frames_.last !== undefined) frames_.longest = Math.max(frames_.longest, now - frames_.last);
    frames_.last = now;
    frames_.count++;
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
`;

/** The frames since the last call, and the milliseconds of the longest one; see {@link OBSERVE_FRAMES}. */
export const takeFrames = (page: Page): Promise<{ readonly count: number; readonly longest: number }> =>
  page.evaluate<{ count: number; longest: number }>(
    "(({ count, longest }) => (frames_.count = frames_.longest = 0, { count, longest: Math.round(longest) }))(frames_)",
  );

/** What axe finds in both themes, as lines. */
export async function axeInBothThemes(page: Page, where: string): Promise<string[]> {
  const found: string[] = [];
  const told = (theme: string, findings: readonly AxeFinding[]): void => {
    for (const { rule, elements } of findings) found.push(`${where}, ${theme}: ${rule}: ${elements.join(" ")}`);
  };
  for (const colorScheme of ["light", "dark"] as const) {
    // oxlint-disable no-await-in-loop -- one theme after the other
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    told(colorScheme, await axe(page));
    // oxlint-enable no-await-in-loop
  }
  return found;
}

/** Sends an object to the server, as the admin; throws what the server says if it is refused. */
export async function sendObject(
  server: TestServer,
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  object?: object,
): Promise<unknown> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const { code, text } = await server.ask(method, path, {
    headers: { "content-type": type },
    ...(object ? { body: JSON.stringify(object) } : {}),
  });
  if (code >= 300) throw new Error(`${method} ${path}: ${code} ${text}`);
  return JSON.parse(text);
}

/** The token of a new ServiceAccount that may see its namespace, which is new too, and nothing else. */
export async function tokenOfOneNamespace(server: TestServer, namespace: string): Promise<string> {
  await sendObject(server, "POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  await sendObject(server, "POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "dev" } });
  await sendObject(server, "POST", `${RBAC}/namespaces/${namespace}/rolebindings`, {
    metadata: { name: "dev" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "ServiceAccount", name: "dev", namespace }],
  });
  return tokenOf(server, namespace, "dev");
}

const RBAC = "/apis/rbac.authorization.k8s.io/v1";

/** The token of a new ServiceAccount that may read every kind of the API, and write nothing. */
export async function readerToken(server: TestServer, name: string): Promise<string> {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await sendObject(server, "POST", accounts, { metadata: { name } });
  await sendObject(server, "POST", `${RBAC}/clusterroles`, {
    metadata: { name },
    rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }],
  });
  await sendObject(server, "POST", `${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
  return tokenOf(server, "default", name);
}

async function tokenOf(server: TestServer, namespace: string, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const answer = await sendObject(server, "POST", path, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {},
  });
  return (answer as { status: { token: string } }).status.token;
}
