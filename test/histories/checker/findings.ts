import type { Operation, Seen, Stream, Violation } from "../history.ts";

/** Most violations of one property that are kept: after those it is plain. */
const MOST = 10;

/** What the checks have found so far. */
export class Findings {
  readonly violations: Violation[] = [];
  readonly #counts = new Map<string, number>();
  /** Checks that were made. */
  checked = 0;
  /** Checks that could not be made, because not everything is known of the time in question. */
  skipped = 0;

  /** Notes a broken promise. */
  broken(property: string, message: string): void {
    const count = (this.#counts.get(property) ?? 0) + 1;
    this.#counts.set(property, count);
    if (count <= MOST) this.violations.push({ property, message });
  }

  /** Notes a broken promise unless `holds`; where that cannot be known, notes that instead. */
  expect(holds: boolean | undefined, property: string, message: () => string): void {
    if (holds === undefined) this.skipped++;
    else this.checked++;
    if (holds === false) this.broken(property, message());
  }
}

/** An object in a message. */
export const named = ({ key, revision, id }: Seen): string => `${key}@${revision} (${id})`;

/** A request in a message. */
export function told({ client, call, return: end, request, outcome }: Operation): string {
  const { verb, ...rest } = request;
  const times = `[${call.toFixed(1)}, ${end.toFixed(1)}]`;
  const answer = JSON.stringify(outcome);
  return `${verb} ${JSON.stringify(rest)} of ${client} in ${times} -> ${answer.length > 300 ? `${answer.slice(0, 300)}...` : answer}`;
}

/** A watch in a message. */
export const titled = ({ client, server, scope, colour, from, call }: Stream): string =>
  `the watch of ${client} on ${server < 0 ? "the store" : `server ${server}`} of ${scope || "everything"}` +
  `${colour === undefined ? "" : ` colour=${colour}`} from ${from} opened at ${call.toFixed(1)}`;
