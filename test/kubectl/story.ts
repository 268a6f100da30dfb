/**
 * Stories of kubectl as tables: command lines with what must come of them. A story has a namespace of its own, so that
 * many can be told to one server at the same time.
 *
 * @module
 */
import type { Kubectl, Running } from "./kubectl.ts";

/** One command line, and what must come of it. `{ns}` is the story's namespace, `{domain}` that of the dialect. */
export interface Step {
  /** Words; text between single quotes is one word. */
  readonly run: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The exit code; 0 by default. */
  readonly code?: number;
  /** What standard output must contain or match. */
  readonly out?: string | RegExp | readonly (string | RegExp)[];
  /** What standard error must contain or match. */
  readonly err?: string | RegExp;
  /** What it prints stands for `{NAME}` in the steps that follow. */
  readonly saves?: string;
  /** Runs beside the steps that follow, and must end by itself, as told. */
  readonly beside?: boolean;
  /** The steps that follow wait until the watch of this one is open. */
  readonly watches?: boolean;
  /** It does not end by itself, but must print this. */
  readonly until?: string | RegExp;
  /** A path that is asked for at the address which a command beside tells (`kubectl proxy`), and what it answers. */
  readonly fetch?: readonly [path: string, answer: string];
}

/** What one command can do. */
export interface Story {
  /** The row of the table: a command with its most telling flags. */
  readonly name: string;
  /** The first minor version that has the command. */
  readonly since?: number;
  /** Files that the steps name as `{files}/NAME`. */
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

/** The words of a command line. */
export const wordsOf = (line: string): string[] =>
  (line.match(/(?:[^\s']|'[^']*')+/g) ?? []).map((word) => word.replaceAll("'", ""));

/** What a story runs on. */
export interface Stage {
  readonly kubectl: Kubectl;
  readonly namespace: string;
  readonly domain: string;
}

/** Tells a story; returns what went wrong, the empty text when nothing did. It ends with the first step that did. */
export async function tell(story: Story, { kubectl, namespace, domain }: Stage): Promise<string> {
  const saved = new Map<string, string>();
  const filled = (text: string): string =>
    [...saved]
      .reduce((known, [name, value]) => known.replaceAll(`{${name}}`, value), text)
      .replaceAll("{ns}", namespace)
      .replaceAll("{domain}", domain)
      .replaceAll("{files}", `${kubectl.folder}/${namespace}`);
  for (const [name, content] of Object.entries(story.files ?? {})) {
    kubectl.file(`${namespace}/${name}`, filled(content));
  }
  const besides: { step: Step; words: readonly string[]; running: Running }[] = [];
  try {
    for (const step of story.steps) {
      const words = [...wordsOf(filled(step.run)), "-n", namespace];
      const options = { stdin: filled(step.stdin ?? ""), env: mapped(step.env, filled) };
      if (!step.beside) {
        const came = await kubectl.run(words, options);
        if (step.saves !== undefined) saved.set(step.saves, came.stdout);
        const problem = wrong(step, filled, words, came);
        if (problem !== undefined) return problem;
        continue;
      }
      const running = kubectl.start(step.watches ? [...words, "--v=6"] : words, options);
      besides.push({ step, words, running });
      // At this level kubectl tells each request on standard error.
      if (step.watches) await running.prints("stderr", /watch=true.*200/);
    }
    for (const { step, words, running } of besides) {
      let problem: string | undefined;
      if (step.fetch) problem = await fetchThrough(running, filled(step.fetch[0]), step.fetch[1]);
      else if (step.until) await running.prints("stdout", pattern(filled, step.until));
      else problem = wrong(step, filled, words, await running.ended);
      if (problem !== undefined) return problem;
    }
    return "";
  } finally {
    for (const { running } of besides) running.kill();
  }
}

const mapped = (env: Step["env"], turn: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(env ?? {}).map(([key, value]) => [key, turn(value)]));

const pattern = (filled: (text: string) => string, wanted: string | RegExp): RegExp =>
  wanted instanceof RegExp
    ? new RegExp(filled(wanted.source), wanted.flags)
    : new RegExp(filled(wanted).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));

interface Came {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What is wrong with what came of a step; undefined for nothing. */
function wrong(step: Step, filled: (text: string) => string, words: readonly string[], came: Came): string | undefined {
  const code = step.code ?? 0;
  const outs = [step.out ?? []].flat() as (string | RegExp)[];
  const missing = [
    ...(came.code === code ? [] : [`exit code ${code}`]),
    ...outs.map((out) => pattern(filled, out)).filter((out) => !out.test(came.stdout)),
    ...(step.err === undefined ? [] : [pattern(filled, step.err)]).filter((err) => !err.test(came.stderr)),
  ];
  if (missing.length === 0) return undefined;
  const got = `exit code ${came.code}, ${JSON.stringify(came.stdout)}, ${JSON.stringify(came.stderr)}`;
  return `kubectl ${words.join(" ")}: expected ${missing.join(" and ")}, got ${got}`;
}

async function fetchThrough(running: Running, path: string, answer: string): Promise<string | undefined> {
  const [, address] = await running.prints("stdout", /Starting to serve on (\S+)/);
  const text = await (await fetch(`http://${address}${path}`)).text();
  return text.includes(answer) ? undefined : `expected ${path} to answer with ${answer}, got ${text}`;
}
