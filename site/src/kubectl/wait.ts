/**
 * `kubectl wait`: until objects have a condition, a value, are there, or are gone.
 *
 * @module
 */
import { parseGoMillis } from "../../../src/util/go-duration.ts";
import { sleep } from "../../../src/util/clock.ts";
import { type ApiJson, ApiFailure, Failure, type Json, nameOf, pathOf, resourceOf, textOf } from "./api.ts";
import { type Command, type Target, targetsOf } from "./context.ts";
import { pathValues } from "./print.ts";

/** How often an object is read while something waits for it, in ms. */
const LOOK_MS = 100;
const DEFAULT_TIMEOUT_MS = 30_000;

type Check = (object: ApiJson | undefined) => boolean;

/** What `--for` asks for. @throws Failure */
function checkOf(text: string): Check {
  if (text.toLowerCase() === "delete") return (object) => object === undefined;
  if (text.toLowerCase() === "create") return (object) => object !== undefined;
  if (text.startsWith("condition=")) {
    const [, name = "", wanted = "True"] = text.split("=");
    return (object) => {
      const conditions = (((object?.["status"] ?? {}) as Json)["conditions"] ?? []) as Json[];
      return conditions.some(
        ({ type, status }) =>
          textOf(type).toLowerCase() === name.toLowerCase() && textOf(status).toLowerCase() === wanted.toLowerCase(),
      );
    };
  }
  if (text.startsWith("jsonpath=")) {
    const end = text.indexOf("}");
    const path = text.slice("jsonpath=".length, end + 1);
    const rest = text.slice(end + 1);
    const wanted = rest.startsWith("=") ? rest.slice(1).replace(/^(?:"(.*)"|'(.*)')$/, "$1$2") : undefined;
    return (object) => {
      const [value] = object === undefined ? [] : pathValues(path, object);
      return (
        value !== undefined &&
        (wanted === undefined || (typeof value === "string" ? value : JSON.stringify(value)) === wanted)
      );
    };
  }
  throw new Failure(`error: unrecognized condition: "${text}"`);
}

/** A time such as `30s` in ms. @throws Failure */
export function timeoutOf({ flags }: Command, without: number): number {
  const text = flags.get("timeout");
  if (text === undefined) return without;
  const millis = text === "0" ? 0 : parseGoMillis(text);
  if (millis === undefined)
    throw new Failure(`error: invalid argument "${text}" for "--timeout" flag: expected a time such as 30s`);
  return millis < 0 ? Infinity : millis;
}

/** The object now; undefined where it is not there. */
async function read({ api }: Command, { kind, namespace, name }: Target): Promise<ApiJson | undefined> {
  try {
    return await api.json<ApiJson>("GET", pathOf(kind, namespace, name));
  } catch (error) {
    if (error instanceof ApiFailure && error.status.code === 404) return undefined;
    throw error;
  }
}

/** Looks at something again and again. Resolves to false when the time has passed. @throws Failure after Ctrl-C */
export async function until(command: Command, millis: number, look: () => Promise<boolean>): Promise<boolean> {
  const { clock } = command.api;
  const end = clock.steady() + millis;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- again and again
    if (await look()) return true;
    if (clock.steady() >= end) return false;
    // oxlint-disable-next-line no-await-in-loop
    await sleep(clock, LOOK_MS, command.streams.signal);
    if (command.streams.signal.aborted) throw new Failure("", 130);
  }
}

/**
 * Waits until an object that was deleted is gone; one with finalizers stays until they are. Resolves to false when the time has passed.
 *
 * @param target `uid` is the object that was deleted; by default the one that has the name now
 */
export async function waitUntilGone(
  command: Command,
  target: Target & { readonly uid?: string },
  millis: number,
): Promise<boolean> {
  const uid = target.uid ?? (await read(command, target))?.metadata["uid"];
  return until(command, millis, async () => {
    const now = await read(command, target);
    return now === undefined || now.metadata["uid"] !== uid;
  });
}

/** Runs `kubectl wait`. */
export async function wait(command: Command): Promise<number> {
  const { flags, streams } = command;
  const condition = flags.get("for");
  if (condition === undefined) throw new Failure('error: required flag(s) "for" not set');
  const check = checkOf(condition);
  const mayBeAbsent = /^(?:delete|create)$/i.test(condition);
  const millis = timeoutOf(command, DEFAULT_TIMEOUT_MS);
  const targets = await targetsOf(command, flags.words, "wait");
  if (targets.length === 0) {
    streams.err("error: no matching resources found\n");
    return 1;
  }
  let code = 0;
  for (const target of targets) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as kubectl
    const first = await read(command, target);
    if (!first && !mayBeAbsent) {
      streams.err(`Error from server (NotFound): ${resourceOf(target.kind)} "${target.name}" not found\n`);
      code = 1;
      continue;
    }
    // oxlint-disable-next-line no-await-in-loop
    const isMet = await until(command, millis, async () => check(await read(command, target)));
    if (isMet) streams.out(`${nameOf(target.kind, target.name)} condition met\n`);
    else {
      streams.err(`error: timed out waiting for the condition on ${resourceOf(target.kind)}/${target.name}\n`);
      code = 1;
    }
  }
  return code;
}
