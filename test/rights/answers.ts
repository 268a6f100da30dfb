/**
 * What a server says to the questions of a world.
 *
 * @module
 */
import type { Asked, Gift, Placed, Sender, World } from "./world.ts";

/** What was answered to a question. */
export interface Said {
  readonly allowed: boolean;
  readonly reason: string;
}

/** The answers to a world, in the order of its questions. */
export interface Answers {
  readonly asked: readonly Said[];
  /** The status codes of what was tried to be given. */
  readonly gifts: readonly number[];
}

/** A server for requests; `by` is the sender, the admin by default. */
export interface Server {
  send(
    method: string,
    path: string,
    body?: object,
    by?: Sender,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number; readonly body: string }>;
}

const REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** Makes the objects of a world; rejects where one cannot be made. */
export async function build(server: Server, { namespaces, objects }: World): Promise<void> {
  for (const name of namespaces) await make(server, { path: "/api/v1/namespaces", object: { metadata: { name } } });
  for (const placed of objects) await make(server, placed);
}

async function make(server: Server, { path, object }: Placed): Promise<void> {
  const { code, body } = await server.send("POST", path, object);
  if (code !== 201) throw new Error(`expected ${object.metadata.name} to be created, got ${code}: ${body}`);
}

/** Takes the objects of a world away again. */
export async function clear(server: Server, { namespaces, objects }: World): Promise<void> {
  for (const { path, object } of objects) await server.send("DELETE", `${path}/${object.metadata.name}`);
  for (const name of namespaces) await server.send("DELETE", `/api/v1/namespaces/${name}`);
}

/** Asks everything. */
export async function ask(server: Server, { asked, gifts }: World): Promise<Answers> {
  const said: Said[] = [];
  for (const question of asked) said.push(await review(server, question));
  const codes: number[] = [];
  for (const gift of gifts) codes.push(await tryGift(server, gift));
  return { asked: said, gifts: codes };
}

async function review(server: Server, spec: Asked): Promise<Said> {
  const { code, body } = await server.send("POST", REVIEWS, { spec });
  if (code !== 201) throw new Error(`expected a review to be answered, got ${code}: ${body}`);
  const { allowed, reason = "" } = (JSON.parse(body) as { status: { allowed: boolean; reason?: string } }).status;
  return { allowed, reason };
}

const tryGift = async (server: Server, { by, path, object }: Gift): Promise<number> =>
  (await server.send("POST", `${path}?dryRun=All`, object, by)).code;

/**
 * The reasons that may be given: where several bindings allow a request, a server may name any of them, those of the cluster
 * before those of a namespace; and it may tell missing roles in any order.
 *
 * @param alone the reason that each binding by itself would be
 */
export function isReason(reason: string, ours: string, alone: () => readonly string[]): boolean {
  if (reason === ours) return true;
  if (!reason.startsWith("RBAC: allowed by ")) return quotedIn(reason) === quotedIn(ours);
  const kindOf = (text: string): string => text.split(" ")[3] ?? "";
  return kindOf(reason) === kindOf(ours) && [reason, ours].every((one) => alone().includes(one));
}

/** The names in a reason, sorted. */
const quotedIn = (reason: string): string => [...new Set(reason.match(/"[^"]*"/g))].toSorted().join();
