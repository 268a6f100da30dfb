/** Explains the 404 of a kind that is not served. */
import { suggestion } from "../util/nearest.ts";
import { StatusError, isStatus } from "./errors.ts";
import { type Kind, apiVersionOf } from "./kind.ts";
import type { Requests } from "./requests.ts";

/** The path of a group and version. */
export const pathOf = ({ group, version }: Pick<Kind, "group" | "version">): string =>
  group === "" ? `/api/${version}` : `/apis/${group}/${version}`;

/** Whether a path is not served, rather than an object absent. */
const isUnserved = (error: unknown): error is StatusError =>
  isStatus(error, "NotFound") && error.status.details?.name === undefined;

/** Adds a hint with similar kinds to the error, where the kind is not served. */
export async function explained(error: unknown, client: Requests, kind: Kind, signal?: AbortSignal): Promise<unknown> {
  if (!isUnserved(error)) return error;
  const { status, request, conflict } = error;
  const hint = await hintFor(client, kind, signal);
  return hint === "" ? error : new StatusError(status, { request, conflict, hint });
}

async function hintFor(client: Requests, kind: Kind, signal: AbortSignal | undefined): Promise<string> {
  try {
    const { resources } = await client.json<{ resources: readonly { name: string }[] }>("GET", pathOf(kind), {
      signal,
    });
    const plurals = resources.map(({ name }) => name).filter((name) => !name.includes("/"));
    if (plurals.includes(kind.plural)) return "";
    return `${apiVersionOf(kind)} has no ${kind.plural}${suggestion(kind.plural, plurals)}`;
  } catch (error) {
    return isUnserved(error) ? `the server has no ${apiVersionOf(kind)}` : "";
  }
}
