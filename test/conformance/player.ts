/**
 * Plays scenarios against a server and records what it answers, in the form of the recordings.
 *
 * @module
 */
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { buffer } from "node:stream/consumers";
import { type Answer, compareAnswers, isFailure } from "./compare.ts";
import type { HookServer } from "./hooks.ts";
import { Names } from "./normalise.ts";
import { type Variables, at, fill } from "./paths.ts";
import { type RecordedScenario, type Scenario, type Step, requestsOf } from "./scenario.ts";

/** Where to play. */
export interface Target {
  /** Base address. */
  readonly url: string;
  readonly token: string;
  /** Domain of the API groups: `k8s.io` or `svc.io`. */
  readonly domain: string;
  /** Where webhooks are answered; scenarios that ask them fail without. */
  readonly hooks?: Pick<HookServer, "url" | "plainUrl" | "ca">;
}

/** A step that answered otherwise than recorded. */
export interface Difference {
  readonly step: number;
  readonly request: string;
  readonly lines: readonly string[];
}

/** What became of one scenario. */
export interface Outcome {
  readonly name: string;
  readonly area: string;
  readonly steps: number;
  readonly differences: readonly Difference[];
}

const REQUEST_MS = 20_000;
const TOKEN_TIMES: ReadonlySet<string> = new Set(["iat", "nbf", "exp", "warnafter"]);
const AGES = ["Age", "Last Seen", "First Seen"];

/** Plays scenarios, some side by side, in the order of the list; those that must be alone one by one at the end. */
export class Player {
  readonly #target: Target;
  readonly #names: Names;
  readonly #run: string;

  /** @param run a text that is in every name of this run and in nothing that the server says by itself */
  constructor(target: Target, run: string) {
    this.#target = target;
    this.#names = new Names(target.domain);
    this.#run = run;
  }

