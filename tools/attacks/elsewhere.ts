/**
 * Attacks and faults that are not rows with figures: what is sent or done, and the test that holds it.
 *
 * @module
 */

/** Each with the file of its test and the beginning of the test's name. */
export const ELSEWHERE: readonly (readonly [what: string, file: string, test: string])[] = [
  [
    "two lengths, a length and chunks, codings, folded headers, signs, bare CR, NUL, two Host headers",
    "test/attacks/smuggling.test.ts",
    "%s is refused with 400, and the connection ends",
  ],
  [
    "a request inside a body that is not read",
    "test/attacks/smuggling.test.ts",
    "what was sent as an unread body is no request",
  ],
  [
    "paths with dots, escapes, semicolons, names of members of objects",
    "test/attacks/smuggling.test.ts",
    "no trick makes a path public",
  ],
  [
    "650 lists of a user that are never read, 450 bodies of which one byte is sent, without fairness",
    "test/attacks/seats.test.ts",
    "all seats for %s taken: health answers",
  ],
  [
    "40 YAML documents of 3 MB beside a small one",
    "test/attacks/seats.test.ts",
    "40 YAML documents of 3 MB do not keep a small one of another connection waiting",
  ],
  [
    "each way to hold a connection, until its time is over",
    "src/server/http/guard.test.ts",
    "reliability 2.1: a connection without a credential is closed",
  ],
  [
    "a response that is not read for a minute",
    "src/server/http/guard.test.ts",
    "an unread response is broken off after a minute, and its seat is free",
  ],
  [
    "as many connections as one address may have",
    "src/server/http/guard.test.ts",
    "an address has its own limit, and the log has the limit and the client",
  ],
  [
    "more connections of one user than one may have",
    "src/server/http/guard.test.ts",
    "others have their own; a client with as many gets an error, and the connection ends; one that closes frees its slot",
  ],
  [
    "more unread responses of one user than one may have, over all connections",
    "src/server/http/guard.test.ts",
    "responses that are not read count, over all connections, until they go",
  ],
  [
    "TLS 1.2 with CBC, or with a key that opens what was recorded",
    "src/server/http/listeners.test.ts",
    "encrypts and authenticates in one step, with TLS 1.2, too",
  ],
  [
    "200 GETs of 400 kB, 100 POSTs of 3 MB at once on one connection, by honest clients",
    "src/server/http/bursts.test.ts",
    "with the windows of %s, on one connection at once",
  ],
  [
    "bodies with a large announced length that stop",
    "src/server/http/bursts.test.ts",
    "clients that announce much and stop hold no writer up",
  ],
  [
    "a YAML document that does not end",
    "src/server/threads/pool.test.ts",
    "a document that is not begun within half a minute is refused, one that is not done within ten seconds, too",
  ],
  [
    "regular expressions with very many states over megabytes, in schemas and rules; patterns that compile to large programs",
    "test/structural/heavy.test.ts",
    "a pattern that takes a second for a text",
  ],
  ["selectors and lists over 50,000 objects", "test/promises/turns.test.ts", "of a server, over 50 000 objects"],
  ["10,000 watchers", "test/serve/watchers.test.ts", "idle watchers cost less than"],
  [
    "a Secret in what is refused: creates, updates, patches, applies, YAML",
    "test/promises/secrets.test.ts",
    "patch, %s",
  ],
  [
    "a full disk",
    "src/storage/sqlite/full.test.ts",
    "every delete works, what leaves may say so, what shrinks may shrink, and then there is room again",
  ],
  [
    "a read-only file system",
    "test/faults/read-only.test.ts",
    "a directory that is written to is refused, and so is a damaged one",
  ],
];
