/**
 * Calls to other people's webhooks: one JSON question, one JSON answer, over HTTPS.
 *
 * Whoever is asked is not believed and not waited for without an end: a certificate that was signed by somebody else, a
 * redirect, a status other than 200, an answer that is too long, too late or no JSON is a failure that says what was
 * expected and found. It knows nothing of what is asked: conversion and admission are made of it elsewhere.
 *
 * @module
 */
import { Agent, type RequestOptions, request } from "node:https";
import type { IncomingMessage } from "node:http";
import { posix } from "node:path";
import { withoutTrailing } from "../util/scan.ts";
import { decodeJson } from "../value/json.ts";
import type { Value } from "../value/value.ts";
import type { Clock } from "../util/clock.ts";

/** Where a webhook is. */
export interface HookAddress {
  /** `https://HOST[:PORT]/PATH`: where to connect. */
  readonly url: string;
  /** The name that its certificate must have, where that is not the host of the URL. */
  readonly serverName?: string;
  /** PEM: who must have signed its certificate; whoever this machine trusts where it is missing. */
  readonly ca?: string;
}

/** Asks webhooks. */
export interface Hooks {
  /**
   * Sends `body`, a JSON text, and gives back the JSON value of the answer. Rejects with an error that says what was wrong
   * with the answer, or that there was none within `millis`.
   */
  ask(address: HookAddress, body: string, millis: number): Promise<Value>;
  /** Ends the connections. */
  close(): void;
}

/** Connections to one webhook side by side; more questions wait. */
const MOST_SOCKETS = 32;
/** An answer may be twice as long as what was sent, and this much longer: it is read within a turn. */
const ROOM = 1 << 20;

/** Asks over HTTPS; connections are kept for the next question. */
export function openHooks({ clock }: { readonly clock: Clock }): Hooks {
  const settings = { keepAlive: true, maxSockets: MOST_SOCKETS, maxFreeSockets: 2, scheduling: "lifo" } as const;
  // Made for the first question.
  let agent: Agent | undefined;
  return {
    ask: (address, body, millis) => ask({ address, body, millis, agent: (agent ??= new Agent(settings)), clock }),
    close: () => agent?.destroy(),
  };
}

interface Question {
  readonly address: HookAddress;
  readonly body: string;
  readonly millis: number;
  readonly agent: Agent;
  readonly clock: Clock;
}

async function ask({ address, body, millis, agent, clock }: Question): Promise<Value> {
  const abort = new AbortController();
  const late = new Error(`expected an answer within ${millis / 1000} s, got none`);
  const timer = clock.after(millis, () => abort.abort(late));
  try {
    const response = await send(optionsOf(address, agent, abort.signal), body);
    return await read(response, 2 * body.length + ROOM);
  } catch (error) {
    throw abort.signal.aborted ? late : error;
  } finally {
    timer.cancel();
  }
}

function optionsOf({ url, serverName, ca }: HookAddress, agent: Agent, signal: AbortSignal): RequestOptions {
  const { hostname, port, pathname } = new URL(url);
  // An address of IPv6 stands in brackets in a URL and in none elsewhere.
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return {
    method: "POST",
    host,
    port: port === "" ? 443 : Number(port),
    path: tidy(pathname),
    agent,
    // A certificate that was given as the authority is believed although another one has signed it.
    allowPartialTrustChain: true,
    signal,
    headers: { "content-type": "application/json", accept: "application/json" },
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(ca === undefined ? {} : { ca }),
  };
}

/** A path without doubled slashes and one at its end, which a server in Go would answer with a redirect. */
const tidy = (path: string): string => withoutTrailing(posix.normalize(path), "/") || "/";

function send(options: RequestOptions, body: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request(options, resolve);
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

async function read(response: IncomingMessage, most: number): Promise<Value> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) throw new Error(`expected an answer of at most ${most} bytes, got more`);
    parts.push(part);
  }
  if (response.statusCode !== 200) throw new Error(`expected the status 200, got ${response.statusCode}`);
  return decodeJson(Buffer.concat(parts)).value;
}