  async playAll(scenarios: readonly RecordedScenario[], sideBySide: number): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const numbered = [...scenarios.entries()];
    const together = numbered.filter(([, { scenario }]) => !scenario.alone).values();
    const play = async ([n, scenario]: readonly [number, RecordedScenario]): Promise<void> => {
      outcomes[n] = await this.#play(scenario, n);
    };
    const worker = async (): Promise<void> => {
      for (const one of together) await play(one);
    };
    await Promise.all(Array.from({ length: sideBySide }, worker));
    for (const one of numbered) if (one[1].scenario.alone) await play(one);
    return outcomes;
  }

  /** Plays one scenario; its answers in the form of the recordings. `n` is a number of its own in this run. */
  async answers(scenario: Scenario, n: number): Promise<unknown[]> {
    const id = `${this.#run}${n.toString(36)}`;
    const { domain: d, hooks } = this.#target;
    const variables: Variables = { ns: `c-${id}`, id, d, hooks: hooks?.url, hooksCA: hooks?.ca };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: variables["ns"] } };
    if (!scenario.clusterOnly) await this.#plain("POST", "/api/v1/namespaces", JSON.stringify(namespace));
    const got = await this.#steps(scenario.steps, variables);
    await this.#steps(scenario.cleanup ?? [], variables);
    if (!scenario.clusterOnly) await this.#plain("DELETE", `/api/v1/namespaces/${String(variables["ns"])}`);
    return got;
  }

  async #play({ scenario, expected, area }: RecordedScenario, n: number): Promise<Outcome> {
    const got = (await this.answers(scenario, n)).flat(Infinity) as Answer[];
    const wanted = expected.flat(Infinity) as Answer[];
    const steps = requestsOf(scenario.steps);
    const differences = got.flatMap((answer, i) => {
      const lines = compareAnswers(wanted[i], answer);
      return lines.length ? [{ step: i, request: `${steps[i]?.do ?? "wait"} ${steps[i]?.path ?? ""}`, lines }] : [];
    });
    return { name: scenario.name, area, steps: got.length, differences };
  }

  async #steps(steps: readonly Step[], variables: Variables): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const step of steps) {
      if (step.wait !== undefined) {
        await pause(step.wait);
        answers.push({});
      } else if (step.parallel) {
        answers.push(await Promise.all(step.parallel.map((branch) => this.#steps(branch, variables))));
      } else {
        answers.push(await this.#step(step, variables));
      }
    }
    return answers;
  }

  /** Plays a step, with `until` again and again until the body has these values. */
  async #step(step: Step, variables: Variables): Promise<Answer> {
    if (!step.until) return (await this.#request(step, variables)).answer;
    const { ms = 10_000, ...wanted } = fill(step.until, variables);
    for (const end = Date.now() + Number(ms); ;) {
      const { answer, json } = await this.#request(step, variables);
      const holds = ([path, value]: readonly [string, unknown]): boolean =>
        matches(path === "$status" ? answer.status : at(json, path), value);
      if (Object.entries(wanted).every(holds) || Date.now() > end) return answer;
      await pause(100);
    }
  }

  async #request(step: Step, variables: Variables): Promise<{ answer: Answer; json?: unknown }> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), step.watch ? (step.watch.ms ?? 2500) : REQUEST_MS);
    try {
      const response = await send(this.#url(step, variables), {
        method: step.do!,
        signal: abort.signal,
        ...this.#bodyAndHeaders(step, variables),
      });
      const answer: Record<string, unknown> = { status: response.status };
      const type = (response.headers.get("content-type") ?? "").split(";")[0];
      if (type) answer["type"] = type;
      const warning = response.headers.get("warning");
      if (warning) answer["warnings"] = warning.split(/, (?=299)/).length;
      if (step.answerHeaders) {
        answer["headers"] = Object.fromEntries(
          step.answerHeaders.map((h) => [h, this.#names.normalise(response.headers.get(h) ?? "", variables)]),
        );
      }
      if (step.watch && response.ok) {
        await this.#readWatch(step, response, variables, answer);
        abort.abort();
        return { answer };
      }
      return this.#readBody(step, await response.text(), warning ?? "", variables, answer);
    } catch (error) {
      return { answer: { failed: error instanceof Error ? error.name : String(error) } };
    } finally {
      clearTimeout(timer);
    }
  }

  #url(step: Step, variables: Variables): string {
    const path = fill(step.path!, variables);
    const query = new URLSearchParams(fill(step.query ?? {}, variables)).toString();
    return (
      (step.at === "hooks" ? this.#target.hooks?.plainUrl : this.#target.url) +
      path +
      (query ? (step.path!.includes("?") ? "&" : "?") + query : "")
    );
  }

  #bodyAndHeaders(step: Step, variables: Variables): Pick<Sent, "headers" | "body"> {
    const authorization = `Bearer ${this.#target.token}`;
    const headers: Record<string, string | readonly string[] | null> = {
      accept: "application/json",
      // The recordings were made with this agent, and owners without a name are called after it.
      "user-agent": "node",
      authorization,
      ...fill(step.headers ?? {}, variables),
    };
    if (step.raw === undefined && step.body === undefined) return { headers };
    headers["content-type"] = step.type ?? "application/json";
    const body =
      step.raw === undefined
        ? JSON.stringify(this.#names.toServer(fill(step.body, variables)))
        : this.#names.textToServer(fill(step.raw, variables));
    return { headers, body };
  }

  #readBody(
    step: Step,
    text: string,
    warning: string,
    variables: Variables,
    answer: Record<string, unknown>,
  ): { answer: Answer; json?: unknown } {
    const heard = step.says && {
      says: fill(step.says, variables).map((part) => text.includes(part) || warning.includes(part)),
    };
    Object.assign(answer, heard);
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      answer["text"] = String(this.#names.normalise(text, variables)).slice(0, 400);
    }
    if (step.layout) {
      answer["layout"] =
        `${/\n\s/.test(text) ? "indented" : "compact"}${text.endsWith("\n") ? ", newline at the end" : ""}`;
    }
    if (json !== undefined) {
      for (const [name, path] of Object.entries(step.save ?? {})) variables[name] = at(json, fill(path, variables));
    }
    if (step.claims) answer["claims"] = this.#claims(at(json, step.claims), variables);
    if (step.only === "status") return { answer: { status: answer["status"] as number, ...heard }, json };
    if (step.only === "type") return { answer: { status: answer["status"] as number, type: answer["type"] }, json };
    if (step.only === "reason")
      return { answer: { ...this.#reason(answer["status"] as number, json), ...heard }, json };
    if (isTable(json)) hideAges(json, json.columnDefinitions);
    if (json !== undefined) answer["body"] = this.#view(json, step, variables);
    return { answer, json };
  }

  /** What a signed token says; its times become what they are after `iat`. */
  #claims(token: unknown, variables: Variables): unknown {
    const [, payload] = String(token).split(".");
    if (payload === undefined) return String(token);
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
    const since = (value: unknown, key?: string): unknown => {
      if (typeof value === "number" && TOKEN_TIMES.has(key ?? "")) return `iat+${value - Number(claims["iat"])}`;
      if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([k, x]) => [k, since(x, k)]));
    };
    return this.#names.normalise(since(claims), variables);
  }

  #reason(status: number, json: unknown): Answer {
    const { reason, details } = (json ?? {}) as { reason?: string; details?: { causes?: Cause[] } };
    const causes = (details?.causes ?? []).map((c) => `${c.reason} ${this.#names.textToNeutral(c.field ?? "")}`);
    return { status, reason, causes: causes.toSorted() };
  }

  async #readWatch(
    step: Step,
    response: Response,
    variables: Variables,
    answer: Record<string, unknown>,
  ): Promise<void> {
    const events: unknown[] = [];
    const most = step.watch!.events;
    let columns: TableColumn[] | undefined;
    answer["events"] = events;
    try {
      for await (const line of linesOf(response.body!)) {
        const event = JSON.parse(line) as { object?: unknown };
        if (isTable(event.object)) hideAges(event.object, (columns = event.object.columnDefinitions ?? columns));
        events.push(this.#view(event, step, variables));
        if (most !== undefined && events.length >= most) break;
      }
      answer["ended"] = !(most !== undefined && events.length >= most);
    } catch {
      answer["ended"] = false;
    }
    if (most !== undefined) events.splice(most);
  }

  /** What is compared of a body or event: all of it, or the parts in `pick`; with `shape` types in place of values. */
  #view(value: unknown, step: Step, variables: Variables): unknown {
    const leaf = step.shape ? types : (x: unknown, key?: string) => this.#names.normalise(x, variables, key);
    if (!step.pick || isFailure(value) || isFailure((value as { object?: unknown } | null)?.object)) return leaf(value);
    return Object.fromEntries(step.pick.map((path) => [path, at(value, fill(path, variables), leaf)]));
  }

  async #plain(method: string, path: string, body?: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.#target.token}`, "content-type": "application/json" };
    const response = await fetch(this.#target.url + path, { method, headers, ...(body ? { body } : {}) });
    await response.text();
  }
}

