import { spawn } from "node:child_process";
import type { Clock } from "../util/clock.ts";

/** Within this time a program that opens a URL has started the browser, or waits for its end. */
const STARTED_MS = 3000;

/** The program that opens a URL, with the arguments before the URL; none of them is a shell. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens a URL in the browser of the user; resolves to whether that could be done.
 *
 * @param platform that of this process by default
 */
export function openBrowser(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const [program, ...args] = OPENERS[platform] ?? ["xdg-open"];
  const hasScreen = platform in OPENERS || ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].some((name) => env[name]);
  // Without a display it would look for a browser of the terminal.
  if (!hasScreen) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true, env: { ...env } });
    const timer = clock.after(STARTED_MS, () => resolve(true), { owner: "browser", holds: true });
    const end = (opened: boolean): void => {
      timer.cancel();
      resolve(opened);
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
    child.unref();
  });
}
