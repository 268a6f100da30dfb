/**
 * Scripts of every kind: drawn, played, and made shorter where they have found something.
 *
 * @module
 */
import { type Step, simpler } from "../../src/http2/testing/steps.ts";
import { shrink } from "../../src/util/testing/shrink.ts";
import { type H1Script, drawH1 } from "./h1-draw.ts";
import { playH1 } from "./h1-play.ts";
import { playH2 } from "./h2-play.ts";
import { type H2Script, drawH2 } from "./h2-script.ts";
import type { Place } from "./line.ts";
import { playTls } from "./tls-play.ts";
import { type TlsScript, drawTls } from "./tls-script.ts";

/** What a client does on one connection. */
export type Script = H1Script | H2Script | TlsScript;

const DRAWS = { h1: drawH1, h2: drawH2, tls: drawTls } satisfies Readonly<
  Record<Script["as"], (seed: number) => Script | Promise<Script>>
>;

/** Draws a script. */
export const drawScript = async (as: Script["as"], seed: number): Promise<Script> => DRAWS[as](seed);

/** Plays a script; what was wrong. */
export async function playScript(script: Script, place: Place): Promise<string | undefined> {
  if (script.as === "h1") return playH1(script, place);
  return script.as === "h2" ? playH2(script, place) : playTls(script, place);
}

/** How long is waited for what does not come, while a script is made shorter, and how long that may take in all. */
const PATIENCE_MS = 1500;
const SHRINKING_MS = 60_000;

/** What was wrong, and the shortest script that shows it, as `found.ts` keeps it; the clock is in ms. */
export async function explained(script: Script, wrong: string, place: Place, now: () => number): Promise<string> {
  const until = now() + SHRINKING_MS;
  const kindOf = (text: string | undefined): string | undefined => text?.replaceAll(/\d+/g, "#").slice(0, 80);
  const fails = async (steps: readonly unknown[]): Promise<boolean> => {
    if (now() > until) return false;
    const shorter = { ...script, steps } as Script;
    return kindOf(await playScript(shorter, { ...place, patience: PATIENCE_MS })) === kindOf(wrong);
  };
  const least = await shrink<unknown>(script.steps, fails, (step) => (script.as === "h2" ? simpler(step as Step) : []));
  return `${wrong}\n{ as: "${script.as}", steps: [\n${least.map((step) => `  ${JSON.stringify(step)},\n`).join("")}] }`;
}
