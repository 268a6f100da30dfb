import { sleep } from "../util/clock.ts";
import { parseDuration } from "../util/duration.ts";
import { printableLines } from "../util/terminal.ts";
import type { Actions } from "./actions.ts";
import { askServer } from "./ask-server.ts";
import { CliError } from "./cli-error.ts";

/** The flags of `health`. */
export interface HealthFlags {
  readonly dataDir?: string;
  readonly server?: string;
  readonly check: "livez" | "readyz";
  readonly timeout: string;
  readonly wait: string;
}

/** The maximum number of printed characters of a response; a list of checks is shorter. */
const MAX_SHOWN = 20_000;
/** The pause between two requests with `--wait`. */
const PAUSE_MS = 250;

/**
 * Requests `/readyz` or `/livez` without a credential, and prints the checks. As with the probes of a kubelet, any certificate is
 * accepted: nothing secret is sent. With `wait` the request is repeated until that time has passed.
 *
 * @throws CliError where no server runs, where it does not respond in time, and where the status is not 200
 */
export async function runHealth(actions: HealthActions, flags: HealthFlags): Promise<void> {
  const { clock } = actions;
  const limit = clock.steady() + durationOf("--wait", flags.wait);
  for (;;) {
    try {
      actions.print(await healthOf(actions, flags));
      return;
    } catch (error) {
      if (!(error instanceof CliError) || error.usage || clock.steady() >= limit) throw error;
    }
    await sleep(clock, PAUSE_MS, undefined, { holds: true });
  }
}

type HealthActions = Pick<Actions, "info" | "print" | "version" | "clock">;

async function healthOf(actions: HealthActions, { dataDir, server, check, timeout }: HealthFlags): Promise<string> {
  const millis = durationOf("--timeout", timeout);
  const url = server ?? (await addressOf(actions, dataDir));
  const options = { url, insecure: true, proxy: "" };
  const agent = `keelson/${actions.version}`;
  const { status, text } = await askServer(actions.clock, options, `/${check}?verbose`, { millis, agent });
  // The response may be from any server.
  if (status === 200) return printableLines(text.trim().slice(0, MAX_SHOWN));
  throw new CliError(`expected 200 from ${url}/${check}, got ${status}: ${text.trim().slice(0, 500)}`);
}

/** A duration in ms. @throws CliError that names the flag */
function durationOf(flag: string, text: string): number {
  const millis = parseDuration(text);
  if (millis !== undefined) return millis;
  throw new CliError(`expected ${flag} to be a duration such as 5s, got ${text}`, { usage: true });
}

async function addressOf({ info }: Pick<Actions, "info">, dataDir: string | undefined): Promise<string> {
  const { path, running } = await info(dataDir);
  const [address] = running?.addresses ?? [];
  if (address === undefined) throw new CliError(`expected a server to run on ${path}, found none`);
  return address;
}