/** A request as it is sent. */
interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | null>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Sends a request; a header with several values as several lines, which fetch would join. */
async function send(url: string, { method, headers, body, signal }: Sent): Promise<Response> {
  const given = Object.entries(headers).flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
  const lines = given.filter(([, value]) => Array.isArray(value));
  if (lines.length === 0) {
    const plain = Object.fromEntries(given) as Record<string, string>;
    return fetch(url, { method, headers: plain, signal, ...(body === undefined ? {} : { body }) });
  }
  const request = (url.startsWith("https:") ? https : http).request(url, {
    method,
    signal,
    rejectUnauthorized: false,
    headers: Object.fromEntries(given) as http.OutgoingHttpHeaders,
  });
  request.end(body);
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  const got = Object.entries(answer.headers).map(([key, value]): [string, string] => [key, String(value)]);
  return new Response(await buffer(answer), { status: answer.statusCode ?? 0, headers: got });
}

/** Whether a value is what a step waits for. */
function matches(value: unknown, wanted: unknown): boolean {
  if (wanted === null) return value === null || value === undefined;
  return wanted === "<set>" ? value !== null && value !== undefined : value === wanted;
}

interface Cause {
  readonly reason?: string;
  readonly field?: string;
}

interface TableColumn {
  readonly name: string;
  readonly type: string;
}

interface Table {
  readonly kind: "Table";
  readonly columnDefinitions?: TableColumn[];
  readonly rows?: { cells?: unknown[] }[];
}

const isTable = (value: unknown): value is Table => (value as { kind?: string } | null | undefined)?.kind === "Table";

/** Cells that tell how long ago something was become `<age>`. */
function hideAges(table: Table, columns: readonly TableColumn[] | undefined): void {
  const isAge = (i: number): boolean => columns?.[i]?.type === "date" || AGES.includes(columns?.[i]?.name ?? "");
  for (const row of table.rows ?? []) {
    if (row.cells)
      row.cells = row.cells.map((cell, i) => (isAge(i) && /^\d+[smhdy]/.test(String(cell)) ? "<age>" : cell));
  }
}

function types(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(types);
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(Object.entries(value as object).map(([key, x]) => [key, types(x)]));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop()!;
    yield* parts.filter((line) => line.trim() !== "");
  }
}
